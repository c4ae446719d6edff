-- report: response_times
-- purpose: How soon notifications come to their end, and to which: the cumulative incidence of each outcome, one row per
--   value of the dimensions in `by`, outcome and stretch of time since shown_at. The outcomes compete: only the first of
--   a notification counts. One that is still open is censored at as_of, or at the window's end, and not dropped
--   (Aalen–Johansen). Notifications that were reached and whose shown_at is known.
-- reads: notification, notification_ending
--
-- parameter: by | dimensions | category | none, or one or two of category, requested_category, trigger,
--   interruption_level, campaign, variant, platform, os_version, app_version, locale | What the outcomes are told apart by
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Notifications from then on
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Notifications before then
-- parameter: tz | zone | UTC | an IANA time zone | Whose dates
-- parameter: window | duration | P3D | PT1S to P400D | How long notifications are followed
-- filters: category, requested_category, trigger, interruption_level, campaign, variant, platform, os_version,
--   app_version, locale
-- table: by_1, by_2, outcome, since, until, incidence, notifications, at_risk, censored, incidence_low, incidence_high
--
-- column: by_1 | text | | The first dimension; null where the notification carried none
-- column: by_2 | text | | The second dimension; null where the notification carried none
-- column: outcome | text | | opened, acted, replied (the first action), dismissed, withdrawn (the app removed it after it
--   was delivered), gone (a sweep no longer found it among the delivered ones: cleared, most often by the person)
-- column: since | double precision | seconds | Start of the stretch, after shown_at
-- column: until | double precision | seconds | Its end: 1, 5 and 15 min, 1 and 6 h, 1, 3, 7, 30, 90 and 400 days, as far as
--   window goes, and window
-- column: at_risk | bigint | notifications | Still open at the start of the stretch, and followed beyond it
-- column: notifications | bigint | notifications | That came to this outcome in the stretch; null where iOS tells of none
-- column: censored | bigint | notifications | Still open when they were last known of, in the stretch, whatever the outcome
-- column: incidence | double precision | fraction | Of all notifications, the part that comes to this outcome by the end
--   of the stretch; null where none was followed so far, and for dismissals where iOS tells of none. Where it tells of
--   some, a lower bound
-- column: incidence_low | double precision | fraction | Lower bound of its 95 % interval (delta method on log(-log)), which
--   takes notifications as independent
-- column: incidence_high | double precision | fraction | Upper bound of the same
CREATE OR REPLACE FUNCTION report.response_times(
  app text, "by" text[] DEFAULT '{category}', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  by_1 text, by_2 text, outcome text, since double precision, until double precision, at_risk bigint,
  notifications bigint, censored bigint, incidence double precision, incidence_low double precision,
  incidence_high double precision)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := '{category,requested_category,trigger,interruption_level,campaign,variant,platform,os_version,app_version,locale}';
  app_number integer := report.app_id(app);
  dimensions text[] := report.dimensions("by", accepted);
  late       bigint := (report.window_buckets("window")).microseconds;
  period     record;
  ends       bigint[];   -- of the stretches, in microseconds
