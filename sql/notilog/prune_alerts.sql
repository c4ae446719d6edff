-- Deletes alerts that were resolved 400 days ago, some at a time. Returns how many.
CREATE OR REPLACE FUNCTION notilog.prune_alerts(most integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    DELETE FROM notilog.alert a
    WHERE a.alert_id IN (SELECT o.alert_id FROM notilog.alert o WHERE o.resolved_at < now() - interval '400 days' LIMIT most)
    RETURNING 1
  )
  SELECT count(*) FROM gone
$$;
