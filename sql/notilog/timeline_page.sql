-- A page of a timeline: the events after (after_at, after_id), at most so many, until those before one have more than so many bytes
-- of data, written as text. So the last one may go beyond that.
CREATE OR REPLACE FUNCTION notilog.timeline_page(
  app integer, device text, notification text, after_at timestamptz, after_id uuid, most bigint, most_bytes bigint)
RETURNS TABLE (
  "position" bigint, id uuid, kind text, notification_id text, occurrence timestamptz, occurred_at timestamptz, utc_offset smallint,
  effective_at timestamptz, sent_at timestamptz, received_at timestamptz, time_clamped boolean, data text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  bytes bigint := 0;
BEGIN
  FOR "position", id, kind, notification_id, occurrence, occurred_at, utc_offset, effective_at, sent_at, received_at, time_clamped, data IN
    SELECT t.position, t.id, t.kind, t.notification_id, t.occurrence, t.occurred_at, t.utc_offset, t.effective_at, t.sent_at,
      t.received_at, t.time_clamped, t.data_text
    FROM notilog.timeline(app, device, notification, after_at, after_id, most) t
    ORDER BY t.effective_at, t.id
  LOOP
    RETURN NEXT;
    bytes := bytes + octet_length(data);
    EXIT WHEN bytes > most_bytes;
  END LOOP;
END $$;
