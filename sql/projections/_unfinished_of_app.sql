-- The position before the first event of an app of which slices are left to do in the versions in use; null where nothing of the app
-- is left. Slices of other apps do not count. Asked of a checkpoint with unfinished_after: others have no slices.
CREATE OR REPLACE FUNCTION projection.unfinished_of_app(app integer) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  walk     regclass;
  left_of  bigint;
  position bigint;
BEGIN
  FOREACH walk IN ARRAY ARRAY[to_regclass('projection.category_walk'), to_regclass('projection.device_walk')] LOOP
    IF walk IS NOT NULL THEN
      EXECUTE format('SELECT min(least(after_position, next_after)) FROM %s WHERE app_id = $1', walk) INTO left_of USING app;
      position := least(position, left_of);
    END IF;
  END LOOP;
  RETURN position;
END $$;
