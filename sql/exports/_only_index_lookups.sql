-- Keeps the planner to index lookups for the rest of the transaction: a part of a dataset is few rows, whatever statistics make of it.
CREATE OR REPLACE FUNCTION export.only_index_lookups() RETURNS void
LANGUAGE sql AS $$
  SELECT set_config(setting, 'off', true) FROM unnest('{enable_hashjoin,enable_mergejoin,enable_sort,jit}'::text[]) AS setting
$$;