BEGIN
  PERFORM report.time_zone(tz);
  period := report.period("from", "to", as_of);
  SELECT array_agg(e ORDER BY e) || late INTO ends
  FROM unnest('{60,300,900,3600,21600,86400,259200,604800,2592000,7776000}'::bigint[]) AS s (seconds),
    LATERAL (SELECT seconds * 1000000 AS e) f
  WHERE e < late;

  RETURN QUERY EXECUTE format($query$
    WITH each AS MATERIALIZED (   -- as many as are alike
      SELECT by_1, by_2, t, outcome, count(*) AS number, bool_or(dismiss_observable) AS dismissals_told
      FROM (   -- followed until the first outcome, the window's end or as_of, whatever comes first
        SELECT by_1, by_2, dismiss_observable,
          CASE
            WHEN ended_at <= known_at THEN greatest((date_part('epoch', ended_at - shown_at) * 1000000)::bigint, 0)
            WHEN shown_at <= $8 THEN $5
            ELSE (date_part('epoch', $6 - shown_at) * 1000000)::bigint
          END AS t,
          CASE
            WHEN ended_at IS NULL OR ended_at > known_at THEN NULL
            WHEN ended_at = responded_at THEN action
            WHEN ended_at = dismissed_at THEN 'dismissed'
            WHEN ended_at = removed_at THEN 'withdrawn'
            ELSE 'gone'
          END AS outcome,
          -- A volatile column keeps the planner from knowing better: by the columns that t is made of it takes nearly
          -- every notification for one of its own kind, and sorts them all.
          clock_timestamp()
        FROM (
          SELECT %1$s AS by_1, %2$s AS by_2, n.dismiss_observable,
            CASE WHEN n.opened THEN 'opened' WHEN n.replied THEN 'replied' ELSE 'acted' END AS action, n.responded_at, n.dismissed_at,
            e.removed_at, least(n.responded_at, n.dismissed_at, e.removed_at, e.gone_at) AS ended_at,
            n.shown_at, least($6, n.shown_at + $5 * interval '1 microsecond') AS known_at
          FROM projection.notification n
          LEFT JOIN (
            SELECT * FROM projection.notification_ending WHERE app_id = $1 AND (removed_at IS NOT NULL OR gone_at IS NOT NULL)
          ) e USING (device_id, notification_id, occurrence)
          WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND (n.reached_seen OR n.reached_assumed)
            AND n.shown_at <= $6 AND %3$s
        ) followed
      ) one
      GROUP BY by_1, by_2, t, outcome
    ), moment AS MATERIALIZED (   -- of each time at which something ended: how many did, of how many
      SELECT *,
        coalesce(exp(sum(ln(1 - ended::double precision / nullif(open, ended))) OVER before), 1) AS surviving,
        coalesce(sum(ended::double precision / open / nullif(open - ended, 0)) OVER before, 0) AS hazard_variance
      FROM (
        SELECT by_1, by_2, t, sum(number) FILTER (WHERE outcome IS NOT NULL)::bigint AS ended,
          sum(sum(number)) OVER (PARTITION BY by_1, by_2 ORDER BY t DESC)::bigint AS open
        FROM each
        GROUP BY by_1, by_2, t
      ) time
      WHERE ended > 0
      WINDOW before AS (PARTITION BY by_1, by_2 ORDER BY t ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ), risen AS MATERIALIZED (
      SELECT by_1, by_2, t, e.outcome, e.number, m.open, surviving, hazard_variance,
        sum(surviving * e.number / m.open) OVER own AS incidence,
        lead(hazard_variance, 1, hazard_variance) OVER own - hazard_variance AS added
      FROM each e
      JOIN moment m USING (by_1, by_2, t)
      WHERE e.outcome IS NOT NULL
      WINDOW own AS (PARTITION BY by_1, by_2, e.outcome ORDER BY t)
    ), curve AS (
      -- The variance's sums, such that it can be told at any time: between two endings of its own kind an outcome's
      -- incidence stands still, and so does (incidence at the end - incidence then)^2, by which every ending counts.
      SELECT DISTINCT ON (by_1, by_2, outcome, place) *
      FROM (
        SELECT by_1, by_2, outcome, t, width_bucket(t - 1, $4) AS place, incidence,
          first_value(hazard_variance) OVER own + sum(added) OVER own AS a0,
          sum(added * incidence) OVER own AS a1, sum(added * incidence * incidence) OVER own AS a2,
          sum(surviving ^ 2 * number * (open - number) / open::double precision ^ 3) OVER own AS b,
          sum(surviving * number / open::double precision ^ 2) OVER own AS c0,
          sum(surviving * number / open::double precision ^ 2 * incidence) OVER own AS c1
        FROM risen
        WINDOW own AS (PARTITION BY by_1, by_2, outcome ORDER BY t)
      ) point
      ORDER BY by_1, by_2, outcome, place, t DESC
    ), stretch AS (
      SELECT s.place, g.by_1, g.by_2, g.dismissals_told, coalesce(c.censored, 0) AS censored,
        (g.followed - coalesce(sum(c.seen) OVER before, 0))::bigint AS at_risk,
        -- Known as far as anything was followed; for ever where everything has ended.
        g.last_t >= $4[s.place + 1] OR g.all_ended AS is_known
      FROM (
        SELECT by_1, by_2, sum(number) AS followed, bool_or(dismissals_told) AS dismissals_told, max(t) AS last_t,
          coalesce(bool_or(m.ended = m.open), false) AS all_ended
        FROM each
        LEFT JOIN moment m USING (by_1, by_2, t)
        GROUP BY by_1, by_2
      ) g
      CROSS JOIN generate_series(0, cardinality($4) - 1) AS s (place)
      LEFT JOIN (
        SELECT by_1, by_2, width_bucket(t - 1, $4) AS place, sum(number) AS seen,
          sum(number) FILTER (WHERE outcome IS NULL)::bigint AS censored
        FROM each
        GROUP BY 1, 2, 3
      ) c USING (by_1, by_2, place)
      WINDOW before AS (PARTITION BY g.by_1, g.by_2 ORDER BY s.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ), told AS (
      SELECT s.*, o.outcome, o.rank, coalesce(e.ended, 0) AS ended, c.t,
        CASE WHEN o.outcome = 'dismissed' THEN s.dismissals_told WHEN o.outcome = 'gone' THEN $7 ELSE true END OR e.ended > 0 AS is_told,
        -- The newest point of the curve: it stands still until the next.
        max(c.place) OVER (PARTITION BY s.by_1, s.by_2, o.outcome ORDER BY s.place) AS newest
      FROM stretch s
      CROSS JOIN unnest('{opened,acted,replied,dismissed,withdrawn,gone}'::text[]) WITH ORDINALITY AS o (outcome, rank)
      LEFT JOIN curve c USING (by_1, by_2, outcome, place)
      LEFT JOIN (
        SELECT by_1, by_2, outcome, width_bucket(t - 1, $4) AS place, sum(number)::bigint AS ended FROM risen GROUP BY 1, 2, 3, 4
      ) e USING (by_1, by_2, outcome, place)
    )
    SELECT nullif(by_1, ''), nullif(by_2, ''), outcome, coalesce($4[place], 0) / 1e6::double precision,
      $4[place + 1] / 1e6::double precision, at_risk, CASE WHEN is_told THEN ended END, censored, f,
      CASE WHEN f > 0 AND f < 1 THEN f ^ exp(1.959963984540054 * error / (f * -ln(f))) END,
      CASE WHEN f > 0 AND f < 1 THEN f ^ exp(-1.959963984540054 * error / (f * -ln(f))) END
    FROM (
      SELECT t.*, CASE WHEN is_told AND is_known THEN coalesce(c.incidence, 0) END AS f,
        sqrt(greatest(c.incidence ^ 2 * c.a0 - 2 * c.incidence * c.a1 + c.a2 + c.b - 2 * (c.incidence * c.c0 - c.c1), 0)) AS error
      FROM told t
      LEFT JOIN curve c ON (c.by_1, c.by_2, c.outcome, c.place) = (t.by_1, t.by_2, t.outcome, t.newest)
    ) whole
    ORDER BY nullif(by_1, '') NULLS LAST, nullif(by_2, '') NULLS LAST, rank, place
  $query$, report.dimension_key(dimensions, 1), report.dimension_key(dimensions, 2),
    report.filter(filters, (SELECT jsonb_object_agg(name, format('coalesce(n.%I, '''')', name)) FROM unnest(accepted) AS name)))
  USING app_number, period.from_at, period.to_at, ends, late, as_of,
    EXISTS (SELECT FROM projection.notification_ending e WHERE e.app_id = app_number AND e.gone_at IS NOT NULL),
    as_of - late * interval '1 microsecond';
END $$;
