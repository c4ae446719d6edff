-- report: outcomes
-- purpose: What came of campaigns: conversions and opens of the app after a response, or after being reached without one, beside
--   the same devices before and after; and what a campaign caused, as the difference between the devices it was sent to and
--   those held out of it. One row per campaign (or category, or variant) and name of a conversion; `app_open` is one of the
--   names. Devices are counted, not notifications. Rows beyond `limit` share a row `other`.
-- reads: notification, conversion, device_period
-- by rows: notifications of campaigns, holdouts, conversions and opens of the app, each one
--
-- parameter: by | choice | campaign | campaign, category, variant | What rows stand for. Only rows of a campaign have a lift
-- parameter: currencies | choice | together | together, apart | Whether each currency has a row of its own
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Notifications and holdouts at or after this time
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Notifications and holdouts before this time
-- parameter: tz | zone | UTC | an IANA time zone | Time zone of dates
-- parameter: window | duration | P3D | PT1S to P400D | How long after a notification a conversion counts
-- parameter: limit | whole | 1000 | 1 to 10000 | How many rows stand for one campaign and conversion: those with the most
--   devices; all others share one row, `other`
-- filters: campaign, category, conversion
-- table: campaign, category, variant, conversion, currency, devices, direct, influenced, conversions, value, direct_rate,
--   influenced_rate, baseline_before_rate, baseline_after_rate, sent_rate, held_out_rate, lift, lift_low, lift_high, lift_p,
--   sample_ratio_p
--
-- column: campaign | text | | The campaign; null unless `by` is campaign
-- column: category | text | | The category that the person saw; null unless `by` is category
-- column: variant | text | | The variant; null unless `by` is variant
-- column: conversion | text | | The name of the conversion
-- column: currency | text | | With currencies=apart: the currency of the value, null for conversions without one
-- column: other | boolean | | True in the row of everything beyond `limit`; its names, devices and rates are null
-- column: devices | bigint | devices | Devices that a notification reached
-- column: direct | bigint | devices | Of `devices`, those with a conversion within window after they responded
-- column: influenced | bigint | devices | Of `devices`, those without that, with a conversion within window after a notification
--   reached them that they did not respond to. An open within 10 s of a response that opens the app is that response's
-- column: direct_rate | double precision | fraction | `direct` ÷ `devices`
-- column: direct_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: direct_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: influenced_rate | double precision | fraction | `influenced` ÷ `devices`
-- column: influenced_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: influenced_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: conversions | bigint | conversions | Conversions after a response or after being reached without one
-- column: conversions_shared | bigint | conversions | Of `conversions`, those that other campaigns (categories, variants) count too
-- column: last_touch | bigint | conversions | Of `conversions`, those before which nothing came later than this campaign's
--   response or notification: each conversion is the last touch of one
-- column: value | bigint | minor units | The sum of their values, in minor units of the currency; null where currencies differ,
--   or beyond what a bigint holds
-- column: baseline_before_devices | bigint | devices | Of `devices`, those whose stretch of the length of window before their
--   first notification of the campaign began after the app's first conversion of that name
-- column: baseline_before_converted | bigint | devices | Of them, those with a conversion in that stretch
-- column: baseline_before_rate | double precision | fraction | `baseline_before_converted` ÷ `baseline_before_devices`
-- column: baseline_after_devices | bigint | devices | Of `devices`, those whose stretch of the length of window, window after
--   their first notification of the campaign, is over, and began after the app's first conversion of that name
-- column: baseline_after_converted | bigint | devices | Of them, those with a conversion in that stretch
-- column: baseline_after_rate | double precision | fraction | `baseline_after_converted` ÷ `baseline_after_devices`
-- column: sent_devices | bigint | devices | Devices that the campaign was first sent to, failed or not, whose window is over
-- column: held_out_devices | bigint | devices | Devices that were first held out of the campaign, whose window is over
-- column: sent_converted | bigint | devices | Of `sent_devices`, those with a conversion within window
-- column: held_out_converted | bigint | devices | Of `held_out_devices`, those with a conversion within window
-- column: sent_rate | double precision | fraction | `sent_converted` ÷ `sent_devices`
-- column: held_out_rate | double precision | fraction | `held_out_converted` ÷ `held_out_devices`
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
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000,
  as_of timestamptz DEFAULT now())
