-- report: outcomes
-- purpose: What came of campaigns: conversions and opens of the app after a response, or after being reached without one, beside
--   the same devices before and after; and what a campaign caused, as the difference between the devices it was sent to and
--   those held out of it. One row per campaign (or category, or variant) and name of a conversion; `app_open` is one of the
--   names. Devices are counted, not notifications; those whose notifications name no campaign (category, variant) have no row.
--   Rows beyond `limit` share a row `other`.
--   What it costs grows with the notifications, holdouts and conversions of the range, with pairs of a campaign and a
--   conversion of one device that lie within a window's length of each other, and with those of its campaigns and names of
--   conversions that have rows. A device with more than 100,000 of these is in
--   `devices_excess`, and its conversions are left out.
-- reads: notification, conversion, device_period
-- by rows: notifications of campaigns, holdouts, conversions and opens of the app, each one
--
-- parameter: by | choice | campaign | campaign, category, variant | What rows stand for. Only rows of a campaign have a lift
-- parameter: currencies | choice | together | together, apart | Whether each currency has a row of its own
-- parameter: from | Notifications and holdouts at or after this time
-- parameter: to | Notifications and holdouts before this time
-- parameter: tz | Time zone of dates
-- parameter: window | How long after a notification a conversion counts
-- parameter: mature
-- parameter: limit | How many rows stand for one campaign and conversion: those with the most devices; all others share one
--   row, `other`
-- filters: campaign, category, conversion
-- table: campaign, category, variant, conversion, currency, devices, direct, influenced, conversions, value, direct_rate,
--   influenced_rate, baseline_before_rate, baseline_after_rate, sent_rate, held_out_rate, lift, lift_low, lift_high, lift_p,
--   sample_ratio_p
-- in window: direct, influenced, conversions, conversions_shared, last_touch, value, baseline_before_devices,
--   baseline_before_converted, baseline_after_devices, baseline_after_converted, sent_devices, held_out_devices,
--   sent_converted, held_out_converted
-- growing: none
-- differences: lift, lift_low, lift_high, reachable_lift, reachable_lift_low, reachable_lift_high, unreachable_lift,
--   unreachable_lift_low, unreachable_lift_high
--
-- column: campaign | text | | The campaign; null unless `by` is campaign
-- column: category | text | | The category that the person saw; null unless `by` is category
-- column: variant | text | | The variant; null unless `by` is variant
-- column: conversion | text | | The name of the conversion
-- column: currency | text | | With currencies=apart: the currency of the value, null for conversions without one
-- column: other | boolean | | True in the row of everything beyond `limit`; its names, devices and rates are null
-- column: devices | bigint | devices | Devices that a notification reached
-- column: devices_excess | bigint | devices | Of `devices`, those whose conversions are left out: they are beyond the bound
-- column: direct | bigint | devices | Of `devices`, those with a conversion within window after they responded, whenever that was:
--   another button is another response
-- column: influenced | bigint | devices | Of `devices`, those without that, with a conversion within window after a notification
--   reached them that they did not respond to. An open within 10 s of a response that opens the app is that response's
-- column: direct_rate | double precision | fraction | `direct` ÷ `devices`
-- column: direct_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: direct_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: influenced_rate | double precision | fraction | `influenced` ÷ `devices`
-- column: influenced_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: influenced_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: conversions | bigint | conversions | Conversions after a response or after being reached without one
-- column: conversions_shared | bigint | conversions | Of `conversions`, those that other campaigns (categories, variants) count too.
--   Null with a filter by campaign or category: then nothing is known of the others
-- column: last_touch | bigint | conversions | Of `conversions`, those before which nothing came later than this campaign's
--   response or notification: each conversion is the last touch of one. Null where conversions_shared is
-- column: value | bigint | minor units | The sum of their values, in minor units of the currency; null where currencies differ,
--   or beyond what a bigint holds
-- column: baseline_before_devices | bigint | devices | Of `devices`, those whose stretch of the length of window before their
--   first notification of the campaign in the range began after the app's first conversion of that name
-- column: baseline_before_converted | bigint | devices | Of them, those with a conversion in that stretch
-- column: baseline_before_rate | double precision | fraction | `baseline_before_converted` ÷ `baseline_before_devices`
-- column: baseline_before_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: baseline_before_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: baseline_after_devices | bigint | devices | Of `devices`, those whose stretch of the length of window, window after
--   their first notification of the campaign in the range, is over, and began after the app's first conversion of that name
-- column: baseline_after_converted | bigint | devices | Of them, those with a conversion in that stretch
-- column: baseline_after_rate | double precision | fraction | `baseline_after_converted` ÷ `baseline_after_devices`
-- column: baseline_after_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: baseline_after_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: sent_devices | bigint | devices | Devices that the campaign was first sent to, failed or not, whose window is over
-- column: held_out_devices | bigint | devices | Devices that were first held out of the campaign, whose window is over
-- column: sent_converted | bigint | devices | Of `sent_devices`, those with a conversion within window
-- column: held_out_converted | bigint | devices | Of `held_out_devices`, those with a conversion within window
-- column: sent_rate | double precision | fraction | `sent_converted` ÷ `sent_devices`
-- column: sent_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: sent_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: held_out_rate | double precision | fraction | `held_out_converted` ÷ `held_out_devices`
-- column: held_out_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: held_out_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: lift | double precision | fraction | `sent_rate` − `held_out_rate`, whether a device was reached or not (intention to
--   treat)
-- column: lift_low | double precision | fraction | Lower bound of Newcombe's 95 % interval
-- column: lift_high | double precision | fraction | Upper bound of Newcombe's 95 % interval
-- column: lift_p | double precision | probability | Probability of a difference at least as large without an effect (pooled z
--   test)
-- column: sample_ratio_p | double precision | probability | Probability of a share of devices held out at least as far from the
--   one that holdouts declare (chi-square). If it is tiny, say below 0.001, devices were not assigned as intended, and no lift
--   can be trusted. Null where they declare none, or several
-- column: crossed | bigint | devices | Devices that were both sent the campaign and held out of it; they stay where they were first
-- column: held_out_assigned | bigint | devices | Devices that were first held out of the campaign, whether or not their window is
--   over
-- column: reachable_devices | bigint | devices | Of `sent_devices` and `held_out_devices`, those whose newest settings at the
--   time of the assignment allowed notifications
-- column: reachable_lift | double precision | fraction | As lift, among `reachable_devices`
-- column: reachable_lift_low | double precision | fraction | Lower bound of Newcombe's 95 % interval
-- column: reachable_lift_high | double precision | fraction | Upper bound of Newcombe's 95 % interval
-- column: unreachable_devices | bigint | devices | Likewise, those whose newest settings did not allow notifications
-- column: unreachable_lift | double precision | fraction | As lift, among `unreachable_devices`: there is no effect to expect
-- column: unreachable_lift_low | double precision | fraction | Lower bound of Newcombe's 95 % interval
-- column: unreachable_lift_high | double precision | fraction | Upper bound of Newcombe's 95 % interval
CREATE OR REPLACE FUNCTION report.outcomes(
  app text, "by" text DEFAULT 'campaign', currencies text DEFAULT 'together', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', mature boolean DEFAULT false, filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000,
  as_of timestamptz DEFAULT now())
