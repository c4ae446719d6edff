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
BEGIN
  PERFORM reporting.row_limit("limit");
  PERFORM reporting.time_zone(tz);
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, accepted);
  IF period.from_at >= period.to_at THEN
    RETURN;
  END IF;
  SELECT array_agg(e ORDER BY e) || late INTO ends
  FROM unnest('{60,300,900,3600,21600,86400,259200,604800,2592000,7776000}'::bigint[]) AS s (seconds),
    LATERAL (SELECT seconds * 1000000 AS e) f
  WHERE e < late;

  RETURN QUERY EXECUTE format($query$
    WITH moment AS MATERIALIZED (   -- each time at which some came to their end, or were last known of
      SELECT * FROM reporting.response_times_counts($1, $2, $3, $5, $6, $8, $10)
    ), %s, kind AS (
      SELECT * FROM unnest('{opened,acted,replied,dismissed,withdrawn,gone}'::text[]) WITH ORDINALITY AS o (outcome, rank)
    ), told AS MATERIALIZED (   -- by a number of their own, as the many moments are sorted by it
      SELECT k.key AS slice, t, outcome, notifications::double precision AS n, dismissals_told
      FROM moment m
      JOIN key k USING (by_1, by_2)
    ), slice AS MATERIALIZED (
      SELECT slice, sum(n) AS followed, max(t) AS last_t, bool_or(dismissals_told) AS dismissals_told
      FROM told
      GROUP BY slice
    ), survival AS MATERIALIZED (   -- how many were open at each, and the part that was
      SELECT *, coalesce(exp(sum(ln(1 - ended / nullif(open, ended))) OVER before), 1) AS surviving,
        coalesce(sum(ended / open / nullif(open - ended, 0)) OVER before, 0) AS hazard_variance
      FROM (
        SELECT m.*, width_bucket(t - 1, $4) AS slot,
          s.followed - sum(m.followed) OVER (PARTITION BY slice ORDER BY t) + m.followed AS open
        FROM (
          SELECT slice, t, sum(n) AS followed, coalesce(sum(n) FILTER (WHERE outcome IS NOT NULL), 0) AS ended
          FROM told
          GROUP BY slice, t
        ) m
        JOIN slice s USING (slice)
      ) known
      WINDOW before AS (PARTITION BY slice ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ), step AS (   -- of each outcome's incidence: every time at which any came to it
      SELECT slice, slot, o.rank, o.ended, open, surviving, surviving * o.ended / open AS rise,
        sum(surviving * o.ended / open) OVER own AS incidence, hazard_variance - lag(hazard_variance, 1, 0) OVER own AS added
      FROM survival
      JOIN (SELECT slice, t, rank, sum(n) AS ended FROM told JOIN kind USING (outcome) GROUP BY slice, t, rank HAVING sum(n) > 0) o
        USING (slice, t)
      WINDOW own AS (PARTITION BY slice, o.rank ORDER BY t)
    ), gained AS (
      -- The variance's sums, such that it can be told at the end of any stretch: between two endings of its own kind an
      -- outcome's incidence is constant, and so is (incidence at the end - incidence then)^2, by which every ending counts.
      SELECT slice, rank, slot, sum(ended)::bigint AS ended, sum(rise) AS incidence, sum(added) AS a0,
        sum(added * (incidence - rise)) AS a1, sum(added * (incidence - rise) ^ 2) AS a2,
        sum(surviving ^ 2 * ended * (open - ended) / open ^ 3) AS b, sum(rise / open) AS c0, sum(rise / open * incidence) AS c1
      FROM step
      GROUP BY slice, rank, slot
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
      CROSS JOIN kind o
      LEFT JOIN gained g ON (g.slice, g.rank, g.slot) = (s.slice, o.rank, s.slot)
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
    ORDER BY slice > $9, nullif(by_1, '') COLLATE "C" NULLS LAST, nullif(by_2, '') COLLATE "C" NULLS LAST, rank, slot
  $query$, CASE WHEN dimensions && reporting.own_dimensions(app_number) THEN reporting.keys('(
      SELECT by_1, by_2, coalesce(r.requested, 0) AS requested
      FROM (SELECT DISTINCT by_1, by_2 FROM moment) m
      LEFT JOIN reporting.requested_counts($1, ARRAY[$3], ARRAY[$5], $2, $8) r USING (by_1, by_2)) asked', '{by_1,by_2}', 'requested', '$9')
    ELSE reporting.keys('moment', '{by_1,by_2}', 'notifications', '$9') END)
  USING app_number, dimensions, period.from_at, ends, period.to_at, asked.length,
    (SELECT bool_or(c.gone_told) FROM reporting.response_times_sweep_counts(app_number) c), filters, "limit", as_of;
END $$;
