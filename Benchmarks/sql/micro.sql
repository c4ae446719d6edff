-- Gets a log ready for counting: all of its events settled, and micro.append(n), which appends the n-th 500 of them once more
-- with ids of their own. Positions begin at 1 and have no gaps: a batch of projections holds as many events as positions.
CALL log.settle(NULL);
CREATE SCHEMA micro;
CREATE TABLE micro.event AS
SELECT row_number() OVER (ORDER BY effective_at, id) - 1 AS n, e.* FROM log.event e;
TRUNCATE log.event, log.identity;
ALTER SEQUENCE log.position RESTART;
INSERT INTO log.event SELECT n + 1, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id, utc_offset, schema_version,
  time_clamped, kind, device_id, notification_id, token, data, data_text FROM micro.event WHERE n < 2 * :batch;
SELECT setval('log.position', 2 * :batch) \g /dev/null
CREATE FUNCTION micro.append(part integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  stored bigint;
BEGIN
  SELECT cardinality(a.positions) INTO stored
  FROM (
    SELECT array_agg(app_id ORDER BY n) AS app_ids, array_agg(md5(id::text)::uuid ORDER BY n) AS ids,
      array_agg(md5(id::text || 'digest')::uuid ORDER BY n) AS digests, array_agg(kind ORDER BY n) AS kinds,
      array_agg(device_id ORDER BY n) AS device_ids, array_agg(received_at ORDER BY n) AS received_ats,
      array_agg(occurred_at ORDER BY n) AS occurred_ats, array_agg(effective_at ORDER BY n) AS effective_ats,
      array_agg(sent_at ORDER BY n) AS sent_ats, array_agg(occurrence ORDER BY n) AS occurrences,
      array_agg(utc_offset ORDER BY n) AS utc_offsets, array_agg(schema_version ORDER BY n) AS schema_versions,
      array_agg(time_clamped ORDER BY n) AS time_clampeds, array_agg(notification_id ORDER BY n) AS notification_ids,
      array_agg(token ORDER BY n) AS tokens, array_agg(data ORDER BY n) AS datas, array_agg(data_text ORDER BY n) AS data_texts
    FROM micro.event
    WHERE n >= part * 500 AND n < (part + 1) * 500
  ) e,
  LATERAL log.append(e.app_ids, e.ids, e.digests, e.kinds, e.device_ids, e.received_ats, e.occurred_ats, e.effective_ats,
    e.sent_ats, e.occurrences, e.utc_offsets, e.schema_versions, e.time_clampeds, e.notification_ids, e.tokens, e.datas, e.data_texts) a;
  RETURN stored;
END $$;
CREATE INDEX ON micro.event (n);
VACUUM ANALYZE log.event;
VACUUM ANALYZE micro.event;
CHECKPOINT;