RETURNS TABLE (
  campaign text, category text, variant text, conversion text, currency text, other boolean, devices bigint,
  devices_excess bigint, direct bigint, influenced bigint, direct_rate double precision, direct_rate_low double precision,
  direct_rate_high double precision, influenced_rate double precision, influenced_rate_low double precision,
  influenced_rate_high double precision, conversions bigint, conversions_shared bigint, last_touch bigint, value bigint,
  baseline_before_devices bigint, baseline_before_converted bigint, baseline_before_rate double precision,
  baseline_before_rate_low double precision, baseline_before_rate_high double precision, baseline_after_devices bigint,
  baseline_after_converted bigint, baseline_after_rate double precision, baseline_after_rate_low double precision,
  baseline_after_rate_high double precision, sent_devices bigint, held_out_devices bigint, sent_converted bigint,
  held_out_converted bigint, sent_rate double precision, sent_rate_low double precision, sent_rate_high double precision,
  held_out_rate double precision, held_out_rate_low double precision, held_out_rate_high double precision, lift double precision,
  lift_low double precision, lift_high double precision, lift_p double precision, sample_ratio_p double precision,
  crossed bigint, held_out_assigned bigint, reachable_devices bigint, reachable_lift double precision, reachable_lift_low double precision,
  reachable_lift_high double precision, unreachable_devices bigint, unreachable_lift double precision,
  unreachable_lift_low double precision, unreachable_lift_high double precision, rows_total bigint)
