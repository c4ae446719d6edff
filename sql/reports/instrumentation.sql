-- report: instrumentation
-- purpose: Whether the instruments of a version of the app changed, or the people did: one row per version, and per
--   interval if requested, each measure beside the version before at equal age, that is as long after it was first seen.
--   Where deliveries, settings or whole devices are no longer heard of, a rate that falls says nothing of people.
-- reads: notification, device_period, log
-- by rows: what devices said of themselves over all of time, twice; notifications of the range, and of the stretches in
--   which versions before were as old, once; of 10,000 devices at most (of each version the same share, 2,500 at most, by a
--   hash of their ids) the log's events of those stretches and the 30 days before, device by device, until 300,000 are read.
--   A device with more than 10,000 of these is left out of what is read from the log. Shares of notifications are of all devices;
--   how far they may be off is told by 20,000 at most (of each version 5,000 at most, by the same hash)
--
-- parameter: interval
-- parameter: from | Notifications, events and devices at or after this time
-- parameter: to | Notifications, events and devices before this time
-- parameter: tz
-- parameter: window | Time to respond, and for events to arrive: everything younger is left out, and of what is older, events
--   that took longer
-- parameter: limit | whole | 1000 | 1 to 1000 | How many versions have rows of their own and are compared: those on the
--   most devices in the range; all others share one row, `other`
-- filters: platform, os_version, locale
-- table: interval_start, app_version, sdk_version, version_before, verdict, devices, delivery_observed_rate,
--   delivery_observed_rate_before, duplicate_rate, response_only_rate, settings_age_p50, late_p50, late_p99, clamped_rate,
--   silent_devices, engagement_rate, engagement_rate_before
-- in window: responded_in_window
-- growing: none
-- differences: delivery_observed_rate_difference, delivery_observed_rate_low, delivery_observed_rate_high,
--   duplicate_rate_difference, duplicate_rate_low, duplicate_rate_high, response_only_rate_difference,
--   response_only_rate_low, response_only_rate_high, settings_age_p50_difference, settings_age_p50_low,
--   settings_age_p50_high, late_p50_difference, late_p50_low, late_p50_high, late_p99_difference, late_p99_low,
--   late_p99_high, clamped_rate_difference, clamped_rate_low, clamped_rate_high, silent_rate_difference, silent_rate_low,
--   silent_rate_high, engagement_rate_difference, engagement_rate_low, engagement_rate_high
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: app_version | text | | The version of the app, from the context of its events; null if they say none
-- column: sdk_version | text | | The version of the client library that most of `events` name; null if they name none
-- column: other | boolean | | True in the row of all versions beyond `limit`, which is compared with nothing
-- column: first_seen | timestamptz | | When one in a thousand of the version's devices, at least one, had been heard on it
-- column: version_before | text | | The version it is compared with: the last one first seen before it, of the `limit`
--   versions on the most devices in the range, then at any time, and of those with a tenth of the devices of the most seen
--   one; null if there is none, and on fewer than a thousandth of those devices
-- column: verdict | text | | `tracking` where a measure of instruments is worse than on the version before (Holm-corrected
--   p below 0.01): what happened is no longer heard of, and nothing can be said of people. `people` where engagement alone
--   fell, and the interval of the difference of every instrument lies within 2 points either way. Else `unclear`
-- column: devices | bigint | devices | Devices on the version: from the first to the last of their events that say so
--   without another between; null in `other`
-- column: delivery_observable | bigint | notifications | Notifications reached of devices on the version, older than
--   window, requested with `mutable_content` on a device that ever sent a delivery from a service extension and whose
--   settings did not say denied
-- column: delivery_observed | bigint | notifications | Of `delivery_observable`, those with a delivery event of their own,
--   from a service extension or else
-- column: delivery_observed_rate | double precision | fraction | `delivery_observed` ÷ `delivery_observable`; worse if
--   lower
-- column: delivery_observed_rate_before | double precision | fraction | The same on the version before at equal age: as
--   long after it was first seen
-- column: delivery_observed_rate_difference | double precision | fraction | The rate minus that of the version before, at its mix of
--   categories. As in every difference, a category or kind that fewer than two devices of either version have is left out
-- column: delivery_observed_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device. As of every
--   difference, of Newcombe's if there is no p
-- column: delivery_observed_rate_high | double precision | fraction | Upper bound of the same
-- column: delivery_observed_rate_p_holm | double precision | probability | Probability of a difference at least as large
--   without one, corrected for the measures of the row (Holm). As of every difference, null with fewer than 10 devices on either
--   version, if neither varies from device to device, and if one alone does not and Newcombe's interval contains 0
-- column: notifications | bigint | notifications | Notifications reached of devices on the version, older than window, and
--   those known only by a response or dismissal
-- column: duplicated | bigint | notifications | Of `notifications`, those with a callback that repeats another
-- column: duplicate_rate | double precision | fraction | `duplicated` ÷ `notifications`; worse if higher
-- column: duplicate_rate_before | double precision | fraction | The same on the version before
-- column: duplicate_rate_difference | double precision | fraction | The rate minus that of the version before, at its mix of
--   categories
-- column: duplicate_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: duplicate_rate_high | double precision | fraction | Upper bound of the same
-- column: duplicate_rate_p_holm | double precision | probability | Probability of a difference at least as large without
--   one, corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
-- column: response_only | bigint | notifications | Of `notifications`, those known only by a response or dismissal
-- column: response_only_rate | double precision | fraction | `response_only` ÷ `notifications`: what came before was not
--   heard of; worse if higher
-- column: response_only_rate_before | double precision | fraction | The same on the version before
-- column: response_only_rate_difference | double precision | fraction | The rate minus that of the version before, at its mix of
--   categories
-- column: response_only_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: response_only_rate_high | double precision | fraction | Upper bound of the same
-- column: response_only_rate_p_holm | double precision | probability | Probability of a difference at least as large
--   without one, corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
-- column: taps | bigint | events | Taps (responses with the action `default`) of the devices sampled, which bring the app
--   to the foreground
-- column: settings_age_p50 | double precision | seconds | Median age of the newest settings at a tap, of the 30 days before
--   it and the 10 s after it, which count as no age; null if half of the taps have none. An app that comes to the
--   foreground tells its settings; worse if higher
-- column: settings_age_p50_before | double precision | seconds | The same on the version before
-- column: settings_age_p50_difference | double precision | fraction | The part of the taps whose settings were older than
--   `settings_age_p50_before`, minus that part on the version before
-- column: settings_age_p50_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: settings_age_p50_high | double precision | fraction | Upper bound of the same
-- column: settings_age_p50_p_holm | double precision | probability | Probability of a difference at least as large without
--   one, corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
-- column: events | bigint | events | Events of the app from the devices sampled: those that name its version, without
--   push_results, holdouts and requests of a provider; received within window after they happened
-- column: late_p50 | double precision | seconds | Median of how long after one of `events` the server received it,
--   never more than window; worse if higher
-- column: late_p50_before | double precision | seconds | The same on the version before
-- column: late_p50_difference | double precision | fraction | The part of the events later than `late_p50_before`, minus
--   that part on the version before, at its mix of kinds
-- column: late_p50_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: late_p50_high | double precision | fraction | Upper bound of the same
-- column: late_p50_p_holm | double precision | probability | Probability of a difference at least as large without one,
--   corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
-- column: late_p99 | double precision | seconds | 99th percentile of the same; worse if higher
-- column: late_p99_before | double precision | seconds | The same on the version before
-- column: late_p99_difference | double precision | fraction | The part of the events later than `late_p99_before`, minus
--   that part on the version before, at its mix of kinds
-- column: late_p99_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: late_p99_high | double precision | fraction | Upper bound of the same
-- column: late_p99_p_holm | double precision | probability | Probability of a difference at least as large without one,
--   corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
-- column: clamped | bigint | events | Of `events`, those whose sender's clock was so far ahead that the server's was used
-- column: clamped_rate | double precision | fraction | `clamped` ÷ `events`; worse if higher
-- column: clamped_rate_before | double precision | fraction | The same on the version before
-- column: clamped_rate_difference | double precision | fraction | The rate minus that of the version before, at its mix of
--   kinds
-- column: clamped_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: clamped_rate_high | double precision | fraction | Upper bound of the same
-- column: clamped_rate_p_holm | double precision | probability | Probability of a difference at least as large without one,
--   corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
-- column: heard_before | bigint | devices | Devices on the version before in the first 30 days of this version, or as much
--   of them as ended 30 days before `to`. Null with interval, and where nothing is as old
-- column: silent_devices | bigint | devices | Of `heard_before`, those whose last event on the version before came in that
--   time, and that reported under no version for 30 days after it
-- column: silent_rate | double precision | fraction | `silent_devices` ÷ `heard_before`: an update after which a device is
--   never heard of; worse if higher
-- column: silent_rate_before | double precision | fraction | The same as the version before was first seen
-- column: silent_rate_difference | double precision | fraction | The rate minus that of the version before
-- column: silent_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: silent_rate_high | double precision | fraction | Upper bound of the same
-- column: silent_rate_p_holm | double precision | probability | Probability of a difference at least as large without one,
--   corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
-- column: rate_denominator | bigint | notifications | Notifications reached of devices on the version, older than window
-- column: responded_in_window | bigint | notifications | Of `rate_denominator`, those responded to within window
-- column: engagement_rate | double precision | fraction | `responded_in_window` ÷ `rate_denominator`; people, and no
--   instrument
-- column: engagement_rate_before | double precision | fraction | The same on the version before
-- column: engagement_rate_difference | double precision | fraction | The rate minus that of the version before, at its mix
--   of categories
-- column: engagement_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: engagement_rate_high | double precision | fraction | Upper bound of the same
-- column: engagement_rate_p_holm | double precision | probability | Probability of a difference at least as large without
--   one, corrected for the measures of the row (Holm); null by the rule of `delivery_observed_rate_p_holm`
CREATE OR REPLACE FUNCTION report.instrumentation(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', "window" interval DEFAULT '72 hours', filters jsonb DEFAULT '{}',
  "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, app_version text, sdk_version text, other boolean, first_seen timestamptz,
  version_before text, verdict text, devices bigint, delivery_observable bigint, delivery_observed bigint,
  delivery_observed_rate double precision, delivery_observed_rate_before double precision,
  delivery_observed_rate_difference double precision, delivery_observed_rate_low double precision,
  delivery_observed_rate_high double precision, delivery_observed_rate_p_holm double precision, notifications bigint,
  duplicated bigint, duplicate_rate double precision, duplicate_rate_before double precision,
  duplicate_rate_difference double precision, duplicate_rate_low double precision, duplicate_rate_high double precision,
  duplicate_rate_p_holm double precision, response_only bigint, response_only_rate double precision,
  response_only_rate_before double precision, response_only_rate_difference double precision,
  response_only_rate_low double precision, response_only_rate_high double precision,
  response_only_rate_p_holm double precision, taps bigint, settings_age_p50 double precision,
  settings_age_p50_before double precision, settings_age_p50_difference double precision,
  settings_age_p50_low double precision, settings_age_p50_high double precision, settings_age_p50_p_holm double precision,
  events bigint, late_p50 double precision, late_p50_before double precision, late_p50_difference double precision,
  late_p50_low double precision, late_p50_high double precision, late_p50_p_holm double precision,
  late_p99 double precision, late_p99_before double precision, late_p99_difference double precision,
  late_p99_low double precision, late_p99_high double precision, late_p99_p_holm double precision, clamped bigint,
  clamped_rate double precision, clamped_rate_before double precision, clamped_rate_difference double precision,
  clamped_rate_low double precision, clamped_rate_high double precision, clamped_rate_p_holm double precision,
  heard_before bigint, silent_devices bigint, silent_rate double precision, silent_rate_before double precision,
  silent_rate_difference double precision, silent_rate_low double precision, silent_rate_high double precision,
  silent_rate_p_holm double precision, rate_denominator bigint, responded_in_window bigint,
  engagement_rate double precision, engagement_rate_before double precision, engagement_rate_difference double precision,
  engagement_rate_low double precision, engagement_rate_high double precision, engagement_rate_p_holm double precision,
  rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
DECLARE
  sample     constant integer := 10000;   -- devices whose events are read from the log
  device_limit constant integer := coalesce(nullif(current_setting('notilog.instrumentation_devices', true), '')::integer, 20000);   -- told apart
  event_limit constant bigint := coalesce(nullif(current_setting('notilog.instrumentation_events', true), '')::bigint, 300000);   -- of these
  -- Of fewer devices on either side there is no p: how they differ is not known.
  fewest     constant integer := coalesce(nullif(current_setting('notilog.instrumentation_fewest', true), '')::integer, 10);
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
  mature_to  timestamptz;   -- where the part of the range ends whose time to respond is over
  found      record;   -- the versions heard of in the range, each with those it is compared with
  begins     timestamptz;     -- the first of the stretches that are compared
  froms      timestamptz[];   -- what is read of the notifications
  tos        timestamptz[];
BEGIN
  PERFORM reporting.row_limit("limit", 1000);
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{platform,os_version,locale}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;
  mature_to := greatest(period.from_at, least(period.to_at, as_of - near + interval '1 microsecond'));

  SELECT * INTO found FROM reporting.instrumentation_versions(app_number, period.from_at, period.to_at, filters, "limit");
  IF found.total = 0 THEN
    RETURN;
  END IF;

  -- As far as stretches lie apart, each is read alone.
  SELECT array_agg(lower(r) ORDER BY lower(r)), array_agg(upper(r) ORDER BY lower(r)), min(s.begins) INTO froms, tos, begins
  FROM (
    SELECT range_agg(tstzrange(period.from_at - s.shift, mature_to - s.shift)) AS stretches, min(period.from_at - s.shift) AS begins
    FROM (
      SELECT interval '0' AS shift
      UNION
      SELECT (extract(epoch FROM k.first_at - k.before_at) * 1000000)::bigint * interval '1 microsecond'
      FROM unnest(found.firsts, found.before_firsts) AS k (first_at, before_at)
      WHERE k.before_at IS NOT NULL
    ) s
  ) s
  LEFT JOIN LATERAL unnest(s.stretches) AS r ON true;

  RETURN QUERY EXECUTE $query$
    WITH known AS MATERIALIZED (
      SELECT *, (extract(epoch FROM first_at - before_at) * 1000000)::bigint * interval '1 microsecond' AS shift
      FROM unnest($9::text[], $10::integer[], $11::timestamptz[], $12::text[], $13::timestamptz[], $14::text[], $21::bigint[], $22::bigint[])
        AS k (version, key, first_at, before, before_at, earlier, devices, before_devices)
    ), begun AS (
      SELECT *, least(first_at + interval '720 hours', $3 - interval '720 hours') AS until
      FROM known
      WHERE before IS NOT NULL AND $6[1] IS NULL
    ), part AS MATERIALIZED (   -- the rows that a version counts in: its own, and that of the version after it
      SELECT key, version COLLATE "C" AS version, 0 AS side, interval '0' AS shift, CASE WHEN before IS NOT NULL THEN devices END AS compared
      FROM known
      UNION ALL
      SELECT key, before, 1, shift, before_devices FROM known WHERE before IS NOT NULL
    ), fallen AS (   -- who might have fallen silent as a version came out: the one of the row, and the one before it
      SELECT key, 0 AS side, before AS version, first_at AS from_at, until FROM begun WHERE until > first_at
      UNION ALL
      SELECT key, 1, earlier, before_at, until - shift FROM begun WHERE until > first_at AND earlier IS NOT NULL
    ), shared AS MATERIALIZED (   -- of each version how many devices are sampled
      SELECT least($15 / 4, $15 / versions)::integer AS share, least($24 / 4, $24 / compared) AS told_apart
      FROM (
        SELECT greatest(count(DISTINCT version) FILTER (WHERE key <= $4), 1) AS versions,
          greatest(count(DISTINCT version) FILTER (WHERE compared IS NOT NULL), 1) AS compared
        FROM part
      ) v
    ), weight AS MATERIALIZED (   -- how many devices one stands for that is told apart
      SELECT key, greatest(devices::numeric / told_apart, 1) AS own, greatest(before_devices::numeric / told_apart, 1) AS other
      FROM known
      CROSS JOIN shared
      WHERE before IS NOT NULL
    ), asked AS MATERIALIZED (   -- what is counted
      SELECT jsonb_agg(jsonb_build_object('key', p.key, 'version', p.version, 'side', p.side, 'shift', p.shift,
          'up_to', CASE WHEN p.compared IS NOT NULL THEN
            least(18446744073709551616 * s.told_apart / p.compared - 9223372036854775808, 9223372036854775807)::bigint END)) AS parts,
        (SELECT jsonb_agg(f) FROM fallen f) AS fallen, s.share
      FROM part p
      CROSS JOIN shared s
      GROUP BY s.share
    ), device AS MATERIALIZED (
      SELECT d.*
      FROM asked a
      CROSS JOIN LATERAL reporting.instrumentation_device_counts($1, $2, $3, $5, $4, a.parts, a.fallen, $18, a.share) d
    ), step AS (
      SELECT key, slot, sum(devices) AS change FROM device WHERE slot IS NOT NULL GROUP BY key, slot
    ), present AS MATERIALIZED (
      SELECT s.key, g.slot, s.devices::bigint AS devices
      FROM (
        SELECT key, slot, sum(change) OVER stepped AS devices, lead(slot) OVER stepped AS next_slot
        FROM step
        WINDOW stepped AS (PARTITION BY key ORDER BY slot)
      ) s
      CROSS JOIN LATERAL generate_series(s.slot, s.next_slot - 1) AS g (slot)
      WHERE s.devices > 0
    ), sampled AS MATERIALIZED (
      SELECT version, device_id, number
      FROM (
        SELECT version, device_id COLLATE "C" AS device_id,
          row_number() OVER (PARTITION BY version ORDER BY hashtextextended(device_id, 0), device_id COLLATE "C") AS number
        FROM device
        WHERE version IS NOT NULL
      ) d
      WHERE number <= (SELECT share FROM asked)
    ), event AS MATERIALIZED (
      SELECT e.*
      FROM (
        SELECT array_agg(version) AS versions, array_agg(device_id) AS device_ids, array_agg(device) AS devices
        FROM sampled
        JOIN (
          SELECT device_id, row_number() OVER (ORDER BY min(number), device_id)::integer AS device FROM sampled GROUP BY device_id
        ) d USING (device_id)
      ) s
      CROSS JOIN asked a
      CROSS JOIN LATERAL reporting.instrumentation_event_counts(
        $1, $2, $3, $8, $7, $5, $4, a.parts, $18, $19, s.versions, s.device_ids, s.devices, $20) e
    ), read AS (   -- devices, and the events of those up to each
      SELECT r.device, sum(r.events) OVER (ORDER BY r.device) AS events
      FROM event e
      CROSS JOIN LATERAL unnest(e.devices, e.events) AS r (device, events)
      WHERE e.key IS NULL
    ), counted AS MATERIALIZED (
      SELECT e.key, e.side, e.slot, e.kind COLLATE "C" AS kind, e.sdk_version, e.time_clamped, e.is_tap, e.is_old, o.*
      FROM event e
      CROSS JOIN LATERAL unnest(e.devices, e.lates, e.ages) AS o (device, late, age)
      WHERE e.key IS NOT NULL AND o.device NOT IN (SELECT device FROM read WHERE events > $20)   -- as far as the bound goes
    ), level AS MATERIALIZED (
      SELECT key, slot, side, mode() WITHIN GROUP (ORDER BY sdk_version COLLATE "C") AS sdk_version,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY late) FILTER (WHERE is_old) AS p50,
        percentile_disc(0.99) WITHIN GROUP (ORDER BY late) FILTER (WHERE is_old) AS p99,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY age) FILTER (WHERE is_old AND is_tap) AS age
      FROM counted
      GROUP BY key, slot, side
    ), notification AS MATERIALIZED (
      SELECT n.*
      FROM asked a
      CROSS JOIN LATERAL reporting.instrumentation_notification_counts($1, $2, $8, $7, $5, a.parts, $18, $16, $17) n
    ), category AS MATERIALIZED (   -- the same of all devices together
      SELECT key, slot, side, category, sum(observed) AS observed, sum(observable) AS observable,
        sum(repeated) AS repeated, sum(known) AS known, sum(alone) AS alone, sum(engaged) AS engaged, sum(reached) AS reached,
        count(device) FILTER (WHERE observable > 0) AS observable_apart, count(device) FILTER (WHERE known > 0) AS known_apart,
        count(device) FILTER (WHERE reached > 0) AS reached_apart   -- devices that are told apart
      FROM notification
      GROUP BY key, slot, side, category
    ), unit AS MATERIALIZED (   -- a device in a measure and a kind of event: of so many, so many
      SELECT e.key, e.slot, e.side, v.measure, v.stratum, e.device, v.x::numeric AS x, v.m::numeric AS m
      FROM (
        SELECT e.key, e.slot, e.side, e.kind, e.device, count(*) AS events, count(*) FILTER (WHERE e.late > l.p50) AS late_half,
          count(*) FILTER (WHERE e.late > l.p99) AS late_most, count(*) FILTER (WHERE e.time_clamped) AS clamped,
          count(*) FILTER (WHERE e.is_tap) AS taps, count(*) FILTER (WHERE e.is_tap AND e.age > l.age) AS aged
        FROM counted e
        LEFT JOIN level l ON (l.key, l.slot, l.side) = (e.key, e.slot, 1)
        WHERE e.is_old
        GROUP BY 1, 2, 3, 4, 5
      ) e
      CROSS JOIN LATERAL (
        VALUES (4, '', e.aged, e.taps), (5, e.kind, e.late_half, e.events), (6, e.kind, e.late_most, e.events), (7, e.kind, e.clamped, e.events)
      ) AS v (measure, stratum, x, m)
      WHERE v.m > 0
      UNION ALL
      SELECT s.key, 1, v.side, 8, '', s.device, v.is_silent::integer, 1
      FROM (
        SELECT d.key, d.own, d.other, row_number() OVER () AS device
        FROM device d
        CROSS JOIN LATERAL generate_series(1, d.devices)
        WHERE d.key IS NOT NULL AND d.slot IS NULL
      ) s
      CROSS JOIN LATERAL (VALUES (0, s.own), (1, s.other)) AS v (side, is_silent)
      WHERE v.is_silent IS NOT NULL
    ), total AS MATERIALIZED (
      SELECT key, slot, side, measure, stratum, sum(x) AS x, sum(m) AS m, count(*) AS apart FROM unit GROUP BY 1, 2, 3, 4, 5
      UNION ALL
      SELECT key, slot, side, v.measure, category COLLATE "C", v.x, v.m, v.apart
      FROM category
      CROSS JOIN LATERAL (
        VALUES (1, observed, observable, observable_apart), (2, repeated, known, known_apart), (3, alone, known, known_apart),
          (9, engaged, reached, reached_apart)
      ) AS v (measure, x, m, apart)
      WHERE v.m > 0
    ), alike AS MATERIALIZED (   -- what two devices of both have, in the mix of the version before: a device that is alone moves no rate
      SELECT key, slot, measure, stratum, o.x, o.m, b.x AS other_x, b.m AS other_m, sum(b.m) OVER (PARTITION BY key, slot, measure) AS whole
      FROM (SELECT * FROM total WHERE side = 0 AND apart > 1) o
      JOIN (SELECT * FROM total WHERE side = 1 AND apart > 1) b USING (key, slot, measure, stratum)
    ), moved AS (   -- how far a device that is told apart moves a rate (delta method)
      SELECT u.key, u.slot, u.measure, u.device,
        sum(a.other_m * (u.x * a.m - a.x * u.m) / (a.m * a.m)) FILTER (WHERE u.side = 0) / max(a.whole) AS own,
        sum((u.x * a.other_m - a.other_x * u.m) / a.other_m) FILTER (WHERE u.side = 1) / max(a.whole) AS other
      FROM (
        SELECT key, slot, side, measure, stratum, device, x, m FROM unit
        UNION ALL
        SELECT key, slot, side, v.measure, category COLLATE "C", device, v.x, v.m
        FROM notification
        CROSS JOIN LATERAL (VALUES (1, observed, observable), (2, repeated, known), (3, alone, known), (9, engaged, reached)) AS v (measure, x, m)
        WHERE device IS NOT NULL AND v.m > 0
      ) u
      JOIN alike a USING (key, slot, measure, stratum)
      GROUP BY 1, 2, 3, 4
    ), spread AS (
      SELECT key, slot, measure, n, other_n, apart, (n * own / nullif(n - 1, 0))::double precision AS variance,
        (other_n * other / nullif(other_n - 1, 0))::double precision AS other_variance,
        shared::double precision * sqrt(n * other_n / nullif((n - 1) * (other_n - 1), 0)::double precision) AS covariance
      FROM (
        SELECT m.key, m.slot, m.measure, round(count(m.own) * w.own)::bigint AS n, round(count(m.other) * w.other)::bigint AS other_n,
          least(count(m.own), count(m.other)) AS apart, sum(m.own * m.own) * w.own AS own, sum(m.other * m.other) * w.other AS other,
          coalesce(sum(m.own * m.other) * greatest(w.own, w.other), 0) AS shared   -- who is among the fewer is among the more
        FROM moved m
        JOIN (
          SELECT key, v.measure, CASE WHEN v.of_notifications THEN own ELSE 1 END AS own, CASE WHEN v.of_notifications THEN other ELSE 1 END AS other
          FROM weight
          CROSS JOIN (SELECT measure, measure IN (1, 2, 3, 9) AS of_notifications FROM generate_series(1, 9) AS measure) v
        ) w USING (key, measure)
        GROUP BY m.key, m.slot, m.measure, w.own, w.other
      ) s
    ), rated AS (
      SELECT *, (rate - other_rate)::double precision AS difference, variance + other_variance - 2 * covariance AS variance_of_difference
      FROM (
        SELECT key, slot, measure, sum(other_m * x / m) / sum(other_m) AS rate, sum(other_x) / sum(other_m) AS other_rate
        FROM alike
        GROUP BY key, slot, measure
      ) r
      JOIN spread USING (key, slot, measure)
    ), tested AS (   -- where one side alone does not vary, its rate is not known exactly all the same
      SELECT *, reporting.chi_square_tail((difference / error) ^ 2, 1) AS p
      FROM (
        SELECT r.*, i.low, i.high,
          CASE WHEN r.apart >= $25
            AND r.variance_of_difference > greatest(1e-24::double precision, 1e-9::double precision * (r.variance + r.other_variance))
            AND ((r.variance > 1e-24::double precision) = (r.other_variance > 1e-24::double precision) OR i.low > 0 OR i.high < 0)
          THEN sqrt(r.variance_of_difference) END AS error
        FROM rated r
        CROSS JOIN LATERAL reporting.newcombe(r.rate::double precision, r.n, r.other_rate::double precision, r.other_n) i
      ) r
    ), corrected AS (
      SELECT *, CASE WHEN p IS NOT NULL THEN max(least(1, p * larger)) OVER (PARTITION BY key, slot ORDER BY p, measure) END AS holm
      FROM (
        SELECT *, count(p) OVER (PARTITION BY key, slot ORDER BY p DESC NULLS FIRST, measure DESC
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS larger
        FROM tested
      ) t
    ), figure AS (
      SELECT t.key, t.slot, t.measure, t.x, t.m, t.other_m, c.difference, c.holm,
        CASE WHEN t.measure NOT IN (4, 5, 6) THEN (t.x / t.m)::double precision
          ELSE nullif(CASE t.measure WHEN 4 THEN o.age WHEN 5 THEN o.p50 ELSE o.p99 END, 9223372036854775807) / 1e6::double precision END AS value,
        CASE WHEN t.measure NOT IN (4, 5, 6) THEN (t.other_x / t.other_m)::double precision
          ELSE nullif(CASE t.measure WHEN 4 THEN b.age WHEN 5 THEN b.p50 ELSE b.p99 END, 9223372036854775807) / 1e6::double precision END AS before,
        CASE WHEN c.error > 0 THEN c.difference - 1.959963984540054 * c.error ELSE c.low END AS low,
        CASE WHEN c.error > 0 THEN c.difference + 1.959963984540054 * c.error ELSE c.high END AS high
      FROM (
        SELECT key, slot, measure, sum(x) FILTER (WHERE side = 0) AS x, sum(m) FILTER (WHERE side = 0) AS m,
          sum(x) FILTER (WHERE side = 1) AS other_x, sum(m) FILTER (WHERE side = 1) AS other_m
        FROM total
        GROUP BY key, slot, measure
      ) t
      LEFT JOIN corrected c USING (key, slot, measure)
      LEFT JOIN level o ON (o.key, o.slot, o.side) = (t.key, t.slot, 0)
      LEFT JOIN level b ON (b.key, b.slot, b.side) = (t.key, t.slot, 1)
    )
    SELECT $6[slot], nullif(k.version, ''), l.sdk_version, key > $4, k.first_at, k.before,
      CASE WHEN key > $4 THEN NULL WHEN f.is_worse THEN 'tracking' WHEN f.is_fallen AND f.is_steady THEN 'people' ELSE 'unclear' END,
      CASE WHEN key <= $4 THEN p.devices END,
      coalesce(f.delivery_observable, 0), coalesce(f.delivery_observed, 0), f.delivery_observed_rate,
      f.delivery_observed_rate_before, f.delivery_observed_rate_difference, f.delivery_observed_rate_low,
      f.delivery_observed_rate_high, f.delivery_observed_rate_p_holm, coalesce(f.notifications, 0),
      coalesce(f.duplicated, 0), f.duplicate_rate, f.duplicate_rate_before, f.duplicate_rate_difference,
      f.duplicate_rate_low, f.duplicate_rate_high, f.duplicate_rate_p_holm, coalesce(f.response_only, 0),
      f.response_only_rate, f.response_only_rate_before, f.response_only_rate_difference, f.response_only_rate_low,
      f.response_only_rate_high, f.response_only_rate_p_holm,
      CASE WHEN key <= $4 AND k.version <> '' THEN coalesce(f.taps, 0) END, f.settings_age_p50, f.settings_age_p50_before,
      f.settings_age_p50_difference, f.settings_age_p50_low, f.settings_age_p50_high, f.settings_age_p50_p_holm,
      CASE WHEN key <= $4 AND k.version <> '' THEN coalesce(f.events, 0) END, f.late_p50, f.late_p50_before,
      f.late_p50_difference, f.late_p50_low, f.late_p50_high, f.late_p50_p_holm, f.late_p99, f.late_p99_before,
      f.late_p99_difference, f.late_p99_low, f.late_p99_high, f.late_p99_p_holm,
      CASE WHEN key <= $4 AND k.version <> '' THEN coalesce(f.clamped, 0) END, f.clamped_rate, f.clamped_rate_before,
      f.clamped_rate_difference, f.clamped_rate_low, f.clamped_rate_high, f.clamped_rate_p_holm, f.heard_before,
      f.silent_devices, f.silent_rate, f.silent_rate_before, f.silent_rate_difference, f.silent_rate_low,
      f.silent_rate_high, f.silent_rate_p_holm, coalesce(f.rate_denominator, 0), coalesce(f.responded_in_window, 0),
      f.engagement_rate, f.engagement_rate_before, f.engagement_rate_difference, f.engagement_rate_low,
      f.engagement_rate_high, f.engagement_rate_p_holm, $23
    FROM present p
    LEFT JOIN (SELECT * FROM known WHERE key <= $4) k USING (key)
    LEFT JOIN (SELECT * FROM level WHERE side = 0) l USING (key, slot)
    LEFT JOIN (
      SELECT key, slot,
        bool_or(measure < 9 AND holm < 0.01 AND CASE measure WHEN 1 THEN difference < 0 ELSE difference > 0 END) AS is_worse,
        bool_or(measure = 9 AND holm < 0.01 AND difference < 0) AS is_fallen,
        bool_and(coalesce(low >= -0.02 AND high <= 0.02, false))
          FILTER (WHERE measure < 9 AND (low IS NOT NULL OR (other_m > 0 AND measure <> 8))) AS is_steady,
        max(m) FILTER (WHERE measure = 1)::bigint AS delivery_observable,
        max(x) FILTER (WHERE measure = 1)::bigint AS delivery_observed,
        max(value) FILTER (WHERE measure = 1) AS delivery_observed_rate,
        max(before) FILTER (WHERE measure = 1) AS delivery_observed_rate_before,
        max(difference) FILTER (WHERE measure = 1) AS delivery_observed_rate_difference,
        max(low) FILTER (WHERE measure = 1) AS delivery_observed_rate_low,
        max(high) FILTER (WHERE measure = 1) AS delivery_observed_rate_high,
        max(holm) FILTER (WHERE measure = 1) AS delivery_observed_rate_p_holm,
        max(m) FILTER (WHERE measure = 2)::bigint AS notifications, max(x) FILTER (WHERE measure = 2)::bigint AS duplicated,
        max(value) FILTER (WHERE measure = 2) AS duplicate_rate,
        max(before) FILTER (WHERE measure = 2) AS duplicate_rate_before,
        max(difference) FILTER (WHERE measure = 2) AS duplicate_rate_difference,
        max(low) FILTER (WHERE measure = 2) AS duplicate_rate_low,
        max(high) FILTER (WHERE measure = 2) AS duplicate_rate_high,
        max(holm) FILTER (WHERE measure = 2) AS duplicate_rate_p_holm,
        max(x) FILTER (WHERE measure = 3)::bigint AS response_only,
        max(value) FILTER (WHERE measure = 3) AS response_only_rate,
        max(before) FILTER (WHERE measure = 3) AS response_only_rate_before,
        max(difference) FILTER (WHERE measure = 3) AS response_only_rate_difference,
        max(low) FILTER (WHERE measure = 3) AS response_only_rate_low,
        max(high) FILTER (WHERE measure = 3) AS response_only_rate_high,
        max(holm) FILTER (WHERE measure = 3) AS response_only_rate_p_holm,
        max(m) FILTER (WHERE measure = 4)::bigint AS taps, max(value) FILTER (WHERE measure = 4) AS settings_age_p50,
        max(before) FILTER (WHERE measure = 4) AS settings_age_p50_before,
        max(difference) FILTER (WHERE measure = 4) AS settings_age_p50_difference,
        max(low) FILTER (WHERE measure = 4) AS settings_age_p50_low,
        max(high) FILTER (WHERE measure = 4) AS settings_age_p50_high,
        max(holm) FILTER (WHERE measure = 4) AS settings_age_p50_p_holm,
        max(m) FILTER (WHERE measure = 5)::bigint AS events, max(value) FILTER (WHERE measure = 5) AS late_p50,
        max(before) FILTER (WHERE measure = 5) AS late_p50_before,
        max(difference) FILTER (WHERE measure = 5) AS late_p50_difference,
        max(low) FILTER (WHERE measure = 5) AS late_p50_low, max(high) FILTER (WHERE measure = 5) AS late_p50_high,
        max(holm) FILTER (WHERE measure = 5) AS late_p50_p_holm, max(value) FILTER (WHERE measure = 6) AS late_p99,
        max(before) FILTER (WHERE measure = 6) AS late_p99_before,
        max(difference) FILTER (WHERE measure = 6) AS late_p99_difference,
        max(low) FILTER (WHERE measure = 6) AS late_p99_low, max(high) FILTER (WHERE measure = 6) AS late_p99_high,
        max(holm) FILTER (WHERE measure = 6) AS late_p99_p_holm, max(x) FILTER (WHERE measure = 7)::bigint AS clamped,
        max(value) FILTER (WHERE measure = 7) AS clamped_rate,
        max(before) FILTER (WHERE measure = 7) AS clamped_rate_before,
        max(difference) FILTER (WHERE measure = 7) AS clamped_rate_difference,
        max(low) FILTER (WHERE measure = 7) AS clamped_rate_low, max(high) FILTER (WHERE measure = 7) AS clamped_rate_high,
        max(holm) FILTER (WHERE measure = 7) AS clamped_rate_p_holm,
        max(m) FILTER (WHERE measure = 8)::bigint AS heard_before,
        max(x) FILTER (WHERE measure = 8)::bigint AS silent_devices, max(value) FILTER (WHERE measure = 8) AS silent_rate,
        max(before) FILTER (WHERE measure = 8) AS silent_rate_before,
        max(difference) FILTER (WHERE measure = 8) AS silent_rate_difference,
        max(low) FILTER (WHERE measure = 8) AS silent_rate_low, max(high) FILTER (WHERE measure = 8) AS silent_rate_high,
        max(holm) FILTER (WHERE measure = 8) AS silent_rate_p_holm,
        max(m) FILTER (WHERE measure = 9)::bigint AS rate_denominator,
        max(x) FILTER (WHERE measure = 9)::bigint AS responded_in_window,
        max(value) FILTER (WHERE measure = 9) AS engagement_rate,
        max(before) FILTER (WHERE measure = 9) AS engagement_rate_before,
        max(difference) FILTER (WHERE measure = 9) AS engagement_rate_difference,
        max(low) FILTER (WHERE measure = 9) AS engagement_rate_low,
        max(high) FILTER (WHERE measure = 9) AS engagement_rate_high,
        max(holm) FILTER (WHERE measure = 9) AS engagement_rate_p_holm
      FROM figure
      GROUP BY key, slot
    ) f USING (key, slot)
    ORDER BY slot, key > $4, nullif(k.version, '') COLLATE "C" NULLS LAST
  $query$
  USING app_number, period.from_at, period.to_at, "limit", filters, period.labels, near, mature_to, found.versions,
    found.keys, found.firsts, found.befores, found.before_firsts, found.earliers, sample, froms, tos, period.starts,
    begins - interval '744 hours', event_limit, found.devices, found.before_devices, found.total, device_limit, fewest;
END $$;
