-- oldest service: 21
-- Which pushes to Live Activities were accepted is kept apart (live_activity_accepted), and the facts of a notification say that it was
-- such a push, for answers that are still to come: of dropped events neither can be computed again. The tokens of activities have an
-- index. The baselines of both groups are registered again by the next retention, once the groups are rebuilt.
DO $$
BEGIN
  IF to_regclass('baseline.token_event') IS NOT NULL THEN
    CREATE INDEX token_event_activity ON baseline.token_event (app_id, device_id, activity_id)
      WHERE what = 'registered' AND type = 'activity_update';
    DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'device_token');
  END IF;
  IF to_regclass('baseline.notification') IS NULL THEN
    RETURN;
  END IF;
  CREATE TABLE baseline.live_activity_accepted (
    app_id          integer          NOT NULL,
    device_id       text COLLATE "C" NOT NULL,
    notification_id text COLLATE "C" NOT NULL,
    occurrence      timestamptz      NOT NULL,
    PRIMARY KEY (app_id, device_id, notification_id, occurrence)
  );
  IF to_regclass('baseline.live_activity_push') IS NOT NULL THEN
    -- The second byte of the packing has such bits.
    UPDATE baseline.notification n
    SET facts = set_byte(n.facts, 1, get_byte(n.facts, 1) | 8)
    FROM baseline.live_activity_push p
    WHERE (p.app_id, p.device_id, p.notification_id, p.occurrence) = (n.app_id, n.device_id, n.notification_id, n.occurrence);
    INSERT INTO baseline.live_activity_accepted
    SELECT DISTINCT p.app_id, p.device_id, p.notification_id, p.occurrence
    FROM baseline.live_activity_push p
    JOIN baseline.notification n USING (app_id, device_id, notification_id, occurrence)
    WHERE n.push_accepted;
  END IF;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
