-- Alerting notifications by the class that the settings in force put them in: what the report reachability counts.
--
-- `starts` are where the intervals of the range start, `slot` their number from 1. `by_1` and `by_2` are the values of `dimensions`, ''
-- for null, or where there is no such dimension. `window` is the time to respond, its days of 24 hours.
--
-- What classes the rollup counts does not depend on tokens: pushes that went to ended tokens alone are taken from their classes one by
-- one. Another group of projections keeps their requests; those of a token that has too many are looked for in the log.
CREATE OR REPLACE FUNCTION reporting.reachability_counts(
  app_number integer, dimensions text[], starts timestamptz[], from_at timestamptz, to_at timestamptz, "window" interval, filters jsonb)
RETURNS TABLE (slot integer, by_1 text, by_2 text, class text, notifications bigint, reached bigint, engaged bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
-- Without sequential scans, as the planner cannot know how little the edges of the range are; and without nested loops,
-- but where nothing else is possible, as it cannot know how many notifications there are.
DECLARE
  conditions text := reporting.row_filter(filters, reporting.notification_dimensions(app_number), '$6');
  within     integer := reporting.window_slot("window");   -- where the rollup answers it
  ends       boolean := reporting.has_column('projection.token_end', 'ended_at');
  kept       boolean := reporting.has_column('projection.token_request', 'due_at');   -- the requests, but for those of tokens with too many
  ranges     record;
  rollup     text := '';
BEGIN
  IF dimensions <@ '{category}' AND filters - 'category' = '{}' AND within IS NOT NULL
    AND to_regclass('projection.cohort_reach') IS NOT NULL THEN
    rollup := format($query$
      UNION ALL
      SELECT width_bucket(c.bucket, $2), reporting.rollup_key($7, 1, c.category, ''), reporting.rollup_key($7, 2, c.category, ''),
        c.class, sum(c.notifications)::bigint, sum(c.reached)::bigint, sum(c.%I)::bigint
      FROM range r
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a range
        SELECT * FROM projection.cohort_reach c WHERE c.app_id = $1 AND c.bucket >= r.from_at AND c.bucket < r.to_at OFFSET 0
      ) c
      WHERE r.grain = 'day' AND reporting.matches(c.category, $6, 'category')
      GROUP BY 1, 2, 3, 4
      $query$, ('{within_1h,within_6h,within_1d,within_3d,within_7d,within_30d}'::text[])[within]);
  END IF;
  ranges := reporting.ranges(starts || to_at, CASE WHEN rollup <> '' THEN '{day}'::text[] ELSE '{}' END);

  RETURN QUERY EXECUTE format($query$
    WITH range AS MATERIALIZED (
      SELECT * FROM unnest($8::text[], $9::timestamptz[], $10::timestamptz[]) AS r (grain, from_at, to_at)
    ), edge AS MATERIALIZED (   -- by sort of settings: the class is found once for each, not for each notification
      SELECT reporting.slot(n.cohort_at, $2) AS slot, %1$s AS by_1, %2$s AS by_2, %3$s AS settings,
        n.interruption_level AS level, count(*) AS notifications,
        count(*) FILTER (WHERE n.reached_seen OR n.reached_assumed) AS reached,
        count(*) FILTER (WHERE (n.reached_seen OR n.reached_assumed)
          AND n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $5) AS engaged
      FROM range r
      %6$s
      WHERE r.grain = 'none' AND n.requested AND projection.is_alerting(n) AND %4$s
      GROUP BY 1, 2, 3, 4, 5
    ), held AS MATERIALIZED (   -- tokens that ever came to an end with a device, and the first one; whether their requests are kept
      %7$s
    ), keyed AS MATERIALIZED (   -- whether the first end was the last, under the only key
      SELECT k.device_id, k.provider, k.type, k.topic, k.environment, k.activity_id, k.token, h.ended_at,
        coalesce(k.ended_at = h.ended_at, false) AND count(*) OVER (PARTITION BY k.device_id, k.token) = 1 AS is_final
      FROM held h
      JOIN projection.device_token k USING (device_id, token)
      WHERE k.app_id = $1
    ), holding AS MATERIALIZED (   -- of the others more has to be known
      SELECT device_id, provider, type, topic, environment, activity_id, token FROM keyed WHERE NOT is_final
    ), event AS MATERIALIZED (   -- OFFSET keeps it to one look-up each
      SELECT e.*
      FROM (SELECT DISTINCT device_id FROM holding) d
      CROSS JOIN LATERAL (
        SELECT * FROM projection.token_event e WHERE e.app_id = $1 AND e.device_id = d.device_id AND e.what = 'registered' OFFSET 0
      ) e
      UNION
      SELECT e.*
      FROM (SELECT DISTINCT token FROM holding) t
      CROSS JOIN LATERAL (SELECT * FROM projection.token_event e WHERE e.app_id = $1 AND e.token = t.token OFFSET 0) e
    ), %8$s, history AS MATERIALIZED (   -- what bore on each since it was registered, and whether that was an end
      SELECT device_id, token, array_agg(at ORDER BY at, by_device, id) AS ats,
        array_agg(what <> 'registered' ORDER BY at, by_device, id) AS ends, min(at) FILTER (WHERE what <> 'registered') AS ended_at
      FROM (
        SELECT *, count(*) FILTER (WHERE what = 'registered') OVER (
          PARTITION BY device_id, provider, type, topic, environment, activity_id, token ORDER BY at, by_device, id) AS registrations
        FROM bearing
        WHERE what <> 'misdirected'
      ) b
      WHERE registrations > 0
      GROUP BY device_id, provider, type, topic, environment, activity_id, token
      UNION ALL
      SELECT device_id, token, ARRAY[ended_at], '{true}', ended_at FROM keyed WHERE is_final
    ), sent AS MATERIALIZED (   -- what may have gone to ended tokens alone, with how many of its requests went to any
      SELECT device_id, notification_id, occurrence, count(*) AS requests, array_agg(DISTINCT token) AS tokens
      FROM (
        SELECT e.device_id, e.token, e.notification_id, coalesce(e.occurrence, '-infinity') AS occurrence
        FROM (   -- once, however many devices had it
          SELECT y.token, min(y.ended_at) AS ended_at FROM history y JOIN held USING (device_id, token) WHERE NOT is_whole GROUP BY 1
        ) t
        CROSS JOIN LATERAL reporting.requests_after($1, t.token, greatest($3, t.ended_at)) e
        JOIN held h ON (h.device_id, h.token, h.is_whole) = (e.device_id, e.token, false)
        WHERE e.token = t.token AND e.notification_id IS NOT NULL AND e.data#>>'{trigger,repeats}' IS DISTINCT FROM 'true'
        %9$s
      ) r
      GROUP BY 1, 2, 3
    ), due AS MATERIALIZED (
      SELECT row_number() OVER () AS number, s.device_id, s.notification_id, s.occurrence, n.cohort_at,
        CASE WHEN n.requests = s.requests THEN s.tokens END AS tokens,
        -- Another request of it went to a token that had not ended, or names none. But one from before the end may be of a push
        -- that is scheduled for a time after it.
        n.requests <> s.requests AND n.scheduled_for IS NOT NULL AS is_open,
        reporting.slot(n.cohort_at, $2) AS slot, %1$s AS by_1, %2$s AS by_2, %3$s AS settings,
        n.interruption_level AS level, (n.reached_seen OR n.reached_assumed)::integer AS reached,
        ((n.reached_seen OR n.reached_assumed)
          AND coalesce(n.responded_at - coalesce(n.shown_at, n.cohort_at) <= $5, false))::integer AS engaged
      FROM sent s
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
        SELECT * FROM projection.notification n
        WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, s.device_id, s.notification_id, s.occurrence)
        OFFSET 0
      ) n
      WHERE n.cohort_at >= $3 AND n.cohort_at < $4 AND n.requested AND n.is_push AND projection.is_alerting(n) AND %4$s
    ), asked AS MATERIALIZED (   -- of these, the tokens of all their requests
      SELECT number, array_agg(DISTINCT token) AS tokens
      FROM (
        SELECT d.number, e.token, e.data, e.data_text
        FROM (SELECT DISTINCT device_id FROM due WHERE is_open) o
        CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up a device, however many pushes it is asked for
          SELECT e.device_id, e.notification_id, coalesce(e.occurrence, '-infinity') AS occurrence, e.token, e.data, e.data_text
          FROM log.event e
          WHERE e.app_id = $1 AND e.device_id = o.device_id AND e.kind = 'request'
          OFFSET 0
        ) e
        JOIN due d ON (d.device_id, d.notification_id, d.occurrence) = (e.device_id, e.notification_id, e.occurrence)
        WHERE d.is_open
        OFFSET 0   -- so that no other request is parsed
      ) r
      WHERE coalesce(data, data_text::jsonb)#>>'{trigger,repeats}' IS DISTINCT FROM 'true'
      GROUP BY number
    ), dead AS MATERIALIZED (   -- by sort of settings, as above
      SELECT slot, by_1, by_2, settings, level, count(*) AS notifications, sum(reached) AS reached, sum(engaged) AS engaged
      FROM due d
      JOIN (
        SELECT number
        FROM (   -- whether a token had ended by then, under every key under which it had been registered
          SELECT d.number, coalesce(bool_and(h.ends[width_bucket(d.cohort_at, h.ats)])
            FILTER (WHERE width_bucket(d.cohort_at, h.ats) > 0), false) AS is_ended
          FROM due d
          LEFT JOIN asked a ON a.number = d.number
          CROSS JOIN LATERAL unnest(coalesce(d.tokens, a.tokens)) AS t (token)
          LEFT JOIN history h ON (h.device_id, h.token) = (d.device_id, t.token)
          GROUP BY d.number, t.token
        ) t
        GROUP BY number
        HAVING bool_and(is_ended)
      ) t USING (number)
      GROUP BY 1, 2, 3, 4, 5
    )
    SELECT slot, by_1, by_2, class, sum(notifications)::bigint, sum(reached)::bigint, sum(engaged)::bigint
    FROM (
      SELECT slot, by_1, by_2, reporting.reach_class(settings, level, false) AS class, notifications, reached, engaged
      FROM edge
      UNION ALL   -- a push to ended tokens is of another class than it would be otherwise
      SELECT slot, by_1, by_2, reporting.reach_class(settings, level, s.is_dead), s.sign * notifications, s.sign * reached, s.sign * engaged
      FROM dead
      CROSS JOIN (VALUES (false, -1), (true, 1)) AS s (is_dead, sign)
      %5$s
    ) every
    GROUP BY 1, 2, 3, 4
    HAVING sum(notifications) > 0
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2), reporting.packed_settings(),
    conditions, rollup, reporting.rows_of_ranges(true),
    CASE WHEN ends THEN format('SELECT t.device_id, t.token, t.ended_at, t.is_whole AND %L AS is_whole FROM projection.token_end t
          WHERE t.app_id = $1 AND t.ended_at < $4', kept)
      ELSE 'SELECT DISTINCT t.device_id, t.token, NULL::timestamptz AS ended_at, false AS is_whole FROM projection.device_token t
          WHERE t.app_id = $1 AND t.registered_at < $4 AND (t.ended_at < $4 OR t.last_registered_at > t.registered_at)' END,
    reporting.bearing_events(),
    CASE WHEN kept THEN $kept$UNION ALL
        SELECT r.device_id, r.token, r.notification_id, r.occurrence
        FROM projection.token_request r
        JOIN held h USING (device_id, token)
        WHERE r.app_id = $1 AND r.due_at >= $3 AND r.notification_id IS NOT NULL AND h.is_whole$kept$ ELSE '' END)
  USING app_number, starts, from_at, to_at, "window", filters, dimensions, ranges.grains, ranges.froms, ranges.tos;
END $$;
