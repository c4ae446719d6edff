-- Begins the application of events to a version of a group by a fold, in the caller's transaction: what projection.apply
-- does before it calls functions. Returns false for a version of an earlier release, which has functions of its own: then
-- projection.apply applies it, until it is rebuilt.
CREATE OR REPLACE FUNCTION projection.begin_fold(
  version text, leader text, positions bigint, applied_before bigint DEFAULT NULL, received_before timestamptz DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
      SELECT FROM projection.version v
      WHERE (v.schema_name, v.leader) = (CASE version WHEN 'baseline' THEN 'projection' ELSE version END, begin_fold.leader)
        AND begin_fold.leader || '_apply' = ANY (v.objects)) THEN
    RETURN false;
  END IF;
  PERFORM projection.enter(version, leader, positions, applied_before, received_before), projection.only_index_lookups(true),
    set_config('enable_bitmapscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true);
  RETURN true;
END $$;
