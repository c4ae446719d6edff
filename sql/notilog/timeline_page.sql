-- A page of a timeline: the events after (after_at, after_id) as far as those before each of them have at most so many bytes of
-- data, written as text. So the last one may go beyond that.
CREATE OR REPLACE FUNCTION notilog.timeline_page(
  app integer, device text, notification text, after_at timestamptz, after_id uuid, most bigint, most_bytes bigint)
RETURNS TABLE (
  "position" bigint, id uuid, kind text, notification_id text, occurrence timestamptz, occurred_at timestamptz, utc_offset smallint,
  effective_at timestamptz, sent_at timestamptz, received_at timestamptz, time_clamped boolean, data text)
LANGUAGE sql STABLE AS $$
  SELECT t.position, t.id, t.kind, t.notification_id, t.occurrence, t.occurred_at, t.utc_offset, t.effective_at, t.sent_at,
    t.received_at, t.time_clamped, t.text
  FROM (
    SELECT e.*, sum(octet_length(e.text)) OVER (
      ORDER BY e.effective_at, e.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
    FROM (SELECT l.*, l.data::text AS text FROM notilog.timeline(app, device, notification, after_at, after_id, most) l) e
  ) t
  WHERE coalesce(t.bytes_before, 0) <= most_bytes
  ORDER BY t.effective_at, t.id
$$;
