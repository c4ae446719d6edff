-- report: changes
-- purpose: What changed since the range before: one row per value of each of `dimensions`, the clearest change first. The
--   range before is this one moved back by its length, rounded up to whole days of local time, or by 52 weeks. Rates are at
--   equal age: they leave out notifications younger than `window`, and of the range before what lies as late in it. A row
--   `other` sums the values of a dimension beyond `limit`.
-- reads: notification, engagement
-- by rows: the edges of both ranges; notifications with settings in force, with the app's own dimensions, or with
--   several dimensions besides category in `dimensions` and filters
--
-- parameter: dimensions | text | none,category | none, and any of $notification_dimensions, joined by commas | The dimensions
--   whose values have rows; none is all notifications together
-- parameter: against | choice | previous | previous, year | The range before: this one moved back by its length in whole days,
--   rounded up, so that clocks read the same at both ends; or the same weekdays 52 weeks before
-- parameter: from
-- parameter: to
-- parameter: tz | Time zone of dates
-- parameter: window | duration | P3D | PT1S to P400D; exact: PT1H, PT6H, P1D, P3D, P7D, P30D; others to the nearest bound
--   within 5 %, and flagged | Time to respond: rates count responses within it
-- parameter: limit | How many values have rows of their own: those with the most notifications reached in both ranges, of the
--   app's own dimensions those with the most requested; all others of a dimension share one row, `other`
-- filters: $notification_dimensions
-- table: dimension, value, difference, difference_low, difference_high, engagement_rate, engagement_rate_before, reached,
--   reached_before, p_holm
-- in window: responded_in_window
-- growing: none
-- differences: difference, difference_low, difference_high
--
-- column: dimension | text | | The dimension; none for all notifications together
-- column: value | text | | Its value; null if the notification carried none
-- column: other | boolean | | True in the row of all values of the dimension beyond `limit`; its value is null
-- column: reached | bigint | notifications | As in `engagement`
-- column: reached_before | bigint | notifications | The same in the range before
-- column: rate_denominator | bigint | notifications | Denominator of the rate: those of `reached` with the window over
-- column: responded_in_window | bigint | notifications | Of them, responded to within window
-- column: engagement_rate | double precision | fraction | `responded_in_window` ÷ `rate_denominator`
-- column: rate_denominator_before | bigint | notifications | Denominator of the rate before: those of `reached_before` up to
--   where the rate of this range ends
-- column: responded_in_window_before | bigint | notifications | Of them, responded to within window
-- column: engagement_rate_before | double precision | fraction | `responded_in_window_before` ÷
--   `rate_denominator_before`
-- column: difference | double precision | fraction | The rate minus that of the range before
-- column: difference_low | double precision | fraction | Lower bound of its 95 % interval (Newcombe), which assumes
--   independent notifications
-- column: difference_high | double precision | fraction | Upper bound of the same
-- column: p_value | double precision | probability | Probability of a difference at least as large if there were none
--   (two-sided z with the pooled rate); null if nothing or everything was responded to
-- column: p_holm | double precision | probability | The same, corrected for the number of values compared (Holm); the row of
--   all notifications is not one of them
-- column: before_from | timestamptz | | Start of the range before
-- column: before_to | timestamptz | | End of the range before
-- column: window_approximate | boolean | | Whether rates used the nearest bound instead of window
CREATE OR REPLACE FUNCTION report.changes(
  app text, dimensions text DEFAULT 'none,category', against text DEFAULT 'previous', "from" text DEFAULT NULL,
  "to" text DEFAULT NULL, tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', filters jsonb DEFAULT '{}',
  "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  dimension text, value text, other boolean, reached bigint, reached_before bigint, rate_denominator bigint,
  responded_in_window bigint, engagement_rate double precision, rate_denominator_before bigint,
  responded_in_window_before bigint, engagement_rate_before double precision, difference double precision,
  difference_low double precision, difference_high double precision, p_value double precision, p_holm double precision,
  before_from timestamptz, before_to timestamptz, window_approximate boolean, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  accepted   constant text[] := '{none}'::text[] || reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  wanted     text[] := string_to_array(dimensions, ',');
  period     record;
  late       record;        -- the window in latency buckets
  days       integer;       -- how far back the range before lies
  mature_to  timestamptz;   -- where the part of the range ends whose time to respond is over
  starts     timestamptz[];
  ends       timestamptz[];
BEGIN
  IF wanted IS NULL OR wanted = '{}' OR NOT wanted <@ accepted
    OR cardinality(wanted) <> (SELECT count(DISTINCT name) FROM unnest(wanted) AS name) THEN
    PERFORM reporting.invalid('dimensions',
      format('dimensions is "%s"; accepted: different ones of %s', dimensions, array_to_string(accepted, ', ')));
  END IF;
  PERFORM reporting.choice('against', against, '{previous,year}');
  PERFORM reporting.row_limit("limit");
  late := reporting.window_buckets("window");
  period := reporting.period("from", "to", tz, as_of);
  PERFORM reporting.filters(filters, accepted[2:]);
  IF period.from_at >= period.to_at THEN
    RETURN;
  END IF;
  -- A range up to now ends a microsecond past as_of, which is no day more.
  days := greatest(
    ceil(extract(epoch FROM (least(period.to_at, as_of) AT TIME ZONE tz) - (period.from_at AT TIME ZONE tz)) / 86400), CASE against WHEN 'year' THEN 364 ELSE 1 END);
  mature_to := greatest(period.from_at,
    least(period.to_at, as_of - late.length + interval '1 microsecond'));
  -- The range and the one before, each in the part that is compared and the rest.
  starts := ARRAY[period.from_at, mature_to];
  ends := ARRAY[mature_to, period.to_at];
  starts := starts || ARRAY(SELECT reporting.local_instant((s.at AT TIME ZONE tz) - days * interval '1 day', tz) FROM unnest(starts) WITH ORDINALITY AS s (at, slot) ORDER BY slot);
  ends := ends || ARRAY(SELECT least(reporting.local_instant((e.at AT TIME ZONE tz) - days * interval '1 day', tz), period.from_at) FROM unnest(ends) WITH ORDINALITY AS e (at, slot) ORDER BY slot);

  RETURN QUERY
  WITH part AS MATERIALIZED (
    SELECT c.dimension, c.value, sum(c.reached) FILTER (WHERE c.slot <= 2) AS now_reached,
      sum(c.reached) FILTER (WHERE c.slot > 2) AS then_reached, sum(c.reached) FILTER (WHERE c.slot = 1) AS n,
      sum(c.responded) FILTER (WHERE c.slot = 1) AS x, sum(c.reached) FILTER (WHERE c.slot = 3) AS other_n,
      sum(c.responded) FILTER (WHERE c.slot = 3) AS other_x
    FROM reporting.changes_counts(app_number, wanted, starts, ends, late.buckets, filters) c
    GROUP BY 1, 2
  ), asked AS MATERIALIZED (   -- of the app's own dimensions, whose values are ranked by it
    SELECT d.name AS dimension, r.by_1 AS value, sum(r.requested) AS requested
    FROM unnest(wanted) AS d (name)
    CROSS JOIN LATERAL reporting.requested_counts(app_number, starts, ends, ARRAY[d.name], filters) r
    WHERE d.name LIKE 'attribute.%'
    GROUP BY 1, 2
  ), ranked AS (
    SELECT p.*, row_number() OVER (
      ORDER BY CASE WHEN p.dimension LIKE 'attribute.%' THEN coalesce(a.requested, 0) ELSE coalesce(now_reached, 0) + coalesce(then_reached, 0) END DESC,
        array_position(wanted, p.dimension), nullif(p.value, '') COLLATE "C" NULLS LAST) > "limit" AS beyond, count(*) OVER () AS keys
    FROM part p
    LEFT JOIN asked a USING (dimension, value)
    WHERE coalesce(now_reached, 0) + coalesce(then_reached, 0) > 0
  ), kept AS (
    SELECT r.dimension, CASE WHEN NOT beyond THEN r.value END AS value, beyond, max(keys) AS keys,
      coalesce(sum(now_reached), 0)::bigint AS now_reached, coalesce(sum(then_reached), 0)::bigint AS then_reached,
      coalesce(sum(n), 0)::bigint AS n, coalesce(sum(x), 0)::bigint AS x, coalesce(sum(other_n), 0)::bigint AS other_n,
      coalesce(sum(other_x), 0)::bigint AS other_x
    FROM ranked r
    GROUP BY 1, 2, 3
  ), rated AS (
    SELECT *, x / nullif(n, 0)::double precision AS rate, other_x / nullif(other_n, 0)::double precision AS other_rate,
      (x + other_x) / nullif(n + other_n, 0)::double precision AS pooled
    FROM kept
  ), tested AS (
    SELECT *, reporting.chi_square_tail(
      (rate - other_rate) ^ 2 / nullif(pooled * (1 - pooled) * (1 / nullif(n, 0)::double precision + 1 / nullif(other_n, 0)::double precision), 0), 1) AS p
    FROM rated
  ), corrected AS (
    SELECT *, CASE WHEN p IS NOT NULL THEN max(least(1, p * larger)) OVER (
      PARTITION BY t.dimension = 'none' ORDER BY p, array_position(wanted, t.dimension), beyond, t.value COLLATE "C") END AS holm
    FROM (
      SELECT *, count(p) OVER (PARTITION BY tested.dimension = 'none' ORDER BY p DESC NULLS FIRST, array_position(wanted, tested.dimension) DESC, beyond DESC,
        tested.value COLLATE "C" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS larger
      FROM tested
    ) t
  )
  SELECT c.dimension, nullif(c.value, ''), beyond, now_reached, then_reached, n, x, rate, other_n, other_x, other_rate,
    rate - other_rate, i.low, i.high, p, holm, starts[3], ends[4], late.approximate, keys
  FROM corrected c
  LEFT JOIN LATERAL reporting.newcombe(rate, n, other_rate, other_n) i ON true
  ORDER BY c.dimension <> 'none', p NULLS LAST, array_position(wanted, c.dimension), beyond, nullif(c.value, '') COLLATE "C" NULLS LAST;
END $$;
