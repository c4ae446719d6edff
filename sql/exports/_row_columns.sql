-- The columns of export.<dataset>(app), in order, without app_id.
CREATE OR REPLACE FUNCTION export.row_columns(dataset text) RETURNS TABLE (name text, type text, ordinal bigint)
LANGUAGE sql STABLE AS $$
  SELECT c.name, c.type::regtype::text, c.ordinal
  FROM pg_proc p, unnest(p.proargnames, p.proallargtypes, p.proargmodes::text[]) WITH ORDINALITY AS c (name, type, mode, ordinal)
  WHERE p.pronamespace = 'export'::regnamespace AND p.proname = dataset AND c.mode = 't' AND c.name <> 'app_id'
$$;
