-- Imports counts of the Push Notifications Console, element by element of the arrays. A later export of the same hour or day
-- replaces the earlier one, so importing one again changes nothing.
CREATE OR REPLACE FUNCTION notilog.import_push_console(
  app_id integer, topic text, environment text, ats timestamptz[], push_types text[], statuses text[], counts bigint[],
  OUT added bigint, OUT changed bigint, OUT unchanged bigint)
LANGUAGE sql AS $$
  WITH written AS (
    INSERT INTO notilog.push_console AS c (app_id, at, topic, environment, push_type, status, count)
    SELECT $1, g.at, $2, $3, g.push_type, g.status, g.count
    FROM unnest($4, $5, $6, $7) AS g (at, push_type, status, count)
    ON CONFLICT ON CONSTRAINT push_console_pkey DO UPDATE SET count = excluded.count, imported_at = now()
    WHERE c.count <> excluded.count
    RETURNING xmax = 0 AS is_new
  )
  SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new), cardinality($4) - count(*) FROM written
$$;
