-- oldest service: 21
-- A change of a category says of which versions of the app it bears on notifications. Changes that wait for a walk bear on all.
DO $$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT format('%I.%I', n.nspname, c.relname)
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = 'category_change' AND c.relkind = 'r' AND n.nspname ~ '^(projection|baseline)'
  LOOP
    EXECUTE format('ALTER TABLE %s ADD COLUMN app_versions text[] COLLATE "C", ADD COLUMN others boolean NOT NULL DEFAULT false', name);
  END LOOP;
END $$;
