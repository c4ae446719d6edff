-- The position before the first event of which a lane of a version of a group has slices left to do; null where nothing is left.
CREATE OR REPLACE FUNCTION projection.unfinished_after(version text, leader text, lane smallint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  made     projection.version;
  walk     text;
  left_of  bigint;
  position bigint;
BEGIN
  SELECT * INTO made FROM projection.version v WHERE (v.schema_name, v.leader) = (version, unfinished_after.leader);
  -- A version that an earlier release made knows of no slices, or of no lanes. Of one lane all devices are: what gives a device's lane
  -- takes longer than to read the row, and a change that bears on all devices of an app leaves a row of each.
  FOREACH walk IN ARRAY '{category_walk,device_walk}'::text[] LOOP
    IF walk = ANY (made.objects) THEN
      EXECUTE format('SELECT min(least(after_position, next_after)) FROM %I.%I', version, walk) || CASE
        WHEN made.lanes IS NULL THEN ''
        WHEN walk = 'category_walk' THEN format(' WHERE lane = %s', lane)
        WHEN made.lanes = 1 THEN ''
        ELSE format(' WHERE log.lane(device_id) %% %s = %s', made.lanes, lane) END INTO left_of;
      position := least(position, left_of);
    END IF;
  END LOOP;
  RETURN position;
END $$;

-- Whether a version under construction is complete up to at least the same position as the one in use, and has all that any
-- lane of it has counted.
CREATE OR REPLACE FUNCTION projection.claims_as_much(beside text, leader text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce(built.complete >= served.complete AND built.position >= served.position, true)
  FROM (
    SELECT min(least(l.position, l.unfinished_after)) AS complete, min(l.position) AS position
    FROM projection.version_lane l WHERE (l.schema_name, l.leader) = (beside, claims_as_much.leader)
  ) built, (
    SELECT min(least(c.position, c.unfinished_after)) AS complete, max(c.position) AS position
    FROM projection.checkpoint c WHERE c.name = claims_as_much.leader
  ) served
$$;
