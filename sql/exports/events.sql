-- The log, by position: each event once, as stored, of every kind.
--
--   position            its position in the log; its key
--   tombstone           true if its device was erased: delete the event; all other columns are null
--   id                  the event's own id, unique within app and device
--   kind                what happened, see docs/openapi.yaml
--   device_id           the app installation; empty if the kind allows it to be absent
--   notification_id     notification_id, else request_identifier
--   occurrence          the firing of a repeating request
--   occurred_at         the sender's clock, as sent
--   utc_offset_minutes  east of UTC, in occurred_at as sent
--   effective_at        what projections and reports use
--   sent_at             the sender's clock at the request
--   received_at         the service's clock
--   time_clamped        whether the sender's clock was too far ahead to be used
--   token               SHA-256 of the device token, in hexadecimal
--   schema_version      the version of the vocabulary that the event was stored in
--   data                the other fields, in the current version of the vocabulary
CREATE OR REPLACE FUNCTION export.events(app integer)
RETURNS TABLE (app_id integer, "position" bigint, id uuid, kind text, device_id text, notification_id text,
  occurrence timestamptz, occurred_at timestamptz, utc_offset_minutes smallint, effective_at timestamptz,
  sent_at timestamptz, received_at timestamptz, time_clamped boolean, token bytea, schema_version smallint, data export.sent_jsonb)
LANGUAGE sql STABLE AS $$
  SELECT e.app_id, e.position, e.id, e.kind, e.device_id, e.notification_id, e.occurrence, e.occurred_at, e.utc_offset,
    e.effective_at, e.sent_at, e.received_at, e.time_clamped, e.token, e.schema_version, chr(1) || e.data_text
  FROM log.upcast_event e
  WHERE e.app_id = app
$$;
SELECT export.declare('events');
