-- The time zone of a saved view, by its parameters.
CREATE OR REPLACE FUNCTION notilog.view_tz(parameters jsonb) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(parameters #>> '{tz,0}', 'UTC')
$$;

-- The digests as services take them. `last_error` is why one could not be made, else why the newest is not delivered.
CREATE OR REPLACE VIEW notilog.digest_row AS
SELECT d.digest_id, a.name AS app_name, d.view, d.weekday,
  to_char(d.at, 'HH24:MI') AS at,   -- the time of day at which it is due, in tz
  d.receiver, d.due_at, notilog.view_tz(v.parameters) AS tz, v.report, v.parameters, d.made_at,
  coalesce(d.last_error, (
    SELECT 'not delivered: ' || y.last_error FROM notilog.delivery y WHERE y.digest_id = d.digest_id
    ORDER BY y.created_at DESC LIMIT 1)) AS last_error,
  d.app_id
FROM notilog.digest d
JOIN notilog.app a USING (app_id)
JOIN notilog.saved_view v ON (v.app_id, v.name) = (d.app_id, d.view);
