-- What the Push Notifications Console counted within [from, to), by the stage of the funnel that it tells of: what APNs
-- received is accepted; what it delivered, at once or from storage, is delivered, and what it stored or discarded stands
-- beside that, as any status does that is not known. No row for a stage that no export speaks of.
CREATE OR REPLACE FUNCTION reporting.push_console(app_number integer, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (stage text, pushes bigint, by_status jsonb)
LANGUAGE sql STABLE AS $$
  SELECT stage, coalesce(sum(pushes) FILTER (WHERE status ~* '^(received|delivered)'), 0)::bigint, jsonb_object_agg(status, pushes)
  FROM (
    SELECT CASE WHEN c.status ~* '^received' THEN 'accepted' ELSE 'delivered' END AS stage, c.status, sum(c.count)::bigint AS pushes
    FROM notilog.push_console c
    WHERE c.app_id = $1 AND c.at >= $2 AND c.at < $3
    GROUP BY 1, 2
  ) counted
  GROUP BY stage
$$;
