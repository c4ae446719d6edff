-- Deletes the identities of a partition's next events, `events_limit` at a time, each call a transaction; false when all
-- are deleted. A repeat of an event that happened before the floor is rejected. An event that claims to have happened later,
-- because its clock was ahead, keeps its identity until the floor has passed that time too.
CREATE OR REPLACE FUNCTION log.retention_cut(partition text, events_limit integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  progress record;
  upto     bigint;
  found    bigint;
BEGIN
  -- No device is erased meanwhile: the hashes of its identities depend on its id.
  PERFORM lock.shared('background');
  PERFORM lock.shared('still');
  SELECT * INTO STRICT progress FROM log.dropped_partition WHERE name = partition AND dropped_at IS NULL FOR UPDATE;
  EXECUTE format('SELECT max(position), count(*) FROM (SELECT position FROM log.%I WHERE position > $1 ORDER BY position LIMIT $2) p',
    partition) INTO upto, found USING progress.cut_position, events_limit;
  IF upto IS NULL THEN
    DELETE FROM log.identity i USING log.early_identity e
    WHERE e.occurred_at < progress.to_at AND (i.id, i.device_hash, i.app_id) = (e.id, e.device_hash, e.app_id);
    DELETE FROM log.early_identity WHERE occurred_at < progress.to_at;
    RETURN false;
  END IF;
  EXECUTE format($cut$
    WITH event AS MATERIALIZED (
      SELECT id, hashtextextended(device_id, 0) AS device_hash, app_id, position, occurred_at
      FROM log.%I WHERE position > $1 AND position <= $2
    ), early AS (
      INSERT INTO log.early_identity
      SELECT id, device_hash, app_id, occurred_at FROM event WHERE occurred_at >= $3
      ON CONFLICT DO NOTHING
    )
    DELETE FROM log.identity i
    USING event e
    WHERE (i.id, i.device_hash, i.app_id) = (e.id, e.device_hash, e.app_id) AND i.position = e.position
      AND e.occurred_at < $3
  $cut$, partition) USING progress.cut_position, upto, progress.to_at;
  UPDATE log.dropped_partition SET cut_position = upto, events = events + found WHERE name = partition;
  RETURN true;
END $$;
