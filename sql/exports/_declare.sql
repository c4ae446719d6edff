-- Declares a dataset: export.<name>(app) returns its rows, with app_id among them. The dataset's own file calls it; a new
-- dataset needs nothing else.
--
--   keys         the columns that identify a row; none for a dataset that reads the log by position
--   projections  the projections that its rows come from
--   touched      a function of this schema (app, after, upto) that returns the devices whose rows the events of a range of
--                the log may have changed, null for all of them; without it every row is compared
--   zeros        whether deleted rows are exported with zeros as their numbers, rather than as tombstones
--
-- For each row that was ever exported, export.<name>_row keeps its key, a random id, a digest of its last content (null:
-- deleted) and the number of its last change. Digests cover the content, so a rebuild with the same rows changes nothing.
CREATE OR REPLACE FUNCTION export.declare(dataset text, keys text[] DEFAULT '{}', projections text[] DEFAULT '{}',
  touched text DEFAULT NULL, zeros boolean DEFAULT false)
RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  columns text;
BEGIN
  INSERT INTO export.dataset VALUES (dataset, keys, projections, touched, zeros)
  ON CONFLICT (name) DO UPDATE
  SET keys = excluded.keys, projections = excluded.projections, touched = excluded.touched, zeros = excluded.zeros;
  IF keys = '{}' OR to_regclass(format('export.%I', dataset || '_row')) IS NOT NULL THEN
    RETURN;
  END IF;
  SELECT string_agg(format('%I %s NOT NULL', c.name, c.type || CASE c.type WHEN 'text' THEN ' COLLATE "C"' ELSE '' END), ', '
    ORDER BY k.ordinal)
  INTO columns
  FROM unnest(keys) WITH ORDINALITY AS k (name, ordinal)
  JOIN export.row_columns(dataset) c USING (name);
  EXECUTE format('CREATE TABLE export.%I (app_id integer NOT NULL, %s, row_id uuid NOT NULL DEFAULT gen_random_uuid(),
    digest uuid, change bigint NOT NULL, PRIMARY KEY (app_id, %s))', dataset || '_row', columns, array_to_string(keys, ', '));
  EXECUTE format('CREATE INDEX ON export.%I (app_id, change)', dataset || '_row');
END $$;

-- Removes datasets whose file no longer exists.
DELETE FROM export.dataset;
