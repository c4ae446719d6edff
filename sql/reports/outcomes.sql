-- report: outcomes
-- purpose: What came of campaigns: conversions and opens of the app after a response, or after being reached without one, beside
--   the same devices before and after; and what a campaign caused, as the difference between the devices it was sent to and
--   those held out of it. One row per campaign (or category, or variant) and name of a conversion; `app_open` is one of the
--   names. Devices are counted, not notifications. Rows beyond `limit` share a row `other`.
--   What it costs grows with the notifications, holdouts and conversions of the range, and with pairs of a campaign and a
--   conversion of one device that lie within a window's length of each other. A device with more than 1,000,000 of these is in
--   `devices_excess`, and its conversions are left out.
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
-- column: devices_excess | bigint | devices | Of `devices`, those whose conversions are left out: they are beyond the bound
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
-- column: baseline_before_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: baseline_before_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: baseline_after_devices | bigint | devices | Of `devices`, those whose stretch of the length of window, window after
--   their first notification of the campaign, is over, and began after the app's first conversion of that name
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
  crossed bigint, reachable_devices bigint, reachable_lift double precision, reachable_lift_low double precision,
  reachable_lift_high double precision, unreachable_devices bigint, unreachable_lift double precision,
  unreachable_lift_low double precision, unreachable_lift_high double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).microseconds * interval '1 microsecond';
  -- Of the stretches of time by which devices' events are brought together.
  width      double precision := extract(epoch FROM near) + 10;
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
      SELECT n.%1$I AS name, n.device_id, n.cohort_at, n.responded_at, n.app_opened,
        floor(extract(epoch FROM coalesce(n.responded_at - interval '10 seconds', n.cohort_at)) / $10)::bigint AS stretch
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND n.%1$I IS NOT NULL
        AND (n.reached_seen OR n.reached_assumed) AND NOT n.response_only AND %2$s
    ), assignment AS MATERIALIZED (
      SELECT name, device_id, at, is_held, share, floor(extract(epoch FROM at) / $10)::bigint AS stretch
      FROM (
        SELECT n.campaign AS name, n.device_id, n.cohort_at AS at, false AS is_held, NULL::text AS share
        FROM projection.notification n
        WHERE $7 AND n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND n.campaign IS NOT NULL AND n.requests > 0
          AND %2$s
        UNION ALL
        SELECT n.campaign, n.device_id, coalesce(n.scheduled_for, n.at), true, n.share
        FROM projection.holdout n
        WHERE $7 AND n.app_id = $1 AND coalesce(n.scheduled_for, n.at) >= $2 AND coalesce(n.scheduled_for, n.at) < $3
          AND %2$s
      ) a
    ), open AS (   -- opens of the app, and the responses that open it, in the order of time
      SELECT o.device_id, o.at, o.id, NULL::timestamptz AS responded_at
      FROM projection.app_open o
      WHERE o.app_id = $1 AND o.at >= $2 - $5 AND o.at < $3 + 2 * $5 AND o.at <= $4
      UNION ALL
      SELECT n.device_id, n.responded_at - interval '10 seconds', NULL, n.responded_at
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at IS NOT NULL AND n.app_opened
        AND n.responded_at >= $2 - $5 - interval '10 seconds' AND n.responded_at <= $3 + 2 * $5 + interval '10 seconds'
    ), happens AS MATERIALIZED (   -- conversions around the range, each order once
      SELECT h.*, floor(extract(epoch FROM h.at) / $10)::bigint AS stretch
      FROM (
        SELECT c.device_id, c.name AS conversion, CASE WHEN $8 THEN coalesce(c.currency, '') ELSE '' END AS unit, c.at, c.id,
          c.value, c.currency, false AS is_response
        FROM projection.conversion c
        WHERE c.app_id = $1 AND c.at >= $2 - $5 AND c.at < $3 + 2 * $5 AND c.at <= $4
          AND (c.order_id IS NULL OR NOT EXISTS (
            SELECT FROM projection.conversion f
            WHERE (f.app_id, f.device_id, f.name, f.order_id) = ($1, c.device_id, c.name, c.order_id)
              AND (f.at, f.id) < (c.at, c.id)))
        UNION ALL
        SELECT o.device_id, 'app_open' COLLATE "C", '', o.at, o.id, NULL, NULL,
          coalesce(o.last_at >= o.at - interval '10 seconds', false)
        FROM (
          SELECT *, max(responded_at) OVER (PARTITION BY device_id ORDER BY at) AS last_at
          FROM open
        ) o
        WHERE o.id IS NOT NULL
      ) h
      WHERE %3$s
    ), excess AS MATERIALIZED (
      SELECT device_id
      FROM (
        SELECT device_id, stretch + n AS stretch, count(DISTINCT name) AS names
        FROM (SELECT name, device_id, stretch FROM touch UNION ALL SELECT name, device_id, stretch FROM assignment) t
        CROSS JOIN generate_series(0, 1) n
        GROUP BY device_id, stretch + n
      ) t
      JOIN (SELECT device_id, stretch, count(*) AS conversions FROM happens GROUP BY device_id, stretch) h
        USING (device_id, stretch)
      GROUP BY device_id
      HAVING sum(names * conversions) > 1000000
    ), happened AS MATERIALIZED (
      SELECT * FROM happens WHERE device_id NOT IN (SELECT device_id FROM excess)
    ), first AS MATERIALIZED (
      SELECT name, device_id, min(cohort_at) AS at FROM touch GROUP BY name, device_id
    ), name AS MATERIALIZED (
      SELECT name, count(device_id) AS devices,
        row_number() OVER (ORDER BY count(device_id) DESC, nullif(name, '') COLLATE "C" NULLS LAST) AS rank
      FROM (SELECT name, device_id FROM first UNION ALL SELECT DISTINCT name, NULL FROM assignment) i
      GROUP BY name
    ), what AS MATERIALIZED (
      SELECT conversion, unit,
        row_number() OVER (ORDER BY conversion COLLATE "C", nullif(unit, '') COLLATE "C" NULLS LAST) AS rank
      FROM happens
      GROUP BY conversion, unit
    ), size AS MATERIALIZED (
      SELECT (SELECT count(*) FROM name) AS names, (SELECT count(*) FROM what) AS whats
    ), key AS MATERIALIZED (   -- the rows that have a name: those of the names with the most devices
      SELECT n.name, n.devices, w.conversion, w.unit, w.began_at
      FROM (SELECT * FROM name WHERE (rank - 1) * (SELECT whats FROM size) < $9) n
      JOIN (
        SELECT *, least(   -- when the app first had a conversion of that name
            (SELECT min(c.at) FROM projection.conversion c WHERE c.app_id = $1 AND c.name = what.conversion),
            (SELECT min(o.at) FROM projection.app_open o WHERE o.app_id = $1 AND what.conversion = 'app_open')) AS began_at
        FROM what
        WHERE rank <= $9
      ) w ON (n.rank - 1) * (SELECT whats FROM size) + w.rank <= $9
    ), kept AS MATERIALIZED (
      SELECT DISTINCT name, devices FROM key
    ), beside AS (   -- of one name and device: what reached it, and the conversions of whose windows some may hold it
      SELECT t.name, h.device_id, h.at, h.conversion, h.unit, h.id, h.value, h.currency, h.is_response,
        NULL::timestamptz AS reached_at, NULL::timestamptz AS responded_at, NULL::timestamptz AS opened_at
      FROM (SELECT DISTINCT name, device_id, stretch + n AS stretch FROM touch CROSS JOIN generate_series(0, 1) n) t
      JOIN happened h USING (device_id, stretch)
      UNION ALL
      SELECT name, device_id, coalesce(responded_at, cohort_at), NULL, NULL, NULL, NULL, NULL, NULL,
        CASE WHEN responded_at IS NULL THEN cohort_at END, responded_at, NULL
      FROM touch
      UNION ALL
      SELECT name, device_id, responded_at - interval '10 seconds', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, responded_at
      FROM touch
      WHERE app_opened AND responded_at IS NOT NULL
    ), credit AS MATERIALIZED (   -- a conversion after a notification, by the latest of those that it came after
      SELECT name, conversion, unit, device_id, id, value, currency, response > at - $5 AS is_direct,
        greatest(CASE WHEN response > at - $5 THEN response END,
          CASE WHEN NOT is_response AND reached > at - $5 THEN reached END) AS touched_at
      FROM (
        SELECT *, max(reached_at) OVER earlier AS reached,
          greatest(max(responded_at) OVER earlier, CASE WHEN is_response THEN max(opened_at) OVER earlier END) AS response
        FROM beside
        WINDOW earlier AS (PARTITION BY name, device_id ORDER BY at)
      ) b
      WHERE id IS NOT NULL AND (response > at - $5 OR (NOT is_response AND reached > at - $5))
    ), ranked AS (
      SELECT *, count(*) OVER conversion > 1 AS is_shared,
        row_number() OVER (PARTITION BY device_id, conversion, id ORDER BY touched_at DESC, name) = 1 AS is_last
      FROM credit
      WINDOW conversion AS (PARTITION BY device_id, conversion, id)
    ), credited AS MATERIALIZED (
      SELECT name, conversion, unit, count(DISTINCT device_id) FILTER (WHERE is_direct) AS direct,
        count(DISTINCT device_id) AS converted, count(*) AS conversions, count(*) FILTER (WHERE is_shared) AS shared,
        count(*) FILTER (WHERE is_last) AS last_touch, sum(value) AS value,
        array_agg(DISTINCT currency) FILTER (WHERE currency IS NOT NULL) AS currencies
      FROM ranked
      GROUP BY name, conversion, unit
    ), edge AS (   -- the devices of a name by their first notification, and the times from which a conversion's stretches count
      SELECT f.name, f.at, 1 AS devices, (f.at + 2 * $5 <= $4)::integer AS over, NULL::text AS conversion, NULL::text AS unit,
        NULL::boolean AS is_before
      FROM first f
      JOIN kept USING (name)
      UNION ALL
      SELECT k.name, k.began_at + $5, 0, 0, k.conversion, k.unit, true FROM key k
      UNION ALL
      SELECT k.name, k.began_at - $5, 0, 0, k.conversion, k.unit, false FROM key k
    ), baseline AS (
      SELECT name, conversion, unit, max(devices) FILTER (WHERE is_before) AS before_devices,
        max(over) FILTER (WHERE NOT is_before) AS after_devices
      FROM (
        SELECT name, conversion, unit, is_before, sum(devices) OVER later AS devices, sum(over) OVER later AS over
        FROM edge
        WINDOW later AS (PARTITION BY name ORDER BY at DESC)
      ) e
      WHERE conversion IS NOT NULL
      GROUP BY name, conversion, unit
    ), baseline_device AS (
      SELECT f.name, f.device_id, h.conversion, h.unit, min(f.at) AS at, bool_or(h.at < f.at) AS was_before,
        bool_or(h.at >= f.at) AS was_after
      FROM (
        SELECT f.*, floor(extract(epoch FROM f.at - $5) / $10)::bigint + n AS stretch
        FROM first f
        JOIN kept USING (name)
        CROSS JOIN generate_series(0, 3) n
      ) f
      JOIN happened h USING (device_id, stretch)
      WHERE h.at >= f.at - $5 AND h.at < f.at + 2 * $5 AND NOT (h.at >= f.at AND h.at < f.at + $5)
      GROUP BY f.name, f.device_id, h.conversion, h.unit
    ), baseline_converted AS (
      SELECT name, conversion, unit, count(*) FILTER (WHERE was_before AND s.at - $5 >= k.began_at) AS before_converted,
        count(*) FILTER (WHERE was_after AND s.at + $5 >= k.began_at AND s.at + 2 * $5 <= $4) AS after_converted
      FROM baseline_device s
      JOIN key k USING (name, conversion, unit)
      GROUP BY name, conversion, unit
    ), assigned AS MATERIALIZED (   -- the first of a campaign's assignments of a device
      SELECT DISTINCT ON (name, device_id) name, device_id, at, stretch, is_held,
        bool_or(is_held) OVER device AND NOT bool_and(is_held) OVER device AS is_crossed
      FROM assignment
      JOIN kept USING (name)
      WINDOW device AS (PARTITION BY name, device_id)
      ORDER BY name, device_id, at, is_held
    ), ripe AS MATERIALIZED (   -- those whose window is over, and whether they could be notified
      SELECT a.name, a.device_id, a.at, a.stretch, a.is_held, (
          SELECT CASE WHEN p.value->>'authorization_status' IN ('authorized', 'provisional', 'ephemeral') THEN true
            WHEN p.value->>'authorization_status' IS NOT NULL THEN false END
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, a.device_id, 'settings') AND p.first_at <= a.at
          ORDER BY p.first_at DESC, p.first_id DESC
          LIMIT 1) AS is_reachable
      FROM assigned a
      WHERE a.at + $5 <= $4
    ), arm AS (
      SELECT name, count(*) FILTER (WHERE NOT is_held) AS sent, count(*) FILTER (WHERE is_held) AS held,
        count(*) FILTER (WHERE NOT is_held AND is_reachable) AS sent_on, count(*) FILTER (WHERE is_held AND is_reachable) AS held_on,
        count(*) FILTER (WHERE NOT is_held AND NOT is_reachable) AS sent_off,
        count(*) FILTER (WHERE is_held AND NOT is_reachable) AS held_off
      FROM ripe
      GROUP BY name
    ), succeeded AS (
      SELECT name, conversion, unit, count(*) FILTER (WHERE NOT is_held) AS sent, count(*) FILTER (WHERE is_held) AS held,
        count(*) FILTER (WHERE NOT is_held AND is_reachable) AS sent_on, count(*) FILTER (WHERE is_held AND is_reachable) AS held_on,
        count(*) FILTER (WHERE NOT is_held AND NOT is_reachable) AS sent_off,
        count(*) FILTER (WHERE is_held AND NOT is_reachable) AS held_off
      FROM (
        SELECT DISTINCT a.name, a.device_id, a.is_held, a.is_reachable, h.conversion, h.unit
        FROM (SELECT r.*, r.stretch + n AS near FROM ripe r CROSS JOIN generate_series(0, 1) n) a
        JOIN happened h ON h.device_id = a.device_id AND h.stretch = a.near AND h.at >= a.at AND h.at < a.at + $5
      ) s
      GROUP BY name, conversion, unit
    ), ratio AS (
      SELECT a.name, count(*) FILTER (WHERE a.is_crossed) AS crossed,
        CASE WHEN d.share > 0 AND d.share < 1 THEN reporting.chi_square_tail(
          (count(*) FILTER (WHERE a.is_held) - count(*) * d.share) ^ 2 / (count(*) * d.share * (1 - d.share)), 1) END AS p
      FROM assigned a
      LEFT JOIN (
        SELECT name, CASE WHEN count(DISTINCT share::numeric) = 1 THEN min(share::double precision) END AS share
        FROM assignment
        WHERE is_held
        GROUP BY name
      ) d USING (name)
      GROUP BY a.name, d.share
    ), left_out AS (
      SELECT name, count(*) AS devices FROM first WHERE device_id IN (SELECT device_id FROM excess) GROUP BY name
    ), whole AS (
      SELECT k.name, k.conversion, k.unit, k.devices, coalesce(e.devices, 0) AS excess, coalesce(c.direct, 0) AS direct,
        coalesce(c.converted - c.direct, 0) AS influenced, coalesce(c.conversions, 0) AS conversions,
        coalesce(c.shared, 0) AS shared, coalesce(c.last_touch, 0) AS last_touch, c.value, c.currencies,
        coalesce(b.before_devices, 0) AS before_devices, coalesce(o.before_converted, 0) AS before_converted,
        coalesce(b.after_devices, 0) AS after_devices, coalesce(o.after_converted, 0) AS after_converted,
        coalesce(a.sent, 0) AS sent, coalesce(a.held, 0) AS held, coalesce(s.sent, 0) AS sent_x, coalesce(s.held, 0) AS held_x,
        coalesce(r.crossed, 0) AS crossed, r.p, coalesce(a.sent_on, 0) AS sent_on, coalesce(a.held_on, 0) AS held_on,
        coalesce(s.sent_on, 0) AS sent_on_x, coalesce(s.held_on, 0) AS held_on_x, coalesce(a.sent_off, 0) AS sent_off,
        coalesce(a.held_off, 0) AS held_off, coalesce(s.sent_off, 0) AS sent_off_x, coalesce(s.held_off, 0) AS held_off_x
      FROM key k
      LEFT JOIN left_out e USING (name)
      LEFT JOIN credited c USING (name, conversion, unit)
      LEFT JOIN baseline b USING (name, conversion, unit)
      LEFT JOIN baseline_converted o USING (name, conversion, unit)
      LEFT JOIN arm a USING (name)
      LEFT JOIN succeeded s USING (name, conversion, unit)
      LEFT JOIN ratio r USING (name)
    )
    SELECT * FROM (
      SELECT CASE $6 WHEN 'campaign' THEN name END AS campaign, CASE $6 WHEN 'category' THEN name END AS category,
        CASE $6 WHEN 'variant' THEN name END AS variant, conversion, nullif(unit, '') AS currency, false AS other, devices,
        excess, direct, influenced, direct / nullif(devices, 0)::double precision, d.low, d.high,
        influenced / nullif(devices, 0)::double precision, i.low, i.high, conversions, shared, last_touch,
        CASE WHEN cardinality(currencies) = 1 AND abs(w.value) < 9e18 THEN w.value::bigint END,
        before_devices, before_converted, before_converted / nullif(before_devices, 0)::double precision, bb.low, bb.high,
        after_devices, after_converted, after_converted / nullif(after_devices, 0)::double precision, ba.low, ba.high,
        CASE WHEN $7 THEN sent END, CASE WHEN $7 THEN held END, CASE WHEN $7 THEN sent_x END, CASE WHEN $7 THEN held_x END,
        sent_x / nullif(sent, 0)::double precision, sr.low, sr.high, held_x / nullif(held, 0)::double precision, hr.low, hr.high,
        sent_x / nullif(sent, 0)::double precision - held_x / nullif(held, 0)::double precision, l.low, l.high,
        reporting.pooled_p(sent_x, sent, held_x, held), p, CASE WHEN $7 THEN crossed END,
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
        coalesce(sum(c.conversions), 0)::bigint, NULL, coalesce(sum(c.last_touch), 0)::bigint, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT names * whats FROM size)
      FROM credited c
      WHERE NOT EXISTS (SELECT FROM key k WHERE (k.name, k.conversion, k.unit) = (c.name, c.conversion, c.unit))
      HAVING (SELECT names * whats FROM size) > $9
    ) row
    ORDER BY other, campaign, category, variant, conversion, currency NULLS LAST
  $query$, "by", reporting.filter(filters - 'conversion', '{"campaign": "coalesce(n.campaign, '''')", "category": "coalesce(n.category, '''')"}'),
    reporting.filter(CASE WHEN filters ? 'conversion' THEN jsonb_build_object('conversion', filters->'conversion') ELSE '{}' END,
      '{"conversion": "h.conversion"}'))
  USING app_number, period.from_at, period.to_at, as_of, near, "by", "by" = 'campaign', currencies = 'apart', "limit", width;
END $$;
