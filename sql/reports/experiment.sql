-- report: experiment
-- purpose: How the variants of a message compare: one row per category, campaign (or the dimensions in `by`) and variant.
--   The device is the unit: the variance of a rate accounts for devices that got several notifications (delta method) or
--   several variants. It covers reached notifications with a variant, without those known only by a response. Variants beyond
--   `limit` share a row `other`, and are not compared.
-- reads: notification, cohort
-- by rows: devices with several variants of a category and campaign, and those with notifications on a day that the range
--   covers in part; all notifications with another `by` or `metric` than the default, with filters other than category, campaign
--   and variant, with another window than PT1H, PT6H, P1D, P3D, P7D and P30D, or over more than 92 days
--
-- parameter: by | dimensions | category,campaign | none, or one or two of category, requested_category, trigger,
--   interruption_level, campaign, platform, os_version, app_version, locale, $settings_in_force, attribute.KEY | The groups
--   within which variants are compared
-- parameter: metric | choice | engagement_rate | engagement_rate, open_rate, action_rate, reply_rate, app_open_rate | The
--   rate that is compared: the share of notifications reached that was responded to (opened, acted on, …) within window
-- parameter: control | text | control | the name of a variant | The variant with which the others are compared
-- parameter: split | text | equal | equal, or the weight of each variant, such as control:2,a:1,b:1 | The intended
--   assignment of devices
-- parameter: from
-- parameter: to
-- parameter: tz | Time zone of dates
-- parameter: window
-- parameter: mature
-- parameter: limit | How many variants of groups have rows of their own: first the groups with the most devices, by one of the
--   app's own dimensions those with the most notifications requested, and in a group the control, the variants in `split`, and
--   those with the most devices; all others share one row, `other`
-- filters: $notification_dimensions
-- table: by_1, by_2, variant, devices, assigned_devices, reached, rate, difference, p_holm, difference_low, difference_high,
--   p_value, sample_ratio_p, crossed_devices, immature
-- in window: engaged
-- growing: none
-- differences: difference, difference_low, difference_high
--
-- column: by_1 | text | | The first dimension; null if the notification carried none
-- column: by_2 | text | | The second dimension; null if the notification carried none
-- column: variant | text | | The variant, including those that only `split` names
-- column: other | boolean | | True in the row of all variants beyond `limit`; its dimensions and variant are null
-- column: devices | bigint | devices | Devices that got a notification of the variant, reached or not; null in `other`
-- column: assigned_devices | bigint | devices | Of `devices`, those that got this variant before any other of the group:
--   each device of the group counts once
-- column: expected_devices | double precision | devices | The share of all devices of the group by `split`; of the variants that a
--   filter lets through, if there is one. Null if `split` names none of these
-- column: sample_ratio_p | double precision | probability | Probability of `assigned_devices` at least as far from `split`
--   (chi-square). If it is tiny, say below 0.001, devices were not assigned as intended, and no difference can be trusted.
--   Null if over a tenth of the devices are crossed: then variants were not assigned by device at all
-- column: crossed_devices | bigint | devices | Of `devices`, those that got another variant of the group as well
-- column: reached_devices | bigint | devices | Devices that a notification of the variant reached: the sample
-- column: reached | bigint | notifications | As in `engagement`
-- column: engaged | bigint | notifications | Of them, those that `metric` counts
-- column: immature | bigint | notifications | Reached, but younger than window: there is still time to respond
-- column: rate | double precision | fraction | `engaged` ÷ `reached`
-- column: rate_low | double precision | fraction | Lower bound of its 95 % interval, with the device as the unit; of
--   Wilson's score interval if no device differs from another, which would otherwise have no width
-- column: rate_high | double precision | fraction | Upper bound of the same
-- column: difference | double precision | fraction | The rate minus that of the control
-- column: difference_low | double precision | fraction | Lower bound of its 95 % interval, with the device as the unit; of
--   Newcombe's if neither of the two rates varies from device to device. An arm in which nobody, or everybody, responded counts
--   as exactly known beside one that varies: compare `rate_low` and `rate_high`
-- column: difference_high | double precision | fraction | Upper bound of the same
-- column: relative_difference | double precision | fraction | The difference as a share of the control's rate
-- column: p_value | double precision | probability | Probability of a difference at least as large if there were none
--   (two-sided z); null with fewer than two devices reached, or if none differs from another. An arm in which nobody, or
--   everybody, responded counts as exactly known: compare `rate_low` and `rate_high`
-- column: p_holm | double precision | probability | The same, corrected for the number of variants compared in the group
--   (Holm), among those with rows of their own
CREATE OR REPLACE FUNCTION report.experiment(
  app text, "by" text[] DEFAULT '{category,campaign}', metric text DEFAULT 'engagement_rate', control text DEFAULT 'control',
  split text DEFAULT 'equal', "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  by_1 text, by_2 text, variant text, other boolean, devices bigint, assigned_devices bigint, expected_devices double precision, sample_ratio_p double precision,
  crossed_devices bigint, reached_devices bigint, reached bigint, engaged bigint, immature bigint,
  rate double precision, rate_low double precision, rate_high double precision,
  difference double precision, difference_low double precision, difference_high double precision,
  relative_difference double precision,
  p_value double precision, p_holm double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
-- Without nested loops and merges, as the planner cannot know how many variants there are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  dimensions text[] := reporting.dimensions("by", array_remove(accepted, 'variant'));
  late       interval := (reporting.window_buckets("window")).length;
  period     record;
  planned    text[];   -- the variants that split names
  weights    double precision[];
  asked      text := '';   -- a CTE that size needs
  size       text := 'sum(sum(devices)) OVER (PARTITION BY by_1, by_2)';   -- by which groups are ranked
BEGIN
  PERFORM reporting.filters(filters, accepted);
  PERFORM reporting.choice('metric', metric, '{engagement_rate,open_rate,action_rate,reply_rate,app_open_rate}');
  IF coalesce(control, '') = '' THEN
    PERFORM reporting.invalid('control', 'control must be the name of a variant');
  END IF;
  PERFORM reporting.row_limit("limit");
  PERFORM reporting.time_zone(tz);
  SELECT array_agg(s.variant), array_agg(s.weight) INTO planned, weights FROM reporting.split(split) s;
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  IF period.from_at >= period.to_at THEN
    RETURN;
  END IF;

  IF dimensions && reporting.own_dimensions(app_number) THEN
    asked := $query$, asked AS MATERIALIZED (
      SELECT by_1, by_2, sum(requested) AS requested FROM reporting.requested_counts($1, ARRAY[$4], ARRAY[$5], $2, $3) GROUP BY 1, 2
    )$query$;
    size := '(SELECT r.requested FROM asked r WHERE (r.by_1, r.by_2) = (n.by_1, n.by_2))';
  END IF;
  RETURN QUERY EXECUTE format($query$
    WITH arm AS MATERIALIZED (
      SELECT by_1, by_2, variant, sum(devices)::bigint AS devices, sum(crossed_devices)::bigint AS crossed_devices,
        sum(assigned)::bigint AS assigned, sum(assigned_crossed)::bigint AS assigned_crossed, sum(n)::bigint AS n, sum(m) AS m, sum(x) AS x,
        sum(young)::bigint AS young, sum(xx) AS xx, sum(xm) AS xm, sum(mm) AS mm,
        sum(shared_xx) AS shared_xx, sum(shared_xm) AS shared_xm, sum(shared_mx) AS shared_mx, sum(shared_mm) AS shared_mm
      FROM reporting.experiment_counts($1, $2, $11, $6, $4, $5, $12, $3, $13)
      GROUP BY by_1, by_2, variant
      HAVING sum(devices) > 0
    )%s, named AS (   -- the variants there are, and those that there should be
      SELECT by_1, by_2, variant, devices FROM arm
      UNION ALL
      SELECT a.by_1, a.by_2, s.variant, 0
      FROM (SELECT DISTINCT by_1, by_2 FROM arm) a
      CROSS JOIN unnest($8::text[]) AS s (variant)
      WHERE reporting.matches(s.variant, $3, 'variant')
    ), key AS MATERIALIZED (   -- by their rank, those beyond the limit under one number
      SELECT by_1, by_2, variant, least(rank, $10 + 1)::integer AS key
      FROM (
        SELECT by_1, by_2, variant, row_number() OVER (
          ORDER BY size DESC NULLS LAST, nullif(by_1, '') COLLATE "C" NULLS LAST, nullif(by_2, '') COLLATE "C" NULLS LAST,
            variant <> $6, coalesce(variant <> ALL ($8), true), devices DESC, variant COLLATE "C") AS rank
        FROM (
          SELECT by_1, by_2, variant, sum(devices) AS devices, %s AS size
          FROM named n
          GROUP BY by_1, by_2, variant
        ) sized
      ) ranked
    ), rated AS (
      -- The variance of a ratio of sums over devices, sum of (x - rate m)^2 over (sum of m)^2, in whole numbers as far as
      -- it goes: where no device differs from another it is exactly 0.
      SELECT *, (x / nullif(m, 0))::double precision AS rate,
        (n * (xx * m * m - 2 * x * m * xm + x * x * mm) / nullif((n - 1) * m * m * m * m, 0))::double precision AS variance
      FROM arm
    ), compared AS (
      SELECT v.*, c.rate AS other_rate, c.n AS other_n, v.rate - c.rate AS difference,
        (v.rate - c.rate) / nullif(c.rate, 0) AS relative_difference,
        v.variance + c.variance - 2 * coalesce(
          ((v.shared_xx * v.m * c.m - c.x * v.m * v.shared_xm - v.x * c.m * v.shared_mx + v.x * c.x * v.shared_mm) / nullif(v.m * v.m * c.m * c.m, 0))::double precision
          * sqrt(v.n * c.n / nullif((v.n - 1) * (c.n - 1), 0)::double precision), 0) AS variance_of_difference
      FROM rated v
      JOIN key k ON (k.by_1, k.by_2, k.variant) = (v.by_1, v.by_2, v.variant) AND k.key <= $10
      LEFT JOIN rated c ON (c.by_1, c.by_2) = (v.by_1, v.by_2) AND c.variant = $6 AND v.variant <> $6
    ), tested AS (
      SELECT *, reporting.chi_square_tail((difference / error) ^ 2, 1) AS p
      FROM (
        SELECT *, CASE WHEN variance_of_difference > 1e-24 THEN sqrt(variance_of_difference) END AS error
        FROM compared
      ) c
    ), planned AS (
      SELECT k.*, coalesce(s.weight, CASE WHEN $7 = 'equal' THEN 1 ELSE 0 END) AS weight
      FROM key k
      LEFT JOIN unnest($8::text[], $9::double precision[]) AS s (variant, weight) USING (variant)
    ), ratio AS (
      SELECT by_1, by_2, variant, key, count(*) OVER together AS variants, coalesce(a.devices, 0) AS devices, coalesce(a.assigned, 0) AS assigned,
        coalesce(sum(a.assigned_crossed) OVER together * 10 > sum(a.assigned) OVER together, false) AS is_crossed,
        sum(a.assigned) OVER together * p.weight / nullif(sum(p.weight) OVER together, 0) AS expected
      FROM planned p
      LEFT JOIN arm a USING (by_1, by_2, variant)
      WINDOW together AS (PARTITION BY by_1, by_2)
    ), checked AS (
      SELECT *, sum(CASE WHEN expected > 0 THEN (assigned - expected) ^ 2 / expected WHEN expected = 0 AND assigned > 0 THEN 'infinity'
        WHEN expected = 0 THEN 0 END) OVER (PARTITION BY by_1, by_2) AS distance
      FROM ratio
    )
    SELECT * FROM (
      SELECT nullif(by_1, '') AS by_1, nullif(by_2, '') AS by_2, variant, false AS other, r.devices, r.assigned, r.expected::double precision,
        CASE WHEN NOT r.is_crossed THEN reporting.chi_square_tail(r.distance, (r.variants - 1)::integer) END, coalesce(t.crossed_devices, 0),
        coalesce(t.n, 0), coalesce(t.m, 0)::bigint, coalesce(t.x, 0)::bigint, coalesce(t.young, 0), t.rate,
        CASE WHEN t.variance > 0 THEN greatest(t.rate - 1.959963984540054 * sqrt(t.variance), 0) WHEN t.variance = 0 THEN w.low END,
        CASE WHEN t.variance > 0 THEN least(t.rate + 1.959963984540054 * sqrt(t.variance), 1) WHEN t.variance = 0 THEN w.high END,
        t.difference,
        CASE WHEN t.error > 0 THEN t.difference - 1.959963984540054 * t.error
          WHEN t.variance_of_difference IS NOT NULL THEN t.difference - sqrt((t.rate - w.low) ^ 2 + (c.high - t.other_rate) ^ 2) END,
        CASE WHEN t.error > 0 THEN t.difference + 1.959963984540054 * t.error
          WHEN t.variance_of_difference IS NOT NULL THEN t.difference + sqrt((w.high - t.rate) ^ 2 + (t.other_rate - c.low) ^ 2) END,
        t.relative_difference, t.p,
        CASE WHEN t.p IS NOT NULL THEN max(least(1, t.p * t.larger)) OVER (PARTITION BY by_1, by_2 ORDER BY t.p, variant COLLATE "C") END,
        (SELECT count(*) FROM key)
      FROM checked r
      LEFT JOIN (
        SELECT *, count(p) OVER (PARTITION BY by_1, by_2 ORDER BY p DESC, variant COLLATE "C" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS larger
        FROM tested
      ) t USING (by_1, by_2, variant)
      CROSS JOIN LATERAL reporting.score_interval(t.rate, t.n) w
      CROSS JOIN LATERAL reporting.score_interval(t.other_rate, t.other_n) c
      WHERE r.key <= $10
      UNION ALL
      SELECT NULL, NULL, NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, coalesce(sum(a.m), 0)::bigint, coalesce(sum(a.x), 0)::bigint,
        coalesce(sum(a.young), 0)::bigint, (sum(a.x) / nullif(sum(a.m), 0))::double precision, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, (SELECT count(*) FROM key)
      FROM key k
      LEFT JOIN arm a USING (by_1, by_2, variant)
      WHERE k.key > $10
      HAVING count(*) > 0
    ) row
    ORDER BY other, by_1 COLLATE "C" NULLS LAST, by_2 COLLATE "C" NULLS LAST, variant <> $6, variant COLLATE "C"
  $query$, asked, size)
  USING app_number, dimensions, filters, period.from_at, period.to_at, control, split, planned, weights, "limit", metric, late, as_of;
END $$;
