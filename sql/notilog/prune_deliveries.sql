-- Deletes deliveries that ended 400 days ago, some at a time. Returns how many.
CREATE OR REPLACE FUNCTION notilog.prune_deliveries(most integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    DELETE FROM notilog.delivery d
    WHERE d.delivery_id IN (SELECT o.delivery_id FROM notilog.delivery o WHERE o.ended_at < now() - interval '400 days' LIMIT most)
    RETURNING 1
  )
  SELECT count(*) FROM gone
$$;
