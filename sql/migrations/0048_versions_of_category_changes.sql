-- oldest service: 21
-- A change of a category says on the notifications of which versions of the app it bears. The baseline is registered again by the next
-- retention, once the group is rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.category_change') IS NULL THEN
    RETURN;
  END IF;
  ALTER TABLE baseline.category_change
    ADD COLUMN app_versions text[] COLLATE "C",
    ADD COLUMN others       boolean NOT NULL DEFAULT false;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
