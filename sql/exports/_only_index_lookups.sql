-- Restricts the planner to index lookups for the rest of the transaction: a chunk of a dataset is few rows, whatever
-- statistics say.
CREATE OR REPLACE FUNCTION export.only_index_lookups() RETURNS void
LANGUAGE sql AS $$
  SELECT set_config(setting, 'off', true) FROM unnest('{enable_hashjoin,enable_mergejoin,enable_sort,jit}'::text[]) AS setting
$$;
