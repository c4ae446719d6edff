-- Takes the events that the simulator sent out of the log and puts them back in an order of arrival with latecomers, and
-- with what the simulator's people seldom do: settings and contexts that change in the past, categories that change
-- their behaviour. Positions begin at 1 and have no gaps: a batch holds as many events as positions.
CREATE SCHEMA spike;
CREATE TABLE spike.event AS SELECT e.* FROM log.event e;
TRUNCATE log.event, log.identity;

CREATE TABLE spike.arrival AS
WITH said AS (
  SELECT e.*, abs(hashtext(id::text)) % 1000 AS chance FROM spike.event e
), added AS (
  -- An hour after a snapshot of settings another one, which is heard of a day later: denied, or another version of the app.
  SELECT e.app_id, md5('late' || id)::uuid AS id, kind, device_id, notification_id, occurrence,
    effective_at + interval '1 hour' AS effective_at, utc_offset, schema_version, token,
    CASE chance % 2 WHEN 0 THEN data || '{"authorization_status": "denied"}'
      ELSE jsonb_set(data, '{context,app_version}', to_jsonb(coalesce(data#>>'{context,app_version}', '1') || '.1')) END AS data,
    interval '1 day' AS delay
  FROM said e WHERE kind = 'settings' AND chance < 60 AND data ? 'context'
  UNION ALL
  -- Every category with its custom_dismiss_action turned about, and once more turned back, by one device in its version's name.
  SELECT app_id, md5('change' || n || id)::uuid, kind, device_id, notification_id, occurrence,
    (SELECT min(effective_at) + (max(effective_at) - min(effective_at)) * (0.3 * n) FROM spike.event), utc_offset, schema_version, token,
    CASE WHEN n = 1 THEN data || jsonb_build_object('categories', (
      SELECT jsonb_agg(CASE WHEN c->'options' ? 'custom_dismiss_action' THEN jsonb_set(c, '{options}', (c->'options') - 'custom_dismiss_action')
        ELSE jsonb_set(c, '{options}', coalesce(c->'options', '[]') || '["custom_dismiss_action"]') END)
      FROM jsonb_array_elements(data->'categories') c)) ELSE data END, interval '0'
  FROM (
    SELECT DISTINCT ON (data#>>'{context,app_version}') * FROM said WHERE kind = 'category_registration' ORDER BY data#>>'{context,app_version}', id
  ) e, generate_series(1, 2) n
)
SELECT app_id, id, kind, device_id, notification_id, occurrence, effective_at, utc_offset, schema_version, token, data,
  CASE WHEN chance < 850 THEN interval '5 seconds' * (chance / 850.0) WHEN chance < 970 THEN interval '1 hour' * ((chance - 850) / 120.0)
    ELSE interval '2 days' * ((chance - 970) / 30.0) END AS delay
FROM said
UNION ALL TABLE added;

SELECT log.ensure_partitions(min(effective_at), max(effective_at + delay) + interval '1 day') FROM spike.arrival;
INSERT INTO log.event (position, received_at, occurred_at, effective_at, occurrence, id, app_id, utc_offset, schema_version,
  time_clamped, kind, device_id, notification_id, token, data)
SELECT row_number() OVER (ORDER BY effective_at + delay, id), effective_at + delay + interval '1 second', effective_at, effective_at,
  occurrence, id, app_id, utc_offset, schema_version, false, kind, device_id, notification_id, token, data
FROM spike.arrival
ORDER BY 1;
DROP TABLE spike.event, spike.arrival;
UPDATE log.state SET settled_position = (SELECT max(position) FROM log.event);
VACUUM ANALYZE log.event;
