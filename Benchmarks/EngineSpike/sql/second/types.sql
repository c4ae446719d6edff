CREATE VIEW category_action AS
SELECT c.app_id, c.app_version, c.category_id, a.action->>'id' AS action_id, a.ordinal::integer AS place, a.action->>'title' AS title,
  coalesce(a.action->>'type' = 'text_input', false) AS text_input, coalesce(a.action->'options' ? 'foreground', false) AS foreground
FROM category c, jsonb_array_elements(c.definition->'actions') WITH ORDINALITY AS a (action, ordinal);

CREATE TYPE device_from AS (app_id integer, device_id text, from_at timestamptz);

-- What a batch says of a notification. Claims are text: the place (49 characters), then the value, so that the least is the first.
CREATE TYPE notification_said AS (
  app_id integer, device_id text, notification_id text, occurrence timestamptz,
  requested_at timestamptz, scheduled_for timestamptz, delivered_at timestamptz, delivery_at timestamptz, arrived_at timestamptz,
  presentation_at timestamptz, responded_at timestamptz, dismissed_at timestamptz, withdrawn_at timestamptz, request_received_at timestamptz,
  requests integer, said integer, action text COLLATE "C", alerting text COLLATE "C", requested_category text COLLATE "C", category text COLLATE "C",
  trigger text COLLATE "C", interruption_level text COLLATE "C", campaign text COLLATE "C", variant text COLLATE "C", thread text COLLATE "C"
);

-- A row as it was (sign -1) and as it is (sign 1), as the rollups count it.
CREATE TYPE notification_counted AS (
  sign integer, app_id integer, category text, cohort_at timestamptz, shown_at timestamptz, responded_at timestamptz, dismissed_at timestamptz,
  requested_category text, trigger text, interruption_level text, campaign text, variant text, platform text, os_version text,
  app_version text, locale text, stages integer, delivered_seen boolean, presented_seen boolean, requests integer, duplicate_callbacks integer
);

-- The time that packed facts say.
CREATE FUNCTION time_of(hex text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN hex <> '' THEN timestamptz '2000-01-01T00:00:00Z' + (('x' || hex)::bit(64)::bigint) * interval '1 microsecond' END
$$;

-- Packed facts: two times, what `alerting` claims, and the places of the claims; '=' where it is the trigger's (p5, kept[9]) but for
-- the stage, which stands before it. Written so that it is taken into the query around it.
CREATE FUNCTION packed(arrived_at timestamptz, received_at timestamptz, alerting text, p1 text, p2 text, p3 text, p4 text, p5 text,
  p6 text, p7 text, p8 text, p9 text) RETURNS bytea
LANGUAGE sql STABLE AS $$
  SELECT convert_to(coalesce(encode(timestamptz_send(arrived_at), 'hex'), '') || ',' || coalesce(encode(timestamptz_send(received_at), 'hex'), '')
    || ',' || coalesce(alerting, '') || ',,' || CASE WHEN substr(p1, 2) = substr(p5, 2) THEN left(p1, 1) || '=' ELSE coalesce(p1, '') END || ','
    || CASE WHEN substr(p2, 2) = substr(p5, 2) THEN left(p2, 1) || '=' ELSE coalesce(p2, '') END || ','
    || CASE WHEN substr(p3, 2) = substr(p5, 2) THEN left(p3, 1) || '=' ELSE coalesce(p3, '') END || ','
    || CASE WHEN substr(p4, 2) = substr(p5, 2) THEN left(p4, 1) || '=' ELSE coalesce(p4, '') END || ','
    || coalesce(p5, '') || ','
    || CASE WHEN substr(p6, 2) = substr(p5, 2) THEN left(p6, 1) || '=' ELSE coalesce(p6, '') END || ','
    || CASE WHEN substr(p7, 2) = substr(p5, 2) THEN left(p7, 1) || '=' ELSE coalesce(p7, '') END || ','
    || CASE WHEN substr(p8, 2) = substr(p5, 2) THEN left(p8, 1) || '=' ELSE coalesce(p8, '') END || ','
    || CASE WHEN substr(p9, 2) = substr(p5, 2) THEN left(p9, 1) || '=' ELSE coalesce(p9, '') END, 'UTF8')
$$;

-- A claim of packed facts: its place and the value of its column.
CREATE FUNCTION claim(kept text[], n integer, value text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN kept[n] <> '' THEN (CASE WHEN length(kept[n]) = 2 THEN left(kept[n], 1) || substr(kept[9], 2) ELSE kept[n] END) || value END
$$;
