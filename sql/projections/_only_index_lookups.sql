-- Restricts the planner to index lookups, row by row, whatever it estimates for a table: in a rebuild tables grow faster
-- than their statistics. For the rest of the transaction, or until turned off.
CREATE OR REPLACE FUNCTION projection.only_index_lookups(yes boolean) RETURNS void
LANGUAGE sql AS $$
  SELECT set_config(setting, CASE WHEN yes THEN 'off' ELSE 'on' END, true)
  FROM unnest('{enable_seqscan,enable_hashjoin,enable_mergejoin}'::text[]) AS setting
$$;
