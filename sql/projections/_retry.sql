-- Begins to apply one event again that a lane has set aside in the version in use, in the caller's transaction, under the
-- lane's lock: it is set aside no longer. Returns the lane's checkpoint; null where the event was not set aside.
CREATE OR REPLACE FUNCTION projection.begin_retry(leader text, lane smallint, "position" bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  -- An erasure that is under way changes events which all versions in use have passed.
  PERFORM lock.shared('background');
  DELETE FROM projection.set_aside s
  WHERE (s.schema_name, s.leader, s.position, s.lane)
    = ('projection', begin_retry.leader, begin_retry.position, begin_retry.lane);
  RETURN CASE WHEN FOUND THEN (
    SELECT c.position FROM projection.checkpoint c WHERE (c.name, c.lane) = (begin_retry.leader, begin_retry.lane)) END;
END $$;

-- Ends it: the event may have left slices.
CREATE OR REPLACE FUNCTION projection.end_retry(leader text, lane smallint) RETURNS void
LANGUAGE sql AS $$
  UPDATE projection.checkpoint c SET unfinished_after = projection.unfinished_after('projection', leader, lane)
  WHERE (c.name, c.lane) = (end_retry.leader, end_retry.lane)
$$;

-- Has the notifications that slices of the version in use could not update gone through again, with their devices: the group's
-- next batches update them. Returns their number.
CREATE OR REPLACE FUNCTION projection.retry_notifications() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  checkpoint    bigint;
  notifications bigint;
BEGIN
  PERFORM projection.lock_version('projection', 'notification');
  SELECT min(c.position) INTO checkpoint FROM projection.checkpoint c WHERE c.name = 'notification';
  -- A version that an earlier release made goes past none.
  IF checkpoint IS NULL OR to_regclass('projection.skipped_notification') IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM projection.enter('projection', 'notification', 0, checkpoint, NULL);
  notifications := projection.retry_skipped();
  PERFORM projection.end_retry(c.name, c.lane) FROM projection.checkpoint c WHERE c.name = 'notification';
  RETURN notifications;
END $$;