RETURNS TABLE (
  campaign text, category text, variant text, conversion text, currency text, other boolean, devices bigint, direct bigint,
  influenced bigint, direct_rate double precision, direct_rate_low double precision, direct_rate_high double precision,
  influenced_rate double precision, influenced_rate_low double precision, influenced_rate_high double precision,
  conversions bigint, conversions_shared bigint, last_touch bigint, value bigint,
  baseline_before_devices bigint, baseline_before_converted bigint, baseline_before_rate double precision,
  baseline_after_devices bigint, baseline_after_converted bigint, baseline_after_rate double precision, sent_devices bigint, held_out_devices bigint, sent_converted bigint,
  held_out_converted bigint, sent_rate double precision, held_out_rate double precision, lift double precision,
  lift_low double precision, lift_high double precision, lift_p double precision, sample_ratio_p double precision,
  crossed bigint, reachable_devices bigint, reachable_lift double precision, reachable_lift_low double precision,
  reachable_lift_high double precision, unreachable_devices bigint, unreachable_lift double precision,
  unreachable_lift_low double precision, unreachable_lift_high double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).microseconds * interval '1 microsecond';
  period     record;
BEGIN
  PERFORM reporting.choice('by', "by", '{campaign,category,variant}');
  PERFORM reporting.choice('currencies', currencies, '{together,apart}');
  PERFORM reporting.row_limit("limit");
  PERFORM reporting.time_zone(tz);
  PERFORM reporting.filter(filters, '{"campaign": "", "category": "", "conversion": ""}');
  period := reporting.period("from", "to", tz, as_of);

  RETURN QUERY EXECUTE format($query$
    WITH touch AS MATERIALIZED (   -- what reached devices in the range
      SELECT n.%1$I AS name, n.device_id, n.cohort_at, n.responded_at, n.app_opened
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND n.%1$I IS NOT NULL
        AND (n.reached_seen OR n.reached_assumed) AND NOT n.response_only AND %2$s
    ), assigned AS MATERIALIZED (   -- the first of a campaign's assignments of a device
      SELECT DISTINCT ON (name, device_id) name, device_id, at, is_held,
        bool_or(is_held) OVER device AND NOT bool_and(is_held) OVER device AS is_crossed
      FROM (
        SELECT n.campaign AS name, n.device_id, n.cohort_at AS at, false AS is_held
        FROM projection.notification n
        WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND n.campaign IS NOT NULL AND n.requests > 0 AND %2$s
        UNION ALL
        SELECT n.campaign, n.device_id, coalesce(n.scheduled_for, n.at), true
        FROM projection.holdout n
        WHERE n.app_id = $1 AND coalesce(n.scheduled_for, n.at) >= $2 AND coalesce(n.scheduled_for, n.at) < $3 AND %2$s
      ) assignment
      WHERE $7
      WINDOW device AS (PARTITION BY name, device_id)
      ORDER BY name, device_id, at, is_held
    ), declared AS (
      SELECT n.campaign AS name, CASE WHEN count(DISTINCT n.share::numeric) = 1 THEN min(n.share::double precision) END AS share
      FROM projection.holdout n
      WHERE n.app_id = $1 AND coalesce(n.scheduled_for, n.at) >= $2 AND coalesce(n.scheduled_for, n.at) < $3 AND %2$s
      GROUP BY n.campaign
    ), happened AS MATERIALIZED (   -- conversions around the range, each order once
      SELECT h.*, false AS is_response
      FROM (
        SELECT c.device_id, c.name AS conversion, CASE WHEN $8 THEN coalesce(c.currency, '') ELSE '' END AS unit, c.at, c.id,
          c.value, c.currency
        FROM (
          SELECT *, row_number() OVER (PARTITION BY device_id, name, order_id ORDER BY at, id) AS number
          FROM projection.conversion WHERE app_id = $1
        ) c
        WHERE c.number = 1 OR c.order_id IS NULL
      ) h
      WHERE h.at >= $2 - $5 AND h.at < $3 + 2 * $5 AND h.at <= $4 AND %3$s
      UNION ALL
      SELECT h.*, EXISTS (
          SELECT FROM projection.notification n
          WHERE n.app_id = $1 AND n.device_id = h.device_id AND n.cohort_at IS NOT NULL AND n.app_opened
            AND n.responded_at >= h.at - interval '10 seconds' AND n.responded_at <= h.at + interval '10 seconds')
      FROM (
        SELECT o.device_id, 'app_open' COLLATE "C" AS conversion, '' AS unit, o.at, o.id, NULL::bigint, NULL::text
        FROM projection.app_open o
        WHERE o.app_id = $1 AND o.at >= $2 - $5 AND o.at < $3 + 2 * $5 AND o.at <= $4
      ) h
      WHERE %3$s
    ), began AS (   -- when the app first had a conversion of that name
      SELECT h.conversion, min(h.at) AS at
      FROM (
        SELECT c.name AS conversion, c.at FROM projection.conversion c WHERE c.app_id = $1
        UNION ALL
        SELECT 'app_open', o.at FROM projection.app_open o WHERE o.app_id = $1
      ) h
      GROUP BY h.conversion
    ), what AS MATERIALIZED (
      SELECT DISTINCT h.conversion, h.unit, b.at AS began_at FROM happened h JOIN began b USING (conversion)
    ), credit AS MATERIALIZED (   -- a conversion after a notification, by the latest of those that it came after
      SELECT t.name, h.conversion, h.unit, h.device_id, h.id, h.value, h.currency,
        bool_or(t.responded_at IS NOT NULL) AS is_direct, max(coalesce(t.responded_at, t.cohort_at)) AS touched_at
      FROM touch t
      JOIN happened h USING (device_id)
      WHERE CASE WHEN t.responded_at IS NULL THEN h.at >= t.cohort_at AND h.at < t.cohort_at + $5 AND NOT h.is_response
        ELSE h.at < t.responded_at + $5 AND (h.at >= t.responded_at
          OR (h.conversion = 'app_open' AND h.is_response AND t.app_opened AND h.at >= t.responded_at - interval '10 seconds')) END
      GROUP BY t.name, h.conversion, h.unit, h.device_id, h.id, h.value, h.currency
    ), ranked AS (
      SELECT *, count(*) OVER conversion > 1 AS is_shared,
        row_number() OVER (PARTITION BY device_id, conversion, id ORDER BY touched_at DESC, name) = 1 AS is_last
      FROM credit
      WINDOW conversion AS (PARTITION BY device_id, conversion, id)
    ), credited AS (
      SELECT name, conversion, unit, count(DISTINCT device_id) FILTER (WHERE is_direct) AS direct,
        count(DISTINCT device_id) AS converted, count(*) AS conversions, count(*) FILTER (WHERE is_shared) AS shared,
        count(*) FILTER (WHERE is_last) AS last_touch, sum(value) AS value, array_agg(DISTINCT currency) FILTER (WHERE currency IS NOT NULL) AS currencies
      FROM ranked
      GROUP BY name, conversion, unit
    ), first AS MATERIALIZED (
      SELECT name, device_id, min(cohort_at) AS at FROM touch GROUP BY name, device_id
    ), baseline AS (
      SELECT f.name, w.conversion, w.unit, count(*) AS devices,
        count(*) FILTER (WHERE f.at - $5 >= w.began_at) AS before_devices,
        count(*) FILTER (WHERE f.at - $5 >= w.began_at AND s.was_before) AS before_converted,
        count(*) FILTER (WHERE f.at + $5 >= w.began_at AND f.at + 2 * $5 <= $4) AS after_devices,
        count(*) FILTER (WHERE f.at + $5 >= w.began_at AND f.at + 2 * $5 <= $4 AND s.was_after) AS after_converted
      FROM first f
      CROSS JOIN what w
      LEFT JOIN (
        SELECT f.name, f.device_id, h.conversion, h.unit, bool_or(h.at >= f.at - $5 AND h.at < f.at) AS was_before,
          bool_or(h.at >= f.at + $5 AND h.at < f.at + 2 * $5) AS was_after
        FROM first f
        JOIN happened h USING (device_id)
        GROUP BY f.name, f.device_id, h.conversion, h.unit
      ) s ON (s.name, s.device_id, s.conversion, s.unit) = (f.name, f.device_id, w.conversion, w.unit)
      GROUP BY f.name, w.conversion, w.unit
    ), ripe AS MATERIALIZED (   -- those whose window is over, and whether they could be notified
      SELECT a.name, a.device_id, a.at, a.is_held, (
          SELECT CASE WHEN p.value->>'authorization_status' IN ('authorized', 'provisional', 'ephemeral') THEN true
            WHEN p.value->>'authorization_status' IS NOT NULL THEN false END
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, a.device_id, 'settings') AND p.first_at <= a.at
          ORDER BY p.first_at DESC, p.first_id DESC
          LIMIT 1) AS is_reachable
      FROM assigned a
      WHERE a.at + $5 <= $4
    ), succeeded AS MATERIALIZED (
      SELECT DISTINCT a.name, a.device_id, h.conversion, h.unit
      FROM ripe a
      JOIN happened h ON h.device_id = a.device_id AND h.at >= a.at AND h.at < a.at + $5
    ), arm AS (
      SELECT a.name, w.conversion, w.unit, count(*) FILTER (WHERE NOT is_held) AS sent, count(*) FILTER (WHERE is_held) AS held,
        count(*) FILTER (WHERE NOT is_held AND s.device_id IS NOT NULL) AS sent_x,
        count(*) FILTER (WHERE is_held AND s.device_id IS NOT NULL) AS held_x,
        count(*) FILTER (WHERE NOT is_held AND is_reachable) AS sent_on, count(*) FILTER (WHERE is_held AND is_reachable) AS held_on,
        count(*) FILTER (WHERE NOT is_held AND is_reachable AND s.device_id IS NOT NULL) AS sent_on_x,
        count(*) FILTER (WHERE is_held AND is_reachable AND s.device_id IS NOT NULL) AS held_on_x,
        count(*) FILTER (WHERE NOT is_held AND NOT is_reachable) AS sent_off, count(*) FILTER (WHERE is_held AND NOT is_reachable) AS held_off,
        count(*) FILTER (WHERE NOT is_held AND NOT is_reachable AND s.device_id IS NOT NULL) AS sent_off_x,
        count(*) FILTER (WHERE is_held AND NOT is_reachable AND s.device_id IS NOT NULL) AS held_off_x
      FROM ripe a
      CROSS JOIN what w
      LEFT JOIN succeeded s ON (s.name, s.device_id, s.conversion, s.unit) = (a.name, a.device_id, w.conversion, w.unit)
      GROUP BY a.name, w.conversion, w.unit
    ), ratio AS (
      SELECT a.name, count(*) FILTER (WHERE a.is_crossed) AS crossed,
        CASE WHEN d.share > 0 AND d.share < 1 THEN reporting.chi_square_tail(
          (count(*) FILTER (WHERE a.is_held) - count(*) * d.share) ^ 2 / (count(*) * d.share * (1 - d.share)), 1) END AS p
      FROM assigned a
      LEFT JOIN declared d USING (name)
      GROUP BY a.name, d.share
    ), named AS (
      SELECT i.name, w.conversion, w.unit, coalesce(b.devices, 0) AS devices
      FROM (SELECT name FROM first UNION SELECT name FROM assigned) i
      CROSS JOIN what w
      LEFT JOIN baseline b USING (name, conversion, unit)
    ), %4$s, whole AS (
      SELECT k.key, k.name, k.conversion, k.unit, n.devices, coalesce(c.direct, 0) AS direct,
        coalesce(c.converted - c.direct, 0) AS influenced, coalesce(c.conversions, 0) AS conversions,
        coalesce(c.shared, 0) AS shared, coalesce(c.last_touch, 0) AS last_touch, c.value, c.currencies,
        coalesce(b.before_devices, 0) AS before_devices, coalesce(b.before_converted, 0) AS before_converted,
        coalesce(b.after_devices, 0) AS after_devices, coalesce(b.after_converted, 0) AS after_converted, coalesce(a.sent, 0) AS sent, coalesce(a.held, 0) AS held, coalesce(a.sent_x, 0) AS sent_x,
        coalesce(a.held_x, 0) AS held_x, coalesce(r.crossed, 0) AS crossed, r.p, coalesce(a.sent_on, 0) AS sent_on,
        coalesce(a.held_on, 0) AS held_on, a.sent_on_x, a.held_on_x, coalesce(a.sent_off, 0) AS sent_off,
        coalesce(a.held_off, 0) AS held_off, a.sent_off_x, a.held_off_x
      FROM key k
      JOIN named n USING (name, conversion, unit)
      LEFT JOIN credited c USING (name, conversion, unit)
      LEFT JOIN baseline b USING (name, conversion, unit)
      LEFT JOIN arm a USING (name, conversion, unit)
      LEFT JOIN ratio r USING (name)
    )
    SELECT * FROM (
      SELECT CASE $6 WHEN 'campaign' THEN name END AS campaign, CASE $6 WHEN 'category' THEN name END AS category,
        CASE $6 WHEN 'variant' THEN name END AS variant, conversion, nullif(unit, '') AS currency, false AS other, devices,
        direct, influenced, direct / nullif(devices, 0)::double precision, d.low, d.high,
        influenced / nullif(devices, 0)::double precision, i.low, i.high, conversions, shared, last_touch,
        CASE WHEN cardinality(currencies) = 1 AND abs(w.value) < 9e18 THEN w.value::bigint END,
        before_devices, before_converted, before_converted / nullif(before_devices, 0)::double precision,
        after_devices, after_converted, after_converted / nullif(after_devices, 0)::double precision,
        CASE WHEN $7 THEN sent END, CASE WHEN $7 THEN held END, CASE WHEN $7 THEN sent_x END, CASE WHEN $7 THEN held_x END,
        sent_x / nullif(sent, 0)::double precision, held_x / nullif(held, 0)::double precision,
        sent_x / nullif(sent, 0)::double precision - held_x / nullif(held, 0)::double precision, l.low, l.high,
        reporting.pooled_p(sent_x, sent, held_x, held), p, CASE WHEN $7 THEN crossed END,
        CASE WHEN $7 THEN sent_on + held_on END,
        sent_on_x / nullif(sent_on, 0)::double precision - held_on_x / nullif(held_on, 0)::double precision, u.low, u.high,
        CASE WHEN $7 THEN sent_off + held_off END,
        sent_off_x / nullif(sent_off, 0)::double precision - held_off_x / nullif(held_off, 0)::double precision, v.low, v.high,
        (SELECT count(*) FROM key)
      FROM whole w
      CROSS JOIN LATERAL reporting.wilson(direct, devices) d
      CROSS JOIN LATERAL reporting.wilson(influenced, devices) i
      CROSS JOIN LATERAL reporting.newcombe(
        sent_x / nullif(sent, 0)::double precision, sent, held_x / nullif(held, 0)::double precision, held) l
      CROSS JOIN LATERAL reporting.newcombe(
        sent_on_x / nullif(sent_on, 0)::double precision, sent_on, held_on_x / nullif(held_on, 0)::double precision, held_on) u
      CROSS JOIN LATERAL reporting.newcombe(
        sent_off_x / nullif(sent_off, 0)::double precision, sent_off, held_off_x / nullif(held_off, 0)::double precision, held_off) v
      WHERE key <= $9
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sum(conversions)::bigint, NULL,
        sum(last_touch)::bigint, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT count(*) FROM key)
      FROM whole
      WHERE key > $9
      HAVING count(*) > 0
    ) row
    ORDER BY other, campaign, category, variant, conversion, currency NULLS LAST
  $query$, "by", reporting.filter(filters - 'conversion', '{"campaign": "coalesce(n.campaign, '''')", "category": "coalesce(n.category, '''')"}'),
    reporting.filter(CASE WHEN filters ? 'conversion' THEN jsonb_build_object('conversion', filters->'conversion') ELSE '{}' END,
      '{"conversion": "h.conversion"}'),
    reporting.keys('named', '{name,conversion,unit}', 'devices', '$9'))
  USING app_number, period.from_at, period.to_at, as_of, near, "by", "by" = 'campaign', currencies = 'apart', "limit";
END $$;