-- The planner knows nothing of how large the parts of the query are: hashing does well whatever they turn out to be.
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
  begun      record;   -- names of conversions and when each first came: all, and those that came later than stretches before begin
BEGIN
  PERFORM reporting.choice('by', "by", '{campaign,category,variant}');
  PERFORM reporting.choice('currencies', currencies, '{together,apart}');
  PERFORM reporting.row_limit("limit");
  PERFORM reporting.time_zone(tz);
  PERFORM reporting.filters(filters, '{campaign,category,conversion}');
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);

  SELECT array_agg(b.conversion) AS conversions, array_agg(b.began_at) AS begins,
    array_agg(b.conversion) FILTER (WHERE b.began_at > period.from_at - near) AS fresh,
    array_agg(b.began_at) FILTER (WHERE b.began_at > period.from_at - near) AS fresh_begins
  INTO begun
  FROM (
    SELECT c.conversion, min(c.began_at) AS began_at
    FROM reporting.outcomes_conversion_counts(app_number, period.from_at - near, period.to_at + 2 * near, filters, "limit", NULL, as_of) c
    GROUP BY 1
  ) b;

  RETURN QUERY EXECUTE $query$
    WITH counts AS MATERIALIZED (
      SELECT * FROM reporting.outcomes_counts($1, $6, $8, $2, $3, $5, $10, $9, NULL, $13, $14, $4)
    ), name AS MATERIALIZED (
      SELECT name, devices, is_kept, row_number() OVER (ORDER BY devices DESC, nullif(name, '') COLLATE "C" NULLS LAST) AS rank
      FROM (
        SELECT name, sum(devices)::bigint AS devices, bool_and(is_kept) AS is_kept
        FROM counts
        WHERE name IS NOT NULL AND conversion IS NULL
        GROUP BY name
      ) n
    ), what AS MATERIALIZED (
      SELECT conversion, unit, row_number() OVER (ORDER BY conversion COLLATE "C", nullif(unit, '') COLLATE "C" NULLS LAST) AS what
      FROM (SELECT DISTINCT conversion, unit FROM counts WHERE name IS NULL AND conversion IS NOT NULL) w
    ), size AS MATERIALIZED (
      SELECT (SELECT count(*) FROM name) AS names, (SELECT count(*) FROM what) AS whats
    ), key AS MATERIALIZED (   -- the rows that have a name: those of the names with the most devices
      SELECT n.name, n.devices, n.is_kept, w.conversion, w.unit
      FROM (SELECT * FROM name WHERE (rank - 1) * (SELECT whats FROM size) < $9) n
      JOIN (SELECT * FROM what WHERE what <= $9) w ON (n.rank - 1) * (SELECT whats FROM size) + w.what <= $9
    ), again AS MATERIALIZED (   -- names that are not among those with the most devices in each database
      SELECT array_agg(DISTINCT name) AS names FROM key WHERE NOT is_kept HAVING count(*) > 0
    ), began AS MATERIALIZED (   -- when the app first had a conversion of a name
      SELECT * FROM unnest($11, $12) AS b (conversion, began_at)
      UNION ALL
      SELECT b.conversion, min(b.began_at)   -- of those that there were only after late responses
      FROM (
        SELECT array_agg(DISTINCT conversion) AS conversions
        FROM key
        WHERE conversion NOT IN (SELECT unnest($11))
        HAVING count(*) > 0
      ) k
      CROSS JOIN LATERAL reporting.outcomes_conversion_counts($1, $2, $3, $10, $9, k.conversions, $4) b
      GROUP BY 1
    ), figure AS MATERIALIZED (
      SELECT name, conversion, unit, sum(devices)::bigint AS devices, sum(over)::bigint AS over, sum(excess)::bigint AS excess,
        sum(crossed)::bigint AS crossed, sum(assigned)::bigint AS assigned, sum(assigned_held)::bigint AS assigned_held,
        -- The part of devices that a campaign's holdouts say they are.
        CASE WHEN min(least_share) = max(greatest_share) THEN min(least_share)::double precision END AS share,
        sum(direct)::bigint AS direct, sum(converted)::bigint AS converted, sum(conversions)::bigint AS conversions,
        sum(shared)::bigint AS shared, sum(last_touch)::bigint AS last_touch, sum(value) AS value,
        min(first_currency) = max(last_currency) AS has_one_currency, sum(before_converted)::bigint AS before_converted,
        sum(after_converted)::bigint AS after_converted, sum(sent)::bigint AS sent, sum(held)::bigint AS held,
        sum(sent_on)::bigint AS sent_on, sum(held_on)::bigint AS held_on, sum(sent_off)::bigint AS sent_off,
        sum(held_off)::bigint AS held_off
      FROM (
        SELECT * FROM counts WHERE conversion IS NULL OR name <> ALL (SELECT unnest(names) FROM again)
        UNION ALL
        SELECT c.*
        FROM again
        CROSS JOIN LATERAL reporting.outcomes_counts($1, $6, $8, $2, $3, $5, $10, $9, again.names, $13, $14, $4) c
        WHERE c.conversion IS NOT NULL AND c.is_kept
      ) c
      GROUP BY 1, 2, 3
    ), whole AS (
      SELECT k.name, k.conversion, k.unit, k.devices, coalesce(a.excess, 0) AS excess, coalesce(c.direct, 0) AS direct,
        coalesce(c.converted - c.direct, 0) AS influenced, coalesce(c.conversions, 0) AS conversions,
        coalesce(c.shared, 0) AS shared, coalesce(c.last_touch, 0) AS last_touch, c.value, c.has_one_currency,
        coalesce(b.devices, 0) AS before_devices, coalesce(c.before_converted, 0) AS before_converted,
        coalesce(b.over, 0) AS after_devices, coalesce(c.after_converted, 0) AS after_converted,
        coalesce(a.sent, 0) AS sent, coalesce(a.held, 0) AS held, coalesce(c.sent, 0) AS sent_x, coalesce(c.held, 0) AS held_x,
        coalesce(a.crossed, 0) AS crossed, coalesce(a.assigned_held, 0) AS assigned_held, CASE WHEN a.share > 0 AND a.share < 1 THEN reporting.chi_square_tail(
          (a.assigned_held - a.assigned * a.share) ^ 2 / (a.assigned * a.share * (1 - a.share)), 1) END AS p,
        coalesce(a.sent_on, 0) AS sent_on, coalesce(a.held_on, 0) AS held_on,
        coalesce(c.sent_on, 0) AS sent_on_x, coalesce(c.held_on, 0) AS held_on_x, coalesce(a.sent_off, 0) AS sent_off,
        coalesce(a.held_off, 0) AS held_off, coalesce(c.sent_off, 0) AS sent_off_x, coalesce(c.held_off, 0) AS held_off_x
      FROM key k
      JOIN began g USING (conversion)
      JOIN figure a ON a.name = k.name AND a.conversion IS NULL
      LEFT JOIN figure f ON (f.name, f.conversion) = (k.name, k.conversion) AND f.unit IS NULL
      LEFT JOIN figure c ON (c.name, c.conversion, c.unit) = (k.name, k.conversion, k.unit)
      -- Where the first conversion came before all stretches, they all began after it.
      CROSS JOIN LATERAL (
        SELECT CASE WHEN g.began_at <= $2 - $5 THEN a.devices ELSE f.devices END AS devices,
          CASE WHEN g.began_at <= $2 - $5 THEN a.over ELSE f.over END AS over
      ) b
    )
    SELECT * FROM (
      SELECT CASE $6 WHEN 'campaign' THEN name END AS campaign, CASE $6 WHEN 'category' THEN name END AS category,
        CASE $6 WHEN 'variant' THEN name END AS variant, conversion, nullif(unit, '') AS currency, false AS other, devices,
        excess, direct, influenced, direct / nullif(devices, 0)::double precision, d.low, d.high,
        influenced / nullif(devices, 0)::double precision, i.low, i.high, conversions,
        CASE WHEN $15 THEN shared END, CASE WHEN $15 THEN last_touch END,
        CASE WHEN has_one_currency AND abs(w.value) < 9e18 THEN w.value::bigint END,
        before_devices, before_converted, before_converted / nullif(before_devices, 0)::double precision, bb.low, bb.high,
        after_devices, after_converted, after_converted / nullif(after_devices, 0)::double precision, ba.low, ba.high,
        CASE WHEN $7 THEN sent END, CASE WHEN $7 THEN held END, CASE WHEN $7 THEN sent_x END, CASE WHEN $7 THEN held_x END,
        sent_x / nullif(sent, 0)::double precision, sr.low, sr.high, held_x / nullif(held, 0)::double precision, hr.low, hr.high,
        sent_x / nullif(sent, 0)::double precision - held_x / nullif(held, 0)::double precision, l.low, l.high,
        reporting.pooled_p(sent_x, sent, held_x, held), p, CASE WHEN $7 THEN crossed END, CASE WHEN $7 THEN assigned_held END,
        CASE WHEN $7 THEN sent_on + held_on END,
        sent_on_x / nullif(sent_on, 0)::double precision - held_on_x / nullif(held_on, 0)::double precision, u.low, u.high,
        CASE WHEN $7 THEN sent_off + held_off END,
        sent_off_x / nullif(sent_off, 0)::double precision - held_off_x / nullif(held_off, 0)::double precision, v.low, v.high,
        (SELECT names * whats FROM size)
      FROM whole w
      CROSS JOIN LATERAL reporting.wilson(direct, devices) d
      CROSS JOIN LATERAL reporting.wilson(influenced, devices) i
      CROSS JOIN LATERAL reporting.wilson(before_converted, before_devices) bb
      CROSS JOIN LATERAL reporting.wilson(after_converted, after_devices) ba
      CROSS JOIN LATERAL reporting.wilson(sent_x, sent) sr
      CROSS JOIN LATERAL reporting.wilson(held_x, held) hr
      CROSS JOIN LATERAL reporting.newcombe(
        sent_x / nullif(sent, 0)::double precision, sent, held_x / nullif(held, 0)::double precision, held) l
      CROSS JOIN LATERAL reporting.newcombe(
        sent_on_x / nullif(sent_on, 0)::double precision, sent_on, held_on_x / nullif(held_on, 0)::double precision, held_on) u
      CROSS JOIN LATERAL reporting.newcombe(
        sent_off_x / nullif(sent_off, 0)::double precision, sent_off, held_off_x / nullif(held_off, 0)::double precision, held_off) v
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        coalesce(o.conversions, 0) - k.conversions, NULL, CASE WHEN $15 THEN coalesce(o.last_touch, 0) - k.last_touch END,
        NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT names * whats FROM size)
      FROM figure o
      CROSS JOIN (SELECT coalesce(sum(conversions), 0)::bigint AS conversions, coalesce(sum(last_touch), 0)::bigint AS last_touch FROM whole) k
      WHERE o.name IS NULL AND o.conversion IS NULL AND (SELECT names * whats FROM size) > $9
    ) row
    ORDER BY other, campaign COLLATE "C", category COLLATE "C", variant COLLATE "C", conversion COLLATE "C", currency COLLATE "C" NULLS LAST
  $query$
  USING app_number, period.from_at, period.to_at, as_of, near, "by", "by" = 'campaign', currencies, "limit", filters, begun.conversions,
    begun.begins, begun.fresh, begun.fresh_begins, NOT filters ?| '{campaign,category}';
END $$;
