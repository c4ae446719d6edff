-- The position before the first event of an app of which the version of a group in use has slices left to do; null where nothing
-- of the app is left. Slices of other apps do not count.
CREATE OR REPLACE FUNCTION projection.unfinished_of_app(leader text, app integer) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  walk     text;
  left_of  bigint;
  position bigint;
BEGIN
  FOR walk IN
    SELECT w.name
    FROM projection.version v, unnest('{category_walk,device_walk}'::text[]) AS w (name)
    WHERE (v.schema_name, v.leader) = ('projection', unfinished_of_app.leader) AND w.name = ANY (v.objects)
  LOOP
    EXECUTE format('SELECT min(least(after_position, next_after)) FROM projection.%I WHERE app_id = $1', walk) INTO left_of USING app;
    position := least(position, left_of);
  END LOOP;
  RETURN position;
END $$;
