-- Begins the application of events to a version of a group by a fold, in the caller's transaction: what projection.apply
-- does before it calls functions. Returns the number of the version's lanes, 0 for a version whose tables know no lanes; null
-- for a version of an earlier release that has functions of its own: then projection.apply applies it, until it is rebuilt.
-- Fails for a version of notification that a fold without slices of devices made. `keeps_snapshots` says that the fold adds to
-- projection.kept_snapshot: a service of an earlier release does not say so, see projection.move.
CREATE OR REPLACE FUNCTION projection.begin_fold(
  version text, leader text, positions bigint, applied_before bigint DEFAULT NULL, received_before timestamptz DEFAULT NULL,
  lane smallint DEFAULT 0, keeps_snapshots boolean DEFAULT false
) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
  lanes smallint;
BEGIN
  IF EXISTS (
      SELECT FROM projection.version v
      WHERE (v.schema_name, v.leader) = (CASE version WHEN 'baseline' THEN 'projection' ELSE version END, begin_fold.leader)
        AND begin_fold.leader || '_apply' = ANY (v.objects)) THEN
    RETURN NULL;
  END IF;
  -- Functions of a fold before that one lack what this release calls. To hold here costs no event: an empty batch fails alike.
  IF begin_fold.leader = 'notification' AND EXISTS (
      SELECT FROM projection.version v
      WHERE (v.schema_name, v.leader) = (CASE version WHEN 'baseline' THEN 'projection' ELSE version END, begin_fold.leader)
        AND NOT 'device_walk' = ANY (v.objects)) THEN
    RAISE EXCEPTION 'an earlier commit made the version of %, and this release cannot go on with it: run: notilog projections rebuild %', leader, leader
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  lanes := coalesce((SELECT v.lanes FROM projection.version v WHERE (v.schema_name, v.leader) = (version, begin_fold.leader)), 0);
  PERFORM projection.enter(version, leader, positions, applied_before, received_before, lane, lanes), projection.plan_fold(),
    set_config('notilog.keeps_snapshots', begin_fold.keeps_snapshots::text, true);
  RETURN lanes;
END $$;

-- Begins to read events for the next batch of a lane of a version that is not in use, while the batch before is applied: in a
-- transaction of its own, until whose end what it has read holds. For whatever changes events that are stored locks `background`
-- exclusively. Returns the number of the version's lanes; null while that lock is held or waited for, and where there is no such version.
CREATE OR REPLACE FUNCTION projection.begin_reading(version text, leader text, lane smallint) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
  lanes smallint := (SELECT v.lanes FROM projection.version v WHERE (v.schema_name, v.leader) = (version, begin_reading.leader));
BEGIN
  IF lanes IS NULL OR NOT lock.try_shared('background') THEN
    RETURN NULL;
  END IF;
  PERFORM projection.use(version, leader, lane, lanes), projection.plan_fold();
  RETURN lanes;
END $$;

-- Has the statements of a fold planned once, by indexes. For the rest of the transaction.
CREATE OR REPLACE FUNCTION projection.plan_fold() RETURNS void
LANGUAGE sql AS $$
  SELECT projection.only_index_lookups(true), set_config('enable_bitmapscan', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)
$$;
