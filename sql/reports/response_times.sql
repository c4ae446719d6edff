-- report: response_times
-- purpose: How soon notifications get an outcome, and which: the cumulative incidence of each outcome, one row per value of
--   the dimensions in `by`, outcome and period of time since shown_at. The outcomes compete: only the first of a notification
--   counts. A notification that is still open is censored at as_of, or at the window's end, and not dropped (Aalen–Johansen).
--   It covers reached notifications with a known shown_at. Times are exact for those younger than `window`, whose censoring
--   they are compared with; those of the others count as the middle of their latency bucket, within 5 % of it. Groups beyond
--   `limit` are together in `other`.
-- reads: notification, notification_ending, cohort
-- by rows: notifications younger than window; all with `by` other than none and category, with filters other than category,
--   or with another window than PT1M, PT5M, PT15M, PT1H, PT6H, P1D, P3D, P7D, P30D, P90D and P400D
--
-- parameter: by | The groups whose outcomes are compared
-- parameter: from
-- parameter: to
-- parameter: tz | Time zone of dates
-- parameter: window | How long notifications are followed
-- parameter: mature
-- parameter: limit | How many groups have rows of their own: those with the most notifications followed, by one of the app's
--   own dimensions those with the most requested; all others are followed as one group, `other`
-- filters: $notification_dimensions
-- table: by_1, by_2, outcome, since, until, incidence, notifications, at_risk, censored, incidence_low, incidence_high
--
-- column: by_1 | text | | The first dimension; null if the notification carried none
-- column: by_2 | text | | The second dimension; null if the notification carried none
-- column: other | boolean | | True in the rows of all groups beyond `limit`; their dimensions are null
-- column: outcome | text | | opened, acted, replied (the first action), dismissed, withdrawn (removed by the app after
--   delivery), gone (a sweep no longer found it in the delivered list: cleared, most often by the person)
-- column: since | double precision | seconds | Start of the period, after shown_at
-- column: until | double precision | seconds | Its end: 1, 5 and 15 min, 1 and 6 h, 1, 3, 7, 30, 90 and 400 days, up to
--   window, and window
-- column: at_risk | bigint | notifications | Still open at the start of the period, and followed beyond it
-- column: notifications | bigint | notifications | With this outcome in the period; null if iOS reports none
-- column: censored | bigint | notifications | Still open when last observed, in the period, whatever the outcome
-- column: incidence | double precision | fraction | Share of all notifications with this outcome by the end of the period;
--   null if none was followed so far, and for dismissals if iOS reports none. If it reports some, a lower bound
-- column: incidence_low | double precision | fraction | Lower bound of its 95 % interval (delta method on log(-log); at 0 and 1
--   Wilson's, with as many trials as were not censored), which assumes independent notifications
-- column: incidence_high | double precision | fraction | Upper bound of the same
CREATE OR REPLACE FUNCTION report.response_times(
  app text, "by" text[] DEFAULT '{category}', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000,
  as_of timestamptz DEFAULT now())
RETURNS TABLE (
  by_1 text, by_2 text, other boolean, outcome text, since double precision, until double precision, at_risk bigint,
  notifications bigint, censored bigint, incidence double precision, incidence_low double precision,
  incidence_high double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  dimensions text[] := reporting.dimensions("by", accepted);
  asked      record := reporting.window_buckets("window");
  late       bigint := asked.microseconds;
  period     record;
  ends       bigint[];   -- of the stretches, in microseconds
  bounds     bigint[] := projection.outcome_bounds(asked.bounds);
  middles    bigint[];   -- what a latency counts as, by the number of its bucket
  whole_from timestamptz;   -- the days that cohort_outcome answers
  whole_to   timestamptz;
  followed_to timestamptz;   -- the day up to which all that was shown was followed for the whole window
  has_endings boolean := reporting.has_column('projection.notification', 'removed_at');
  conditions text;
  rollup     text := '';
BEGIN
  PERFORM reporting.row_limit("limit");
  PERFORM reporting.time_zone(tz);
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  followed_to := date_bin('1 day', as_of - asked.length, 'epoch');
  conditions := reporting.row_filter(filters, accepted, '$16');
  SELECT array_agg(e ORDER BY e) || late INTO ends
  FROM unnest('{60,300,900,3600,21600,86400,259200,604800,2592000,7776000}'::bigint[]) AS s (seconds),
    LATERAL (SELECT seconds * 1000000 AS e) f
  WHERE e < late;
  SELECT array_agg(CASE number WHEN 1 THEN 0 ELSE sqrt(low::double precision * high)::bigint END ORDER BY number) INTO middles
  FROM (SELECT number, lag(bound) OVER (ORDER BY number) AS low, bound AS high FROM unnest(bounds) WITH ORDINALITY AS b (bound, number)) bucket;
  IF to_regclass('projection.cohort_outcome') IS NOT NULL AND dimensions <@ '{category}' AND filters - 'category' = '{}'
    AND late = ANY (bounds) THEN
    SELECT r.from_at, r.to_at INTO whole_from, whole_to
    FROM reporting.rollup_ranges(ARRAY[period.from_at, period.to_at], '{day}') r
    WHERE r.grain = 'day';
  END IF;
  IF whole_from IS NULL THEN
    whole_from := period.to_at;
    whole_to := period.to_at;
  ELSE
    rollup := $query$
      UNION ALL
      SELECT CASE WHEN $15 = '{category}' THEN category ELSE '' END, '',
        CASE WHEN is_ended THEN $14[latency + 1] ELSE $5 END, CASE WHEN is_ended THEN outcome END, is_observable,
        notifications, NULL
      FROM (
        SELECT c.category, c.outcome, c.latency, sum(c.notifications)::double precision AS notifications,
          sum(c.dismiss_observable) > 0 AS is_observable, c.outcome <> '' AND c.latency < array_position($13, $5) AS is_ended
        FROM projection.cohort_outcome c
        WHERE c.app_id = $1 AND c.bucket >= $10 AND c.bucket < $11 AND c.shown_day < $12
          AND reporting.matches(c.category, $16, 'category')
        GROUP BY 1, 2, 3
      ) c
      $query$;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH moment AS MATERIALIZED (   -- each time at which some came to their end, or were last known of
      SELECT by_1, by_2, t, sum(n)::bigint AS followed, coalesce(sum(n) FILTER (WHERE outcome IS NOT NULL), 0)::bigint AS ended,
        coalesce(sum(n) FILTER (WHERE outcome = 'opened'), 0)::bigint AS opened,
        coalesce(sum(n) FILTER (WHERE outcome = 'acted'), 0)::bigint AS acted,
        coalesce(sum(n) FILTER (WHERE outcome = 'replied'), 0)::bigint AS replied,
        coalesce(sum(n) FILTER (WHERE outcome = 'dismissed'), 0)::bigint AS dismissed,
        coalesce(sum(n) FILTER (WHERE outcome = 'withdrawn'), 0)::bigint AS withdrawn,
        coalesce(sum(n) FILTER (WHERE outcome = 'gone'), 0)::bigint AS gone, bool_or(dismiss_observable) AS dismissals_told
      FROM (
        -- Followed until the first outcome, the window's end or as_of, whatever comes first.
        SELECT by_1, by_2,
          CASE
            WHEN ended_at <= known_at AND shown_at <= $8 THEN least($14[width_bucket(took - 1, $13) + 1], $5)
            WHEN ended_at <= known_at THEN took
            WHEN shown_at <= $8 THEN $5
            ELSE (date_part('epoch', $6 - shown_at) * 1000000)::bigint
          END AS t,
          CASE
            WHEN ended_at IS NULL OR ended_at > known_at THEN NULL
            WHEN ended_at = responded_at THEN action
            WHEN ended_at = dismissed_at THEN 'dismissed'
            WHEN ended_at = removed_at THEN 'withdrawn'
            ELSE 'gone'
          END AS outcome, dismiss_observable, 1::double precision AS n,
          -- A volatile column keeps the planner from knowing better: by the columns that t is made of it takes nearly
          -- every notification for one of its own kind, and sorts them all.
          clock_timestamp()
        FROM (
          SELECT *, greatest((date_part('epoch', ended_at - shown_at) * 1000000)::bigint, 0) AS took
          FROM (
            SELECT %1$s AS by_1, %2$s AS by_2, n.dismiss_observable,
              CASE WHEN n.opened THEN 'opened' WHEN n.replied THEN 'replied' ELSE 'acted' END AS action, n.responded_at, n.dismissed_at,
              %5$s.removed_at, least(n.responded_at, n.dismissed_at, %5$s.removed_at, %5$s.gone_at) AS ended_at,
              n.shown_at, least($6, n.shown_at + $5 * interval '1 microsecond') AS known_at
            FROM (   -- outside the days of the rollup; in them those that it does not count, found by their cohort or, if late, otherwise
              SELECT * FROM projection.notification n WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $10
              UNION ALL
              SELECT * FROM projection.notification n WHERE n.app_id = $1 AND n.cohort_at >= $11 AND n.cohort_at < $3
              UNION ALL
              SELECT *
              FROM projection.notification n
              WHERE n.app_id = $1 AND n.cohort_at >= greatest($10, $12 - interval '24 hours') AND n.cohort_at < $11
                AND n.shown_at >= $12 AND n.shown_at - n.cohort_at < interval '24 hours'
              UNION ALL
              SELECT *
              FROM projection.notification n
              WHERE n.app_id = $1 AND n.cohort_at >= $10 AND n.cohort_at < $11 AND n.shown_at >= $12
                AND n.shown_at - n.cohort_at >= interval '24 hours'
            ) n
            %6$s
            WHERE (n.reached_seen OR n.reached_assumed) AND n.shown_at <= $6 AND %3$s
          ) ending
        ) followed
        %7$s
      ) one
      GROUP BY by_1, by_2, t
    ), %4$s, told AS MATERIALIZED (   -- by a number of their own, as the many moments are sorted by it
      SELECT k.key AS slice, t, followed, ended, opened, acted, replied, dismissed, withdrawn, gone, dismissals_told
      FROM moment m
      JOIN key k USING (by_1, by_2)
      WHERE k.key <= $9
      UNION ALL
      SELECT k.key, t, sum(followed)::bigint, sum(ended)::bigint, sum(opened)::bigint, sum(acted)::bigint, sum(replied)::bigint,
        sum(dismissed)::bigint, sum(withdrawn)::bigint, sum(gone)::bigint, bool_or(dismissals_told)
      FROM moment m
      JOIN key k USING (by_1, by_2)
      WHERE k.key > $9
      GROUP BY 1, 2
    ), slice AS MATERIALIZED (
      SELECT slice, sum(followed)::double precision AS followed, max(t) AS last_t, bool_or(dismissals_told) AS dismissals_told
      FROM told
      GROUP BY slice
    ), survival AS MATERIALIZED (   -- how many were open at each, and the part that was
      SELECT *, coalesce(exp(sum(ln(1 - ended / nullif(open, ended))) OVER before), 1) AS surviving,
        coalesce(sum(ended / open / nullif(open - ended, 0)) OVER before, 0) AS hazard_variance
      FROM (
        SELECT m.*, width_bucket(t - 1, $4) AS slot,
          s.followed - sum(m.followed::double precision) OVER (PARTITION BY slice ORDER BY t) + m.followed AS open
        FROM told m
        JOIN slice s USING (slice)
      ) known
      WINDOW before AS (PARTITION BY slice ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ), step AS (   -- of each outcome's incidence: every time at which any came to it
      SELECT slice, slot, o.outcome, o.ended, open, surviving, surviving * o.ended / open AS rise,
        sum(surviving * o.ended / open) OVER own AS incidence, hazard_variance - lag(hazard_variance, 1, 0) OVER own AS added
      FROM survival
      CROSS JOIN LATERAL (
        VALUES (1, opened), (2, acted), (3, replied), (4, dismissed), (5, withdrawn), (6, gone)
      ) AS o (outcome, ended)
      WHERE o.ended > 0
      WINDOW own AS (PARTITION BY slice, o.outcome ORDER BY t)
    ), gained AS (
      -- The variance's sums, such that it can be told at the end of any stretch: between two endings of its own kind an
      -- outcome's incidence is constant, and so is (incidence at the end - incidence then)^2, by which every ending counts.
      SELECT slice, outcome, slot, sum(ended)::bigint AS ended, sum(rise) AS incidence, sum(added) AS a0,
        sum(added * (incidence - rise)) AS a1, sum(added * (incidence - rise) ^ 2) AS a2,
        sum(surviving ^ 2 * ended * (open - ended) / open ^ 3) AS b, sum(rise / open) AS c0, sum(rise / open * incidence) AS c1
      FROM step
      GROUP BY slice, outcome, slot
    ), stretch AS (
      SELECT s.*, slot, coalesce(c.censored, 0) AS censored, s.followed - coalesce(sum(c.seen) OVER before, 0) AS at_risk,
        s.followed - coalesce(sum(c.censored) OVER through, 0) AS decided,
        -- Known as far as anything was followed; for ever where everything has ended.
        s.last_t >= $4[slot + 1] OR bool_or(c.all_ended) OVER (PARTITION BY slice) AS is_known
      FROM slice s
      CROSS JOIN generate_series(0, cardinality($4) - 1) AS slot
      LEFT JOIN (
        SELECT slice, slot, sum(followed) AS seen, sum(followed - ended)::bigint AS censored, bool_or(ended = open) AS all_ended
        FROM survival
        GROUP BY slice, slot
      ) c USING (slice, slot)
      WINDOW before AS (PARTITION BY slice ORDER BY slot ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
        through AS (PARTITION BY slice ORDER BY slot)
    ), curve AS (
      SELECT s.*, o.outcome, o.rank, coalesce(g.ended, 0) AS ended,
        CASE WHEN o.outcome = 'dismissed' THEN s.dismissals_told WHEN o.outcome = 'gone' THEN $7 ELSE true END
          OR sum(g.ended) OVER (PARTITION BY s.slice, o.rank) > 0 AS is_told,
        -- Rounding leaves a hair's breadth to 1, on either side, over which the bounds would go beyond all numbers.
        CASE WHEN sum(g.incidence) OVER until > 1 - 1e-12 THEN 1 ELSE coalesce(sum(g.incidence) OVER until, 0) END AS incidence,
        sum(g.a0) OVER until AS a0, sum(g.a1) OVER until AS a1, sum(g.a2) OVER until AS a2, sum(g.b) OVER until AS b,
        sum(g.c0) OVER until AS c0, sum(g.c1) OVER until AS c1
      FROM stretch s
      CROSS JOIN unnest('{opened,acted,replied,dismissed,withdrawn,gone}'::text[]) WITH ORDINALITY AS o (outcome, rank)
      LEFT JOIN gained g ON (g.slice, g.outcome, g.slot) = (s.slice, o.rank, s.slot)
      WINDOW until AS (PARTITION BY s.slice, o.rank ORDER BY s.slot)
    )
    SELECT nullif(by_1, ''), nullif(by_2, ''), slice > $9, outcome, coalesce($4[slot], 0) / 1e6::double precision,
      $4[slot + 1] / 1e6::double precision, at_risk::bigint, CASE WHEN is_told THEN ended END, censored, f,
      CASE WHEN f > 0 AND f < 1 THEN f ^ exp(1.959963984540054 * error / (f * -ln(f))) ELSE w.low END,
      CASE WHEN f > 0 AND f < 1 THEN f ^ exp(-1.959963984540054 * error / (f * -ln(f))) ELSE w.high END, (SELECT count(*) FROM key)
    FROM (
      SELECT *, CASE WHEN is_told AND is_known THEN incidence END AS f,
        sqrt(greatest(incidence ^ 2 * a0 - 2 * incidence * a1 + a2 + b - 2 * (incidence * c0 - c1), 0)) AS error
      FROM curve
    ) whole
    LEFT JOIN (SELECT * FROM key WHERE key <= $9) k ON k.key = slice
    CROSS JOIN LATERAL reporting.score_interval(CASE WHEN f IN (0, 1) THEN f END, decided) w
    ORDER BY slice > $9, nullif(by_1, '') NULLS LAST, nullif(by_2, '') NULLS LAST, rank, slot
  $query$, reporting.dimension_key(dimensions, 1), reporting.dimension_key(dimensions, 2),
    conditions,
    CASE WHEN dimensions && reporting.own_dimensions(app_number) THEN reporting.keys('(
      SELECT by_1, by_2, coalesce(r.requested, 0) AS requested
      FROM (SELECT DISTINCT by_1, by_2 FROM moment) m
      LEFT JOIN reporting.requested($1, ARRAY[$2], ARRAY[$3], $15, $16) r USING (by_1, by_2)) asked', '{by_1,by_2}', 'requested', '$9')
    ELSE reporting.keys('moment', '{by_1,by_2}', 'followed', '$9') END, CASE WHEN has_endings THEN 'n' ELSE 'e' END,
    CASE WHEN NOT has_endings THEN
      'LEFT JOIN (SELECT * FROM projection.notification_ending WHERE app_id = $1 AND (removed_at IS NOT NULL OR gone_at IS NOT NULL)) e
       USING (device_id, notification_id, occurrence)' END, rollup)
  USING app_number, period.from_at, period.to_at, ends, late, as_of,
    EXISTS (SELECT FROM projection.notification_ending e WHERE e.app_id = app_number AND e.gone_at IS NOT NULL),
    as_of - asked.length, "limit", whole_from, whole_to, followed_to, bounds, middles, dimensions, filters;
END $$;
