-- Imports counts of the Push Notifications Console, element by element of the arrays. A later export of the same hour or day
-- replaces the earlier one, so importing one again changes nothing.
--
-- The counts of a day are by the hour or by the day, as the later export has them: those of the other sort go, as both would be added
-- up. An export is by the hour if any of it begins at another time than midnight. What is known of midnight is a day unless hours
-- are known of that day or the one before: exports by the hour may end anywhere.
CREATE OR REPLACE FUNCTION notilog.import_push_console(
  app_id integer, topic text, environment text, ats timestamptz[], push_types text[], statuses text[], counts bigint[],
  OUT added bigint, OUT changed bigint, OUT unchanged bigint, OUT replaced bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_hourly constant boolean := EXISTS (SELECT FROM unnest(ats) AS g (at) WHERE g.at <> date_trunc('day', g.at, 'UTC'));
BEGIN
  DELETE FROM notilog.push_console c
  USING (SELECT DISTINCT date_trunc('day', g.at, 'UTC') AS day, g.push_type FROM unnest($4, $5) AS g (at, push_type)) d
  WHERE (c.app_id, c.topic, c.environment, c.push_type) = ($1, $2, $3, d.push_type)
    AND c.at >= d.day AND c.at < d.day + interval '24 hours'
    AND is_hourly <> EXISTS (
      SELECT FROM notilog.push_console h
      WHERE (h.app_id, h.topic, h.environment, h.push_type) = ($1, $2, $3, d.push_type) AND h.at <> d.day
        AND h.at > d.day - CASE WHEN is_hourly THEN interval '24 hours' ELSE interval '0' END
        AND h.at < d.day + interval '24 hours')
    AND NOT EXISTS (
      SELECT FROM unnest($4, $5, $6) AS g (at, push_type, status)
      WHERE (g.at, g.push_type, g.status) = (c.at, c.push_type, c.status));
  GET DIAGNOSTICS replaced = ROW_COUNT;
  WITH written AS (
    INSERT INTO notilog.push_console AS c (app_id, at, topic, environment, push_type, status, count)
    SELECT $1, g.at, $2, $3, g.push_type, g.status, g.count
    FROM unnest($4, $5, $6, $7) AS g (at, push_type, status, count)
    ON CONFLICT ON CONSTRAINT push_console_pkey DO UPDATE SET count = excluded.count, imported_at = now()
    WHERE c.count <> excluded.count
    RETURNING xmax = 0 AS is_new
  )
  SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new), cardinality($4) - count(*)
  INTO added, changed, unchanged
  FROM written;
END $$;
