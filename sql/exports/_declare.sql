-- Declares a dataset: export.<name>(app) gives its rows, with app_id among them. Called by the dataset's own file, which is
-- all that a new dataset needs.
--
--   keys         the columns that make a row; none for what is read from the log by position
--   projections  the checkpoints that its tables stand at
--   touched      a function of this schema (app, after, upto) that gives the devices whose rows may have changed by the
--                events of a range of the log, null for all of them; without it every row is compared
--   zeros        whether rows that are gone are given out with zeros in place of their numbers, rather than as tombstones
--
-- For each row that was ever given out, export.<name>_row keeps its key, a random id, a digest of what it was (null: it is
-- gone) and the number of its last change. Digests are taken of the rows' content, so a rebuild that comes to the same
-- changes nothing.
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

-- Those whose file is gone are no more.
DELETE FROM export.dataset;
