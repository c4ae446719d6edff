-- The newest deliveries of an app: of its rules of alerts, or of its digests. `source` is the rule's name, or the digest's view.
CREATE OR REPLACE FUNCTION notilog.deliveries(app integer, of_digests boolean, most integer)
RETURNS TABLE (delivery_id uuid, source text, day date, receiver text, state text, attempts integer, next_at timestamptz, last_error text,
  created_at timestamptz, ended_at timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT d.delivery_id, coalesce(r.name, g.view), d.day, d.receiver, d.state, d.attempts, d.next_at, d.last_error, d.created_at, d.ended_at
  FROM notilog.delivery d
  LEFT JOIN notilog.alert_rule r USING (rule_id)
  LEFT JOIN notilog.digest g USING (digest_id)
  WHERE d.app_id = app AND (d.digest_id IS NOT NULL) = of_digests
  ORDER BY d.created_at DESC, d.delivery_id
  LIMIT most
$$;
