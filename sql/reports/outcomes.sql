-- report: outcomes
-- purpose: What came of campaigns: conversions and opens of the app after a response, or after being reached without one, beside
--   the same devices before and after; and what a campaign caused, as the difference between the devices it was sent to and
--   those held out of it. One row per campaign (or category, or variant) and name of a conversion; `app_open` is one of the
--   names. Devices are counted, not notifications. Rows beyond `limit` share a row `other`.
--   What it costs grows with the notifications, holdouts and conversions of the range, with pairs of a campaign and a
--   conversion of one device that lie within a window's length of each other, and with those of its campaigns and names of
--   conversions that have rows. A device with more than 1,000,000 of these is in
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
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  -- Of the stretches of time by which devices' events are brought together, and when one of them begins.
  width      interval := near + interval '10 seconds';
  origin     constant timestamptz := '1970-01-01 00:00:00Z';
  period     record;
BEGIN
  PERFORM reporting.choice('by', "by", '{campaign,category,variant}');
  PERFORM reporting.choice('currencies', currencies, '{together,apart}');
  PERFORM reporting.row_limit("limit");
  PERFORM reporting.time_zone(tz);
  PERFORM reporting.filters(filters, '{campaign,category,conversion}');
  period := reporting.period("from", "to", tz, as_of, CASE WHEN mature THEN "window" END);

  RETURN QUERY EXECUTE format($query$
    WITH notified AS MATERIALIZED (   -- what reached devices in the range, and what campaigns sent them
      SELECT CASE $6 WHEN 'campaign' THEN n.campaign WHEN 'category' THEN n.category ELSE n.variant END AS name,
        n.device_id, CASE WHEN n.responded_at IS NOT NULL THEN n.notification_id END AS notification_id, n.occurrence,
        n.cohort_at AS at, n.responded_at, n.app_opened,
        (n.reached_seen OR n.reached_assumed) AND NOT n.response_only AS is_touch, $7 AND n.requests > 0 AS is_sent,
        CASE WHEN $7 THEN %s & 7 END AS status
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3
        AND CASE $6 WHEN 'campaign' THEN n.campaign WHEN 'category' THEN n.category ELSE n.variant END IS NOT NULL
        AND (((n.reached_seen OR n.reached_assumed) AND NOT n.response_only) OR ($7 AND n.requests > 0))
        AND reporting.matches(coalesce(n.campaign, ''), $12, 'campaign')
        AND reporting.matches(coalesce(n.category, ''), $12, 'category')
    ), again AS MATERIALIZED (   -- responses to what had been responded to
      SELECT n.name, n.device_id, a.first_at AS at, a.action_id = 'default' AS app_opened
      FROM notified n
      JOIN projection.notification_action a USING (device_id, notification_id, occurrence)
      WHERE a.app_id = $1 AND n.is_touch AND n.notification_id IS NOT NULL AND a.first_at > n.responded_at
    ), held AS MATERIALIZED (   -- what was kept from devices
      SELECT n.campaign AS name, n.device_id, coalesce(n.scheduled_for, n.at) AS at, n.share,
        CASE WHEN coalesce(n.scheduled_for, n.at) + $5 <= $4 THEN (   -- of a window that is over, like n.settings
          SELECT CASE WHEN p.value->>'authorization_status' IN ('authorized', 'provisional', 'ephemeral') THEN 3
            WHEN p.value->>'authorization_status' IS NOT NULL THEN 1 END
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, n.device_id, 'settings') AND p.first_at <= coalesce(n.scheduled_for, n.at)
          ORDER BY p.first_at DESC, p.first_id DESC
          LIMIT 1) END AS status
      FROM projection.holdout n
      WHERE $7 AND n.app_id = $1 AND coalesce(n.scheduled_for, n.at) >= $2 AND coalesce(n.scheduled_for, n.at) < $3
        AND reporting.matches(coalesce(n.campaign, ''), $12, 'campaign')
        AND reporting.matches(coalesce(n.category, ''), $12, 'category')
    ), found AS NOT MATERIALIZED (   -- all of these
      SELECT name, device_id, at, responded_at, app_opened, is_touch, is_sent, false AS is_held, false AS is_again, status
      FROM notified
      UNION ALL
      SELECT name, device_id, at, at, app_opened, false, false, false, true, NULL FROM again
      UNION ALL
      SELECT name, device_id, at, NULL, NULL, false, false, true, false, status FROM held
    ), device AS MATERIALIZED (   -- devices, names and conversions by numbers: texts take long to compare
      SELECT device_id, row_number() OVER ()::integer AS device, entries
      FROM (SELECT device_id, count(*) AS entries FROM found GROUP BY device_id) d
    ), label AS MATERIALIZED (
      SELECT label, row_number() OVER (ORDER BY label COLLATE "C")::integer AS name FROM (SELECT DISTINCT name AS label FROM found) l
    ), seen AS MATERIALIZED (
      SELECT l.name, d.device, f.at, f.responded_at, f.app_opened, f.is_touch, f.is_sent, f.is_held, f.is_again, f.status
      FROM found f
      JOIN label l ON l.label = f.name
      JOIN device d USING (device_id)
    ), pair AS MATERIALIZED (   -- a device of a name: the first of what reached it, and of its assignments; whether it could be notified then
      SELECT name, device, first_at, least(sent_at, held_at) AS assigned_at, coalesce(held_at < sent_at, sent_at IS NULL) AS is_held,
        sent_at IS NOT NULL AND held_at IS NOT NULL AS is_crossed,
        CASE
          WHEN held_at < sent_at OR sent_at IS NULL THEN
            CASE WHEN held_on_at = held_at THEN true WHEN held_off_at = held_at THEN false END
          WHEN sent_on_at = sent_at THEN true
          WHEN sent_off_at = sent_at THEN false END AS is_reachable
      FROM (
        SELECT name, device, min(at) FILTER (WHERE is_touch) AS first_at, min(at) FILTER (WHERE is_sent) AS sent_at,
          min(at) FILTER (WHERE is_held) AS held_at, min(at) FILTER (WHERE is_sent AND status IN (3, 4, 5)) AS sent_on_at,
          min(at) FILTER (WHERE is_sent AND status IN (1, 2)) AS sent_off_at, min(at) FILTER (WHERE is_held AND status = 3) AS held_on_at,
          min(at) FILTER (WHERE is_held AND status = 1) AS held_off_at
        FROM seen
        GROUP BY name, device
      ) p
    ), late AS MATERIALIZED (   -- the windows of late responses, as far as they lie after all that is read around the range
      SELECT device_id, range_agg(tstzrange(greatest(responded_at - interval '10 seconds', $3 + 2 * $5), responded_at + $5)) AS windows
      FROM found
      WHERE (is_touch OR is_again) AND responded_at > $3 + $5
      GROUP BY device_id
    ), bought AS MATERIALIZED (   -- conversions around the range and after late responses, each order once
      SELECT h.*, row_number() OVER ()::integer AS item
      FROM (
        SELECT c.device_id, c.name AS conversion, CASE WHEN $8 THEN coalesce(c.currency, '') ELSE '' END AS unit, c.at, c.id,
          c.value, c.currency
        FROM (
          SELECT * FROM projection.conversion c WHERE c.app_id = $1 AND c.at >= $2 - $5 AND c.at < $3 + 2 * $5
          UNION ALL
          SELECT c.*
          FROM late
          CROSS JOIN LATERAL unnest(windows) AS w (r)
          CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
            SELECT * FROM projection.conversion c
            WHERE (c.app_id, c.device_id) = ($1, late.device_id) AND c.at >= lower(w.r) AND c.at < upper(w.r)
            OFFSET 0
          ) c
        ) c
        WHERE c.at <= $4 AND (c.order_id IS NULL OR NOT EXISTS (
            SELECT FROM projection.conversion f
            WHERE (f.app_id, f.device_id, f.name, f.order_id) = ($1, c.device_id, c.name, c.order_id)
              AND (f.at, f.id) < (c.at, c.id)))
      ) h
      WHERE reporting.matches(h.conversion, $12, 'conversion')
    ), what AS MATERIALIZED (
      SELECT conversion, unit,
        row_number() OVER (ORDER BY conversion COLLATE "C", nullif(unit, '') COLLATE "C" NULLS LAST) AS what
      FROM (
        SELECT conversion, unit FROM bought
        UNION
        SELECT h.conversion, ''
        FROM (SELECT 'app_open' COLLATE "C" AS conversion) h
        WHERE reporting.matches(h.conversion, $12, 'conversion') AND (
          (   -- the first of them, which the index has at hand
            SELECT min(o.at) FROM projection.app_open o
            WHERE o.app_id = $1 AND o.at >= $2 - $5 AND o.at < $3 + 2 * $5 AND o.at <= $4) IS NOT NULL
          OR EXISTS (
            SELECT
            FROM late
            CROSS JOIN LATERAL unnest(windows) AS w (r)
            CROSS JOIN LATERAL (
              SELECT FROM projection.app_open o
              WHERE (o.app_id, o.device_id) = ($1, late.device_id) AND o.at >= lower(w.r) AND o.at < upper(w.r) AND o.at <= $4
              LIMIT 1
            ) o))
      ) h
    ), answer AS (   -- a device's responses that open the app, in the order of time
      SELECT d.device, array_agg(r.at ORDER BY r.at) AS ats
      FROM (
        SELECT a.device_id, a.first_at AS at
        FROM projection.notification_action a
        WHERE a.app_id = $1 AND a.first_at >= $2 - $5 - interval '10 seconds'
          AND a.first_at <= greatest($3 + 2 * $5, (SELECT max(upper(windows)) FROM late)) + interval '10 seconds'
          AND (a.action_id = 'default' OR EXISTS (   -- a tap, or a button that opens the app and was the first response
            SELECT FROM projection.notification n
            WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, a.device_id, a.notification_id, a.occurrence)
              AND n.cohort_at IS NOT NULL AND n.app_opened AND n.responded_at = a.first_at))
      ) r
      JOIN device d USING (device_id)
      GROUP BY d.device
    ), sale AS MATERIALIZED (   -- conversions of those devices
      SELECT d.device, w.what::integer AS what, b.at, b.item
      FROM bought b
      JOIN device d USING (device_id)
      JOIN what w USING (conversion, unit)
    ), opened AS MATERIALIZED (   -- a device's opens in the order of time, as items 0, or -1 where they are a response's
      SELECT d.device, w.what::integer AS what, o.ats, o.items
      FROM what w
      CROSS JOIN device d
      LEFT JOIN late l USING (device_id)
      LEFT JOIN answer a USING (device)
      CROSS JOIN LATERAL (
        SELECT array_agg(o.at) AS ats, array_agg(CASE
            WHEN a.ats[width_bucket(o.at, a.ats)] >= o.at - interval '10 seconds'
              OR a.ats[width_bucket(o.at, a.ats) + 1] <= o.at + interval '10 seconds' THEN -1 ELSE 0 END) AS items
        FROM (
          SELECT o.at
          FROM (
            SELECT $2 - $5 AS from_at, $3 + 2 * $5 AS to_at
            UNION ALL
            SELECT lower(w.r), upper(w.r) FROM unnest(l.windows) AS w (r)
          ) l
          CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up each
            SELECT o.at FROM projection.app_open o
            WHERE (o.app_id, o.device_id) = ($1, d.device_id) AND o.at >= l.from_at AND o.at < l.to_at AND o.at <= $4
            OFFSET 0
          ) o
          ORDER BY o.at
        ) o
      ) o
      WHERE (w.conversion, w.unit) = ('app_open', '') AND o.ats IS NOT NULL
    ), line AS MATERIALIZED (   -- a device's opens, and its conversions in that order: those between two moments are found by halving
      SELECT device, ats, items FROM opened
      UNION ALL
      SELECT device, array_agg(at), array_agg(item) FROM (SELECT device, at, item FROM sale ORDER BY device, at) s GROUP BY device
    ), busy AS (   -- devices that might be beyond the bound: no entry is counted in more than four stretches
      SELECT device FROM device JOIN line USING (device) GROUP BY device, entries HAVING 4 * entries * sum(cardinality(ats)) > 1000000
    ), excess AS MATERIALIZED (
      SELECT device
      FROM (
        SELECT device, stretch, count(DISTINCT name) AS names
        FROM (
          SELECT name, device,
            date_bin($10, coalesce(responded_at - interval '10 seconds', at), $11) + unnest(ARRAY[interval '0', $10]) AS stretch
          FROM seen
          WHERE device IN (SELECT device FROM busy) AND (is_touch OR is_again)
          UNION ALL
          SELECT name, device, date_bin($10, at, $11) + unnest(ARRAY[interval '0', $10])
          FROM seen
          WHERE device IN (SELECT device FROM busy) AND (is_sent OR is_held)
        ) t
        GROUP BY device, stretch
      ) t
      JOIN (
        SELECT device, date_bin($10, at, $11) AS stretch, count(*) AS conversions
        FROM (SELECT device, unnest(ats) AS at FROM line WHERE device IN (SELECT device FROM busy)) l
        GROUP BY 1, 2
      ) h USING (device, stretch)
      GROUP BY device
      HAVING sum(names * conversions) > 1000000
    ), name AS MATERIALIZED (
      SELECT p.name, l.label, p.devices,
        row_number() OVER (ORDER BY p.devices DESC, nullif(l.label, '') COLLATE "C" NULLS LAST) AS rank
      FROM (SELECT name, count(first_at) AS devices FROM pair GROUP BY name) p
      JOIN label l USING (name)
    ), size AS MATERIALIZED (
      SELECT (SELECT count(*) FROM name) AS names, (SELECT count(*) FROM what) AS whats
    ), key AS MATERIALIZED (   -- the rows that have a name: those of the names with the most devices
      SELECT n.name, n.label, n.devices, w.what, w.conversion, w.unit, w.began_at
      FROM (SELECT * FROM name WHERE (rank - 1) * (SELECT whats FROM size) < $9) n
      JOIN (
        SELECT *, least(   -- when the app first had a conversion of that name
            (SELECT min(c.at) FROM projection.conversion c WHERE c.app_id = $1 AND c.name = what.conversion),
            (SELECT min(o.at) FROM projection.app_open o WHERE o.app_id = $1 AND what.conversion = 'app_open')) AS began_at
        FROM what
        WHERE what <= $9
      ) w ON (n.rank - 1) * (SELECT whats FROM size) + w.what <= $9
    ), kept AS MATERIALIZED (
      SELECT DISTINCT name FROM key
    ), touch AS (   -- of one name and device: what reached it, and what it responded to
      SELECT name, device, coalesce(responded_at, at) AS at, CASE WHEN responded_at IS NULL THEN at END AS reached_at, responded_at,
        NULL::timestamptz AS opened_at
      FROM seen
      WHERE is_touch OR is_again
      UNION ALL
      SELECT name, device, responded_at - interval '10 seconds', NULL, NULL, responded_at
      FROM seen
      WHERE (is_touch OR is_again) AND app_opened AND responded_at IS NOT NULL
    ), stand AS (
      -- The latest of these, from each to the next or until none of their windows is open. Of several at one time only the last
      -- lasts, and it has them all.
      SELECT name, device, at AS from_at, least(next_at, greatest(reached, responded, opened) + $5) AS to_at, reached, responded, opened
      FROM (
        SELECT name, device, at, lead(at) OVER earlier AS next_at, max(reached_at) OVER earlier AS reached,
          max(responded_at) OVER earlier AS responded, max(opened_at) OVER earlier AS opened
        FROM touch
        WINDOW earlier AS (PARTITION BY name, device ORDER BY at ROWS UNBOUNDED PRECEDING)
      ) t
    ), met AS (   -- each with the places of the conversions in it: a conversion is in one of a name and device
      SELECT s.*, l.ats, l.items, generate_series(
          width_bucket(s.from_at - interval '1 microsecond', l.ats) + 1,
          width_bucket(s.to_at - interval '1 microsecond', l.ats)) AS place
      FROM stand s
      JOIN line l USING (device)
      WHERE device NOT IN (SELECT device FROM excess)
    ), credit AS (   -- a conversion after a notification, by the latest of those that it came after
      SELECT name, device, item, CASE WHEN item > 0 THEN item ELSE (device::bigint << 32) + place END AS id,
        response > at - $5 AS is_direct,
        greatest(CASE WHEN response > at - $5 THEN response END, CASE WHEN item >= 0 AND reached > at - $5 THEN reached END) AS touched_at
      FROM (
        SELECT *, greatest(responded, CASE WHEN item < 0 THEN opened END) AS response
        FROM (
          SELECT name, device, place, items[place] AS item, ats[place] AS at, reached, responded, opened
          FROM met
          OFFSET 0   -- else each would be looked up wherever it is named
        ) m
      ) m
      WHERE response > at - $5 OR (item >= 0 AND reached > at - $5)
    ), ranked AS (   -- the first of a conversion's is its last touch, and it is shared if there is another
      SELECT *, lag(id) OVER latest IS DISTINCT FROM id AS is_last,
        coalesce(lag(id) OVER latest = id OR lead(id) OVER latest = id, false) AS is_shared
      FROM credit
      WINDOW latest AS (ORDER BY id, touched_at DESC, name)
    ), credited AS MATERIALIZED (
      SELECT name, what, count(*) FILTER (WHERE is_direct) AS direct, count(*) AS converted, sum(conversions)::bigint AS conversions,
        sum(shared)::bigint AS shared, sum(last_touch)::bigint AS last_touch, sum(value) AS value,
        min(first_currency) = max(last_currency) AS has_one_currency
      FROM (
        SELECT r.name, coalesce(b.what, (SELECT what FROM what WHERE (conversion, unit) = ('app_open', ''))) AS what, r.device,
          bool_or(r.is_direct) AS is_direct, count(*) AS conversions, count(*) FILTER (WHERE r.is_shared) AS shared,
          count(*) FILTER (WHERE r.is_last) AS last_touch, sum(b.value) AS value, min(b.currency) AS first_currency,
          max(b.currency) AS last_currency
        FROM ranked r
        LEFT JOIN (SELECT b.item, w.what, b.value, b.currency FROM bought b JOIN what w USING (conversion, unit)) b USING (item)
        GROUP BY 1, 2, 3
      ) d
      GROUP BY name, what
    ), threshold AS MATERIALIZED (   -- the times from which a conversion's stretches before and after count
      SELECT array_agg(DISTINCT at ORDER BY at) AS times
      FROM (SELECT began_at + $5 AS at FROM key UNION ALL SELECT began_at - $5 FROM key) k
    ), edge AS (   -- the devices of a name by their first notification, and those times, both by the number of the last such time
      SELECT p.name, width_bucket(p.first_at, (SELECT times FROM threshold)) AS step, count(*) AS devices,
        count(*) FILTER (WHERE p.first_at + 2 * $5 <= $4) AS over, NULL::bigint AS what, NULL::boolean AS is_before
      FROM pair p
      JOIN kept USING (name)
      WHERE p.first_at IS NOT NULL
      GROUP BY 1, 2
      UNION ALL
      SELECT k.name, width_bucket(k.began_at + $5, (SELECT times FROM threshold)), 0, 0, k.what, true FROM key k
      UNION ALL
      SELECT k.name, width_bucket(k.began_at - $5, (SELECT times FROM threshold)), 0, 0, k.what, false FROM key k
    ), baseline AS (
      SELECT name, what, max(devices) FILTER (WHERE is_before) AS before_devices,
        max(over) FILTER (WHERE NOT is_before) AS after_devices
      FROM (
        SELECT name, what, is_before, (sum(devices) OVER later)::bigint AS devices, (sum(over) OVER later)::bigint AS over
        FROM edge
        WINDOW later AS (PARTITION BY name ORDER BY step DESC)
      ) e
      WHERE what IS NOT NULL
      GROUP BY name, what
    ), times AS MATERIALIZED (
      -- When a device's conversions of one name came. Opens are in order, but for those to bring together with conversions that
      -- are named like them.
      SELECT t.device, t.what, w.began_at, t.ats
      FROM (
        SELECT device, what, array_agg(at ORDER BY at) AS ats
        FROM (
          SELECT device, what, at FROM sale
          UNION ALL
          SELECT device, what, unnest(ats) FROM opened JOIN (SELECT DISTINCT device, what FROM sale) s USING (device, what)
        ) s
        GROUP BY device, what
        UNION ALL
        SELECT device, what, ats FROM opened o WHERE NOT EXISTS (SELECT FROM sale s WHERE (s.device, s.what) = (o.device, o.what))
      ) t
      JOIN (SELECT DISTINCT what, began_at FROM key) w USING (what)
      WHERE t.device NOT IN (SELECT device FROM excess)
    ), outcome AS (   -- of a row: devices with a conversion before the first of what reached them, after it, and since they were assigned
      SELECT name, what,
        count(*) FILTER (WHERE is_before AND first_at - $5 >= began_at) AS before_converted,
        count(*) FILTER (WHERE is_after AND first_at + $5 >= began_at AND first_at + 2 * $5 <= $4) AS after_converted,
        count(*) FILTER (WHERE has_succeeded AND NOT is_held) AS sent, count(*) FILTER (WHERE has_succeeded AND is_held) AS held,
        count(*) FILTER (WHERE has_succeeded AND NOT is_held AND is_reachable) AS sent_on,
        count(*) FILTER (WHERE has_succeeded AND is_held AND is_reachable) AS held_on,
        count(*) FILTER (WHERE has_succeeded AND NOT is_held AND NOT is_reachable) AS sent_off,
        count(*) FILTER (WHERE has_succeeded AND is_held AND NOT is_reachable) AS held_off
      FROM (
        SELECT s.*, s.ats[s.before] >= s.first_at - $5 AS is_before, s.ats[s.after + 1] < s.first_at + 2 * $5 AS is_after,
          s.ats[s.since + 1] < s.ripe_at + $5 AS has_succeeded
        FROM (   -- how many conversions came before the first, before the stretch after it, and before the assignment
          SELECT p.name, p.first_at, p.ripe_at, p.is_held, p.is_reachable, t.what, t.began_at, t.ats,
            width_bucket(p.first_at - interval '1 microsecond', t.ats) AS before,
            width_bucket(p.first_at + $5 - interval '1 microsecond', t.ats) AS after,
            width_bucket(p.ripe_at - interval '1 microsecond', t.ats) AS since
          FROM (SELECT *, CASE WHEN assigned_at + $5 <= $4 THEN assigned_at END AS ripe_at FROM pair JOIN kept USING (name)) p
          JOIN times t USING (device)
        ) s
        OFFSET 0   -- else each would be looked up wherever it is named
      ) o
      WHERE is_before OR is_after OR has_succeeded
      GROUP BY name, what
    ), arm AS (
      SELECT name, count(*) FILTER (WHERE is_crossed) AS crossed, count(*) AS assigned, count(*) FILTER (WHERE is_held) AS assigned_held,
        count(ripe_at) FILTER (WHERE NOT is_held) AS sent, count(ripe_at) FILTER (WHERE is_held) AS held,
        count(ripe_at) FILTER (WHERE NOT is_held AND is_reachable) AS sent_on,
        count(ripe_at) FILTER (WHERE is_held AND is_reachable) AS held_on,
        count(ripe_at) FILTER (WHERE NOT is_held AND NOT is_reachable) AS sent_off,
        count(ripe_at) FILTER (WHERE is_held AND NOT is_reachable) AS held_off
      FROM (SELECT *, CASE WHEN assigned_at + $5 <= $4 THEN assigned_at END AS ripe_at FROM pair WHERE assigned_at IS NOT NULL) p
      GROUP BY name
    ), declared AS (   -- the part of devices that a campaign's holdouts say they are
      SELECT name AS label, CASE WHEN count(DISTINCT share::numeric) = 1 THEN min(share::double precision) END AS share
      FROM held
      GROUP BY name
    ), left_out AS (
      SELECT name, count(first_at) AS devices FROM pair WHERE device IN (SELECT device FROM excess) GROUP BY name
    ), whole AS (
      SELECT k.label AS name, k.conversion, k.unit, k.devices, coalesce(e.devices, 0) AS excess, coalesce(c.direct, 0) AS direct,
        coalesce(c.converted - c.direct, 0) AS influenced, coalesce(c.conversions, 0) AS conversions,
        coalesce(c.shared, 0) AS shared, coalesce(c.last_touch, 0) AS last_touch, c.value, c.has_one_currency,
        coalesce(b.before_devices, 0) AS before_devices, coalesce(o.before_converted, 0) AS before_converted,
        coalesce(b.after_devices, 0) AS after_devices, coalesce(o.after_converted, 0) AS after_converted,
        coalesce(a.sent, 0) AS sent, coalesce(a.held, 0) AS held, coalesce(o.sent, 0) AS sent_x, coalesce(o.held, 0) AS held_x,
        coalesce(a.crossed, 0) AS crossed, coalesce(a.assigned_held, 0) AS assigned_held, CASE WHEN d.share > 0 AND d.share < 1 THEN reporting.chi_square_tail(
          (a.assigned_held - a.assigned * d.share) ^ 2 / (a.assigned * d.share * (1 - d.share)), 1) END AS p,
        coalesce(a.sent_on, 0) AS sent_on, coalesce(a.held_on, 0) AS held_on,
        coalesce(o.sent_on, 0) AS sent_on_x, coalesce(o.held_on, 0) AS held_on_x, coalesce(a.sent_off, 0) AS sent_off,
        coalesce(a.held_off, 0) AS held_off, coalesce(o.sent_off, 0) AS sent_off_x, coalesce(o.held_off, 0) AS held_off_x
      FROM key k
      LEFT JOIN left_out e USING (name)
      LEFT JOIN credited c USING (name, what)
      LEFT JOIN baseline b USING (name, what)
      LEFT JOIN outcome o USING (name, what)
      LEFT JOIN arm a USING (name)
      LEFT JOIN declared d USING (label)
    )
    SELECT * FROM (
      SELECT CASE $6 WHEN 'campaign' THEN name END AS campaign, CASE $6 WHEN 'category' THEN name END AS category,
        CASE $6 WHEN 'variant' THEN name END AS variant, conversion, nullif(unit, '') AS currency, false AS other, devices,
        excess, direct, influenced, direct / nullif(devices, 0)::double precision, d.low, d.high,
        influenced / nullif(devices, 0)::double precision, i.low, i.high, conversions, shared, last_touch,
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
        coalesce(sum(c.conversions), 0)::bigint, NULL, coalesce(sum(c.last_touch), 0)::bigint, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, (SELECT names * whats FROM size)
      FROM credited c
      WHERE NOT EXISTS (SELECT FROM key k WHERE (k.name, k.what) = (c.name, c.what))
      HAVING (SELECT names * whats FROM size) > $9
    ) row
    ORDER BY other, campaign, category, variant, conversion, currency NULLS LAST
  $query$, reporting.packed_settings())
  USING app_number, period.from_at, period.to_at, as_of, near, "by", "by" = 'campaign', currencies = 'apart', "limit",
    width, origin, filters;
END $$;
