-- Takes rules that are due, one of an app, the most overdue first: an app whose reports are slow holds up its own alone. Each is
-- this service's for some minutes, and due again then if nothing is heard of it.
CREATE OR REPLACE FUNCTION notilog.claim_alert_rules(most integer) RETURNS SETOF notilog.alert_rule_row
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claimed bigint[];
BEGIN
  WITH due AS (
    SELECT DISTINCT ON (r.app_id) r.rule_id, r.due_at
    FROM notilog.alert_rule r
    -- A store that took over does it.
    WHERE r.due_at <= now() AND NOT (SELECT s.closed FROM log.state s)
    ORDER BY r.app_id, r.due_at, r.rule_id
  ), free AS (
    SELECT r.rule_id
    FROM notilog.alert_rule r
    WHERE r.rule_id IN (SELECT due.rule_id FROM due ORDER BY due.due_at LIMIT most) AND r.due_at <= now()
    FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE notilog.alert_rule r
    SET due_at = now() + interval '3 minutes'
    FROM free f
    WHERE r.rule_id = f.rule_id
    RETURNING r.rule_id
  )
  SELECT array_agg(t.rule_id) INTO claimed FROM taken t;
  -- In a statement of its own: it sees what another service wrote before the rules were locked.
  RETURN QUERY SELECT r.* FROM notilog.alert_rule_row r WHERE r.rule_id = ANY (claimed);
END $$;
