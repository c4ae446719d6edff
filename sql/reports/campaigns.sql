-- report: campaigns
-- purpose: How campaigns do: one row per campaign, the newest first, with its engagement at one age, how that differs from
--   what is usual for its categories at that age, and the opt-outs after it. The age is the longest of PT1H, PT6H, P1D, P3D, P7D, P30D
--   and `window`, none longer than `window`, that at least half of what it reached has; rates leave out what is younger. A row
--   `other` takes everything beyond `limit` as one campaign.
-- reads: notification, cohort, engagement, device_period
-- by rows: the edges of the range; notifications with filters other than campaign and category; changes of settings to
--   denied, of a table of their own that has the notifications before each
--
-- parameter: search | text | every campaign | a part of a name | Campaigns whose names contain this, in any case of letters
-- parameter: from
-- parameter: to
-- parameter: tz | Time zone of dates
-- parameter: window | duration | P3D | PT1S to P400D; exact: PT1H, PT6H, P1D, P3D, P7D, P30D; others to the nearest bound
--   within 5 %, and flagged | Time to respond: rates count responses within it, or within `age` where that is shorter
-- parameter: mature
-- parameter: limit | How many campaigns have rows of their own: those with the most notifications reached; all others share one
--   row, `other`
-- filters: $notification_dimensions
-- table: campaign, first_day, reached, engagement_rate, difference, difference_low, difference_high, usual, opt_outs,
--   opt_outs_per_1000
-- in window: responded_in_window
-- growing: none
-- differences: difference, difference_low, difference_high
--
-- column: campaign | text | | The campaign; notifications without one are none, but count for what is usual
-- column: other | boolean | | True in the row of all campaigns beyond `limit`; its campaign is null
-- column: first_day | timestamptz | | Start of the first UTC day with one of its notifications in the range
-- column: last_day | timestamptz | | Start of the last of these days
-- column: reached | bigint | notifications | As in `engagement`
-- column: reached_before | bigint | notifications | Reached by the campaign in the 31 days before `from`, whatever the filters:
--   with any, the range cuts the campaign, and its other figures are of the rest
-- column: age | double precision | seconds | The time to respond that its rate counts; null if it reached nobody
-- column: rate_denominator | bigint | notifications | Denominator of the rate: those of `reached` that are at least that old
-- column: responded_in_window | bigint | notifications | Of them, responded to within that time
-- column: engagement_rate | double precision | fraction | `responded_in_window` ÷ `rate_denominator`
-- column: engagement_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval, which assumes
--   independent notifications
-- column: engagement_rate_high | double precision | fraction | Upper bound of the same
-- column: usual | double precision | fraction | The same rate of all other notifications of its categories in the range, in
--   the campaign's own mix of categories; null if one of its categories has no other
-- column: difference | double precision | fraction | The rate minus the usual one
-- column: difference_low | double precision | fraction | Lower bound of its 95 % interval (Newcombe), which assumes
--   independent notifications
-- column: difference_high | double precision | fraction | Upper bound of the same
-- column: opt_outs | double precision | changes | Changes of permission to denied after its notifications, shared as in
--   `opt_outs`
-- column: opt_outs_per_1000 | double precision | per 1000 | 1,000 × `opt_outs` ÷ `reached`
-- column: window_approximate | boolean | | Whether the rate used the nearest bound instead of window
CREATE OR REPLACE FUNCTION report.campaigns(
  app text, search text DEFAULT NULL, "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  campaign text, other boolean, first_day timestamptz, last_day timestamptz, reached bigint, reached_before bigint, age double precision,
  rate_denominator bigint, responded_in_window bigint, engagement_rate double precision, engagement_rate_low double precision,
  engagement_rate_high double precision, usual double precision, difference double precision, difference_low double precision,
  difference_high double precision, opt_outs double precision, opt_outs_per_1000 double precision, window_approximate boolean,
  rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_sort = off SET work_mem = '64MB' AS $$
-- Without sorts where hashes do, as the planner cannot know how many names there are.
DECLARE
  accepted   constant text[] := reporting.notification_dimensions(app);
  app_number integer := reporting.app_id(app);
  period     record;
  late       record;
  ages       record;          -- those that a rate may be of, the shortest first: in microseconds, and in latency buckets
  cuts       timestamptz[];   -- the ends of the range, and where notifications come of each age
  starts     timestamptz[];
  ends       timestamptz[];
BEGIN
  PERFORM reporting.row_limit("limit");
  late := reporting.window_buckets("window");
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);
  PERFORM reporting.filters(filters, accepted);
  IF period.from_at >= period.to_at THEN
    RETURN;
  END IF;
  SELECT array_agg(a.microseconds ORDER BY a.microseconds) AS microseconds, array_agg(a.buckets ORDER BY a.microseconds) AS buckets,
    array_agg(as_of - a.microseconds * interval '1 microsecond' + interval '1 microsecond' ORDER BY a.microseconds) AS young
  INTO ages
  FROM (
    SELECT w.microseconds, w.buckets
    FROM unnest('{1 hour,6 hours,24 hours,72 hours,168 hours,720 hours}'::interval[]) AS length
    CROSS JOIN LATERAL reporting.window_buckets(length) w
    WHERE w.microseconds < late.microseconds
    UNION ALL
    SELECT late.microseconds, late.buckets
  ) a;
  cuts := ARRAY(
    SELECT DISTINCT cut
    FROM unnest(ages.young || ARRAY[period.from_at, period.to_at]) AS cut
    WHERE cut BETWEEN period.from_at AND period.to_at
    ORDER BY cut);
  starts := cuts[:cardinality(cuts) - 1];
  ends := cuts[2:];

  RETURN QUERY EXECUTE $query$
    WITH engaged AS MATERIALIZED (
      SELECT e.*, $1[e.slot] AS starts_at
      FROM reporting.engaged_counts($3, $1, $2, 'campaign', $4, $7) e
    ), named AS MATERIALIZED (
      SELECT value AS campaign, sum(counted) AS counted
      FROM engaged
      WHERE within IS NULL AND value <> '' AND ($14 IS NULL OR position(lower($14) IN lower(value)) > 0)
        AND reporting.matches(value, $15, 'campaign')
      GROUP BY value
    ), ranked AS MATERIALIZED (   -- only those that have rows of their own are sorted, and looked for: texts compare slowly
      SELECT campaign, row_number() OVER (ORDER BY counted DESC, campaign COLLATE "C")::integer AS key
      FROM (SELECT * FROM named ORDER BY counted DESC, campaign COLLATE "C" LIMIT $5) highest
    ), keyed AS MATERIALIZED (   -- summed once, as names may be a million; without a key what no row is about
      SELECT CASE WHEN value <> '' AND ($14 IS NULL OR position(lower($14) IN lower(value)) > 0)
          AND reporting.matches(value, $15, 'campaign') THEN coalesce(k.key, $5 + 1) END AS key,
        e.starts_at, e.category, e.within, min(e.first_day) AS first_day, max(e.last_day) AS last_day, sum(e.counted)::bigint AS counted
      FROM engaged e
      LEFT JOIN ranked k ON k.campaign = e.value
      GROUP BY 1, 2, 3, 4
    ), whole AS (
      SELECT key, min(first_day) AS first_day, max(last_day) AS last_day, sum(counted)::bigint AS reached
      FROM keyed
      WHERE within IS NULL AND key IS NOT NULL
      GROUP BY key
    ), mature AS (   -- what has each age
      SELECT s.key, a.microseconds, sum(s.counted) AS counted
      FROM (
        SELECT key, starts_at, sum(counted) AS counted
        FROM keyed
        WHERE within IS NULL AND key IS NOT NULL
        GROUP BY 1, 2
      ) s
      JOIN unnest($6::bigint[], $8::timestamptz[]) AS a (microseconds, young) ON s.starts_at < a.young
      GROUP BY 1, 2
    ), chosen AS MATERIALIZED (   -- the longest age that at least half has, else the shortest
      SELECT DISTINCT ON (w.key) w.*, a.microseconds, a.buckets, a.young
      FROM whole w
      CROSS JOIN unnest($6::bigint[], $7::integer[], $8::timestamptz[]) AS a (microseconds, buckets, young)
      LEFT JOIN mature m ON m.key = w.key AND m.microseconds = a.microseconds
      ORDER BY w.key, coalesce(m.counted, 0) * 2 >= w.reached DESC,
        CASE WHEN coalesce(m.counted, 0) * 2 >= w.reached THEN -a.microseconds ELSE a.microseconds END
    ), own AS (
      SELECT c.key, e.category, c.young, c.buckets,
        coalesce(sum(e.counted) FILTER (WHERE e.within IS NULL), 0) AS n, coalesce(sum(e.counted) FILTER (WHERE e.within <= c.buckets), 0) AS x
      FROM chosen c
      JOIN keyed e ON e.key = c.key AND e.starts_at < c.young
      GROUP BY 1, 2, 3, 4
    ), category AS MATERIALIZED (
      SELECT y.young, y.buckets, e.category, coalesce(sum(e.counted) FILTER (WHERE e.within IS NULL), 0) AS n,
        coalesce(sum(e.counted) FILTER (WHERE e.within <= y.buckets), 0) AS x
      FROM (SELECT DISTINCT young, buckets FROM chosen) y
      JOIN keyed e ON e.starts_at < y.young
      GROUP BY 1, 2, 3
    ), compared AS (   -- with the others of its categories, each weighted by the campaign's part in it
      SELECT key, sum(n)::bigint AS n, sum(x)::bigint AS x,
        CASE WHEN bool_and(n = 0 OR others IS NOT NULL) THEN sum(n * rate) / nullif(sum(n), 0) END::double precision AS usual,
        sum(others) FILTER (WHERE n > 0)::double precision AS others,
        (sum(n * n * rate * (1 - rate) / others) / nullif(sum(n) ^ 2, 0))::double precision AS variance
      FROM (
        SELECT o.key, o.n::double precision AS n, o.x, nullif(c.n - o.n, 0)::double precision AS others,
          (c.x - o.x) / nullif(c.n - o.n, 0)::double precision AS rate
        FROM own o
        JOIN category c USING (category, young, buckets)
      ) beside
      GROUP BY key
    ), asked AS MATERIALIZED (
      SELECT array_agg(campaign) AS campaigns FROM ranked
    ), before AS (
      SELECT k.key, sum(b.reached)::bigint AS reached
      FROM asked a
      CROSS JOIN LATERAL reporting.campaigns_before_counts($3, a.campaigns, $9) b
      JOIN ranked k USING (campaign)
      GROUP BY k.key
    ), left_after AS (
      SELECT coalesce(k.key, $5 + 1) AS key, sum(s.opt_outs)::double precision AS opt_outs
      FROM asked a
      CROSS JOIN LATERAL reporting.campaigns_opt_out_counts($3, a.campaigns, $14, $9, $10, $15, $11) s
      LEFT JOIN ranked k USING (campaign)
      GROUP BY 1
    )
    SELECT CASE WHEN c.key <= $5 THEN k.campaign END, c.key > $5, c.first_day, c.last_day, c.reached,
      CASE WHEN c.key <= $5 THEN coalesce(b.reached, 0) END,
      CASE WHEN c.reached > 0 THEN c.microseconds / 1e6::double precision END, coalesce(r.n, 0), coalesce(r.x, 0),
      r.x / nullif(r.n, 0)::double precision, w.low, w.high, r.usual, r.x / nullif(r.n, 0)::double precision - r.usual, d.low, d.high,
      coalesce(l.opt_outs, 0), coalesce(l.opt_outs, 0) * 1000 / nullif(c.reached, 0), $12 AND c.microseconds = $13, (SELECT count(*) FROM named)
    FROM chosen c
    LEFT JOIN ranked k ON k.key = c.key
    LEFT JOIN compared r ON r.key = c.key
    LEFT JOIN left_after l ON l.key = c.key
    LEFT JOIN before b ON b.key = c.key
    LEFT JOIN LATERAL reporting.wilson(r.x, r.n) w ON true
    -- As many trials as would make the usual rate vary as much as the weighted one does.
    LEFT JOIN LATERAL reporting.newcombe(r.x / nullif(r.n, 0)::double precision, r.n, r.usual,
      CASE WHEN r.variance > 0 THEN r.usual * (1 - r.usual) / r.variance ELSE r.others END) d ON true
    ORDER BY c.key > $5, c.first_day DESC, k.campaign COLLATE "C"
  $query$
  USING starts, ends, app_number, filters - 'campaign', "limit", ages.microseconds, ages.buckets, ages.young, period.from_at,
    period.to_at, as_of, late.approximate, late.microseconds, search, filters;
END $$;
