-- The first `limit` notifications after a cursor, newest first: what the list notifications gives.
--
-- `turned_off` are the settings of which those listed bear a share, null for any notification. A notification is immature from
-- `immature_from` on, if it was reached. `occurrence` is null for what does not repeat.
CREATE OR REPLACE FUNCTION reporting.notifications_counts(
  app_number integer, state text, action text, turned_off text[], from_at timestamptz, to_at timestamptz, immature_from timestamptz,
  "limit" integer, cursor text, filters jsonb, as_of timestamptz)
RETURNS TABLE (
  cohort_at timestamptz, device_id text, notification_id text, occurrence timestamptz, outcome text, reached text,
  first_action text, category text, campaign text, variant text, trigger text, interruption_level text, platform text,
  os_version text, app_version text, locale text, shown_at timestamptz, responded_at timestamptz,
  dismissed_at timestamptz, immature boolean, opt_out_share double precision)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  previous   record := reporting.notifications_after(cursor);   -- where the page before ended
  conditions text;
  page       text;
  -- The rollup's columns that hold those of the state, and those that the action was taken on.
  counted    text := CASE state WHEN 'any' THEN 'notifications' WHEN 'unanswered' THEN 'reached' WHEN 'immature' THEN 'reached' ELSE state END;
  taken      text := CASE WHEN action = 'dismiss' THEN 'dismissed' WHEN action IS NOT NULL THEN 'responded' END;
  slice      record;
  slices     timestamptz[] := '{}';
  expected   bigint := 0;   -- notifications that the rollup has in `slices`, before filters that it does not know
  needed     bigint := "limit";
  given      bigint := 0;
  added      bigint;
