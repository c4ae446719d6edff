-- The position before the first event of which a version of a group has slices left to do; null where nothing is left.
CREATE OR REPLACE FUNCTION projection.unfinished_after(version text, leader text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  position bigint;
BEGIN
  -- A version that an earlier release made knows of no slices.
  IF EXISTS (
      SELECT FROM projection.version v
      WHERE (v.schema_name, v.leader) = (version, unfinished_after.leader) AND 'category_walk' = ANY (v.objects)) THEN
    EXECUTE format('SELECT min(least(after_position, next_after)) FROM %I.category_walk', version) INTO position;
  END IF;
  RETURN position;
END $$;

-- Whether a version under construction is complete up to at least the same position as the one in use.
CREATE OR REPLACE FUNCTION projection.claims_as_much(beside text, leader text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT least(v.position, v.unfinished_after) >= least(c.position, c.unfinished_after)
    FROM projection.version v, projection.checkpoint c
    WHERE (v.schema_name, v.leader) = (beside, claims_as_much.leader) AND c.name = claims_as_much.leader), true)
$$;