BEGIN
  -- What was done is text, so that the planner can join it: under OR it could not.
  conditions := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$12')
    || CASE WHEN action <> 'dismiss' THEN ' AND n.responded AND EXISTS (SELECT FROM projection.notification_action a
        WHERE (a.app_id, a.device_id, a.notification_id, a.occurrence, a.action_id)
          = (n.app_id, n.device_id, n.notification_id, n.occurrence, $6))' ELSE '' END;

  -- A page of those in one slice of time, or among those that people turned something down after.
  page := format($query$
      SELECT n.cohort_at, n.device_id, n.notification_id, nullif(n.occurrence, '-infinity') AS occurrence,
        CASE WHEN n.replied THEN 'replied' WHEN n.acted THEN 'acted' WHEN n.opened THEN 'opened' WHEN n.dismissed THEN 'dismissed'
          WHEN n.failed THEN 'failed' WHEN n.withdrawn THEN 'withdrawn' WHEN n.suppressed THEN 'suppressed'
          WHEN n.silent THEN 'silent' WHEN n.presented THEN 'presented' WHEN n.delivered THEN 'delivered' ELSE 'requested' END,
        CASE WHEN n.reached_seen THEN 'seen' WHEN n.reached_assumed THEN 'assumed' END,
        n.action_id, n.category, n.campaign, n.variant, n.trigger, n.interruption_level, n.platform, n.os_version,
        n.app_version, n.locale, n.shown_at, n.responded_at, n.dismissed_at,
        (n.reached_seen OR n.reached_assumed) AND n.cohort_at >= $5, %1$s
      FROM projection.notification n
      %2$s
      WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND %3$s AND %4$s
        AND CASE $11 WHEN 'any' THEN true WHEN 'requested' THEN n.requested WHEN 'failed' THEN n.failed
          WHEN 'reached' THEN n.reached_seen OR n.reached_assumed WHEN 'reached_seen' THEN n.reached_seen
          WHEN 'reached_assumed' THEN n.reached_assumed
          WHEN 'unanswered' THEN (n.reached_seen OR n.reached_assumed) AND NOT n.responded AND NOT n.dismissed
          WHEN 'immature' THEN (n.reached_seen OR n.reached_assumed) AND n.cohort_at >= $5
          WHEN 'delivered' THEN n.delivered WHEN 'delivered_seen' THEN n.delivery_at IS NOT NULL
          WHEN 'presented' THEN n.presented WHEN 'presented_seen' THEN n.showed WHEN 'suppressed' THEN n.suppressed
          WHEN 'silent' THEN n.silent WHEN 'responded' THEN n.responded WHEN 'opened' THEN n.opened
          WHEN 'acted' THEN n.acted WHEN 'replied' THEN n.replied WHEN 'app_opened' THEN n.app_opened
          WHEN 'dismissed' THEN n.dismissed WHEN 'withdrawn' THEN n.withdrawn WHEN 'response_only' THEN n.response_only
          WHEN 'dismiss_observable' THEN n.dismiss_observable WHEN 'delivery_observable' THEN n.delivery_observable END
        -- What is known only by a response stands apart in `actions`, and is listed by its own state.
        AND ($6 IS NULL OR $11 = 'response_only' OR NOT n.response_only)
        AND ($6 IS DISTINCT FROM 'dismiss' OR n.dismissed)
        AND ($7 IS NULL OR (n.cohort_at <= $7
          AND (n.cohort_at, n.device_id, n.notification_id, n.occurrence) < ($7, $8, $9, $10)))
      ORDER BY n.cohort_at DESC, n.device_id DESC, n.notification_id DESC, n.occurrence DESC
      LIMIT $4
    $query$,
    CASE WHEN turned_off IS NULL THEN 'NULL::double precision' ELSE 's.share::double precision' END,
    CASE WHEN turned_off IS NOT NULL THEN 'JOIN (
        SELECT s.device_id, s.notification_id, s.occurrence, sum(s.share) AS share
        FROM reporting.setting_shares($1, $14, $2, $13, true) s
        WHERE s.cohort_at >= $2 AND s.cohort_at < $3
        GROUP BY 1, 2, 3
      ) s USING (device_id, notification_id, occurrence)' ELSE '' END,
    CASE WHEN turned_off IS NULL THEN 'n.cohort_at >= s.begins AND n.cohort_at < s.begins + interval ''15 minutes''' ELSE 'true' END,
    conditions);
  IF turned_off IS NOT NULL THEN
    RETURN QUERY EXECUTE page
    USING app_number, from_at, to_at, "limit", immature_from, action,
      previous.cohort_at, previous.device_id, previous.notification_id, previous.occurrence, state, filters, as_of, turned_off;
    RETURN;
  END IF;

  -- The rollup tells in which days, and in which of their quarter hours, there is anything to find: a page of what is rare
  -- reads no more of the table than a page of what is common.
  page := 'SELECT n.* FROM unnest($13::timestamptz[]) AS s (begins) CROSS JOIN LATERAL (' || page || ') n
    ORDER BY n.cohort_at DESC, n.device_id DESC, n.notification_id DESC, n.occurrence DESC NULLS LAST
    LIMIT $4';
  FOR slice IN EXECUTE format($query$
      SELECT q.begins, q.expected
      FROM (
        SELECT e.bucket AS begins
        FROM projection.engagement e
        WHERE e.app_id = $1 AND e.dimension = '' AND e.grain = 'day' AND e.bucket > $2 - interval '24 hours' AND e.bucket < $3
          AND e.bucket <= coalesce($4, 'infinity') AND e.%1$I > 0 AND e.%2$I > 0
          AND reporting.matches(e.category, $6, 'category')
        GROUP BY e.bucket
      ) day
      CROSS JOIN LATERAL (
        SELECT e.bucket AS begins, sum(e.%1$I)::bigint AS expected
        FROM projection.engagement e
        WHERE e.app_id = $1 AND e.dimension = '' AND e.grain = 'quarter_hour'
          AND e.bucket >= day.begins AND e.bucket < day.begins + interval '24 hours'
          AND e.bucket > $2 - interval '15 minutes' AND e.bucket < $3
          AND e.bucket <= coalesce($4, 'infinity') AND e.%1$I > 0 AND e.%2$I > 0
          AND reporting.matches(e.category, $6, 'category')
        GROUP BY e.bucket
      ) q
      WHERE %3$s
      ORDER BY day.begins DESC, q.begins DESC
    $query$,
    -- Columns of the rollup, by name: each would be a CASE over all of them.
    coalesce(taken, counted), counted,
    -- Days without any of the values that a filter takes, as far as the rollup has them. Each is a join of its own: so
    -- nothing is read of the days where there are no such values at all.
    coalesce((
      SELECT string_agg(format('EXISTS (SELECT FROM projection.engagement f
        WHERE f.app_id = $1 AND f.dimension = %1$L AND f.grain = ''day'' AND f.bucket = day.begins
          AND f.value = ANY (reporting.accepted($6, %1$L)))', name), ' AND ')
      FROM jsonb_object_keys(filters) AS name
      WHERE name <> 'category' AND name <> ALL (reporting.row_dimensions(app_number))), 'true')
    -- Quarter hours without anything that the action was taken on.
    || CASE WHEN action <> 'dismiss' AND to_regclass('projection.cohort_action') IS NOT NULL THEN ' AND EXISTS (
        SELECT FROM projection.cohort_action a
        WHERE a.app_id = $1 AND a.cohort_at >= q.begins AND a.cohort_at < q.begins + interval ''15 minutes''
          AND a.action_id = $5 AND NOT a.is_dismissal)' ELSE '' END)
  USING app_number, from_at, to_at, previous.cohort_at, action, filters
  LOOP
    slices := slices || slice.begins;
    expected := expected + slice.expected;
    CONTINUE WHEN expected < needed;
    RETURN QUERY EXECUTE page
    USING app_number, from_at, to_at, "limit" - given, immature_from, action,
      previous.cohort_at, previous.device_id, previous.notification_id, previous.occurrence, state, filters, slices;
    GET DIAGNOSTICS added = ROW_COUNT;
    given := given + added;
    EXIT WHEN given >= "limit";
    -- Other filters let few through, so take more at a time.
    needed := needed * 4;
    slices := '{}';
    expected := 0;
  END LOOP;
  IF given < "limit" AND slices <> '{}' THEN
    RETURN QUERY EXECUTE page
    USING app_number, from_at, to_at, "limit" - given, immature_from, action,
      previous.cohort_at, previous.device_id, previous.notification_id, previous.occurrence, state, filters, slices;
  END IF;
END $$;
