-- report: instrumentation
-- purpose: Whether the instruments of a version of the app changed, or the people did: one row per version, and per
--   interval if requested, each measure beside the version before at equal age, that is as long after it was first seen.
--   Where deliveries, settings or whole devices are no longer heard of, a rate that falls says nothing of people.
-- reads: notification, device_period
-- by rows: what devices said of themselves over all of time, twice; notifications of the range, and of the stretches in
--   which versions before were as old, once; of 10,000 devices at most (of each version the same share, 2,500 at most, by a
--   hash of their ids) the log's events of those stretches and the 30 days before, device by device, until 300,000 are read.
--   A device with more than 10,000 of these is left out of what is read from the log
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
-- column: sdk_version | text | | The version of the client library that most of the version's events name; null if they
--   name none
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
--   categories
-- column: delivery_observed_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: delivery_observed_rate_high | double precision | fraction | Upper bound of the same
-- column: delivery_observed_rate_p_holm | double precision | probability | Probability of a difference at least as large
--   without one, corrected for the measures of the row (Holm)
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
--   one, corrected for the measures of the row (Holm)
-- column: response_only | bigint | notifications | Of `notifications`, those known only by a response or dismissal
-- column: response_only_rate | double precision | fraction | `response_only` ÷ `notifications`: what came before was not
--   heard of; worse if higher
-- column: response_only_rate_before | double precision | fraction | The same on the version before
-- column: response_only_rate_difference | double precision | fraction | The rate minus that of the version before, at its mix of
--   categories
-- column: response_only_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: response_only_rate_high | double precision | fraction | Upper bound of the same
-- column: response_only_rate_p_holm | double precision | probability | Probability of a difference at least as large
--   without one, corrected for the measures of the row (Holm)
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
--   one, corrected for the measures of the row (Holm)
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
--   corrected for the measures of the row (Holm)
-- column: late_p99 | double precision | seconds | 99th percentile of the same; worse if higher
-- column: late_p99_before | double precision | seconds | The same on the version before
-- column: late_p99_difference | double precision | fraction | The part of the events later than `late_p99_before`, minus
--   that part on the version before, at its mix of kinds
-- column: late_p99_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: late_p99_high | double precision | fraction | Upper bound of the same
-- column: late_p99_p_holm | double precision | probability | Probability of a difference at least as large without one,
--   corrected for the measures of the row (Holm)
-- column: clamped | bigint | events | Of `events`, those whose sender's clock was so far ahead that the server's was used
-- column: clamped_rate | double precision | fraction | `clamped` ÷ `events`; worse if higher
-- column: clamped_rate_before | double precision | fraction | The same on the version before
-- column: clamped_rate_difference | double precision | fraction | The rate minus that of the version before, at its mix of
--   kinds
-- column: clamped_rate_low | double precision | fraction | Lower bound of its 95 % interval, by device
-- column: clamped_rate_high | double precision | fraction | Upper bound of the same
-- column: clamped_rate_p_holm | double precision | probability | Probability of a difference at least as large without one,
--   corrected for the measures of the row (Holm)
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
--   corrected for the measures of the row (Holm)
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
--   one, corrected for the measures of the row (Holm)
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
  event_limit constant bigint := coalesce(nullif(current_setting('notilog.instrumentation_events', true), '')::bigint, 300000);   -- of these
  app_number integer := reporting.app_id(app);
  near       interval := (reporting.window_buckets("window")).length;
  period     record;
  mature_to  timestamptz;   -- where the part of the range ends whose time to respond is over
  heard      text;          -- the CTE of what devices said of their version
  found      record;        -- the versions heard of in the range, each with those it is compared with
  begins     timestamptz;   -- the first of the stretches that are compared
  froms      timestamptz[];   -- what is read of the notifications
  tos        timestamptz[];
BEGIN
  PERFORM reporting.row_limit("limit", 1000);
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{platform,os_version,locale}');
  heard := $query$
    heard AS MATERIALIZED (   -- events of a device that say one version, without another between
      SELECT device_id, version, first_at, last_at, next_at
      FROM (
        SELECT p.device_id, coalesce(p.value->>'app_version', '') COLLATE "C" AS version, p.first_at, p.last_at,
          lead(p.first_at) OVER (PARTITION BY p.device_id ORDER BY p.first_at, p.first_id) AS next_at,
          reporting.matches(coalesce(p.value->>'platform', ''), $5, 'platform')
            AND reporting.matches(coalesce(p.value->>'os_version', ''), $5, 'os_version')
            AND reporting.matches(coalesce(p.value->>'locale', ''), $5, 'locale') AS is_wanted
        FROM projection.device_period p
        WHERE p.app_id = $1 AND p.series = 'context'
      ) p
      WHERE is_wanted
    ), spell AS MATERIALIZED (   -- a device's time on a version
      SELECT device_id, version, min(first_at) AS first_at, max(last_at) AS last_at,
        CASE WHEN count(next_at) = count(*) THEN max(next_at) END AS next_at,
        bool_or(first_at < $3 AND last_at >= $2) AS is_here
      FROM heard
      GROUP BY device_id, version
    )$query$;
  IF period.starts IS NULL THEN
    RETURN;
  END IF;
  mature_to := greatest(period.from_at, least(period.to_at, as_of - near + interval '1 microsecond'));

  EXECUTE format($query$
    WITH %s, version AS MATERIALIZED (
      SELECT version, count(*) AS devices, count(*) FILTER (WHERE is_here) AS here,
        percentile_disc(0.001) WITHIN GROUP (ORDER BY first_at) AS first_at
      FROM spell
      GROUP BY version
    ), ranked AS (
      SELECT *, row_number() OVER (ORDER BY here DESC, devices DESC, nullif(version, '') COLLATE "C" NULLS LAST) AS rank
      FROM version
    ), known AS MATERIALIZED (   -- those that are compared, and those of them that others are compared with
      SELECT version, first_at, devices * 10 >= most AS is_common
      FROM (SELECT *, max(devices) FILTER (WHERE version <> '') OVER () AS most FROM ranked) r
      WHERE rank <= $4 AND version <> '' AND devices * 1000 >= most
    ), followed AS (
      SELECT k.version, b.version AS before, b.first_at AS before_at
      FROM known k
      CROSS JOIN LATERAL (
        SELECT b.version, b.first_at
        FROM known b
        WHERE b.is_common AND (b.first_at, b.version COLLATE "C") < (k.first_at, k.version COLLATE "C")
        ORDER BY b.first_at DESC, b.version COLLATE "C" DESC
        LIMIT 1
      ) b
    ), compared AS (
      SELECT f.*, e.before AS earlier FROM followed f LEFT JOIN followed e ON e.version = f.before
    )
    SELECT array_agg(version ORDER BY rank) AS versions, array_agg(least(rank, $4 + 1)::integer ORDER BY rank) AS keys,
      array_agg(first_at ORDER BY rank) AS firsts, array_agg(before ORDER BY rank) AS befores,
      array_agg(before_at ORDER BY rank) AS before_firsts, array_agg(earlier ORDER BY rank) AS earliers, count(*) AS total
    FROM ranked
    LEFT JOIN compared USING (version)
    WHERE here > 0
  $query$, heard) INTO found USING app_number, period.from_at, period.to_at, "limit", filters;
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

  RETURN QUERY EXECUTE format($query$
    WITH known AS MATERIALIZED (
      SELECT *, (extract(epoch FROM first_at - before_at) * 1000000)::bigint * interval '1 microsecond' AS shift
      FROM unnest($9::text[], $10::integer[], $11::timestamptz[], $12::text[], $13::timestamptz[], $14::text[])
        AS k (version, key, first_at, before, before_at, earlier)
    ), begun AS (
      SELECT *, least(first_at + interval '720 hours', $3 - interval '720 hours') AS until
      FROM known
      WHERE before IS NOT NULL AND $6[1] IS NULL
    ), part AS MATERIALIZED (   -- the rows that a version counts in: its own, and that of the version after it
      SELECT key, version COLLATE "C" AS version, 0 AS side, interval '0' AS shift FROM known
      UNION ALL
      SELECT key, before, 1, shift FROM known WHERE before IS NOT NULL
    ), %s, stay AS (   -- intervals that a device was on a version in, each once
      SELECT k.key, greatest(s.since, lag(s.until, 1, 0) OVER device + 1) AS since, s.until
      FROM (
        SELECT h.version, h.device_id, h.first_at, h.last_at, width_bucket(greatest(h.first_at, $2), $20) AS since,
          width_bucket(least(h.last_at, $3 - interval '1 microsecond'), $20) AS until
        FROM heard h
        WHERE h.first_at < $3 AND h.last_at >= $2
      ) s
      JOIN known k USING (version)
      WINDOW device AS (PARTITION BY s.version, s.device_id ORDER BY s.first_at, s.last_at)
    ), step AS (
      SELECT key, slot, sum(change) AS change
      FROM (
        SELECT key, since AS slot, 1 AS change FROM stay WHERE since <= until
        UNION ALL
        SELECT key, until + 1, -1 FROM stay WHERE since <= until
      ) s
      GROUP BY key, slot
    ), present AS MATERIALIZED (
      SELECT s.key, g.slot, s.devices::bigint AS devices
      FROM (
        SELECT key, slot, sum(change) OVER stepped AS devices, lead(slot) OVER stepped AS next_slot
        FROM step
        WINDOW stepped AS (PARTITION BY key ORDER BY slot)
      ) s
      CROSS JOIN LATERAL generate_series(s.slot, s.next_slot - 1) AS g (slot)
      WHERE s.devices > 0
    ), noted AS MATERIALIZED (   -- a device: what became of its notifications of a category
      SELECT p.key, p.side, width_bucket(n.cohort_at + p.shift, $20) AS slot, n.device_id, n.category,
        count(*) FILTER (WHERE n.delivery_observable AND n.is_reached) AS observable,
        count(*) FILTER (WHERE n.delivery_observable AND n.is_reached
          AND n.delivery_at IS NOT NULL) AS observed,
        count(*) AS known, count(*) FILTER (WHERE n.duplicate_callbacks > 0) AS repeated,
        count(*) FILTER (WHERE n.response_only) AS alone, count(*) FILTER (WHERE n.is_reached) AS reached,
        count(*) FILTER (WHERE n.is_reached AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $7) AS engaged
      FROM unnest($16::timestamptz[], $17::timestamptz[]) AS s (from_at, to_at)
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a stretch
        SELECT n.device_id, coalesce(n.category, '') COLLATE "C" AS category, n.cohort_at, n.delivery_observable,
          n.delivery_at, n.duplicate_callbacks, n.response_only, n.responded_at,
          n.shown_at, n.app_version, n.platform, n.os_version, n.locale, n.reached_seen OR n.reached_assumed AS is_reached
        FROM projection.notification n
        WHERE n.app_id = $1 AND n.cohort_at >= s.from_at AND n.cohort_at < s.to_at
          AND (n.reached_seen OR n.reached_assumed OR n.response_only)
        OFFSET 0
      ) n
      JOIN part p ON p.version = coalesce(n.app_version, '')
      WHERE n.cohort_at + p.shift >= $2 AND n.cohort_at + p.shift < $8
        AND reporting.matches(coalesce(n.platform, ''), $5, 'platform')
        AND reporting.matches(coalesce(n.os_version, ''), $5, 'os_version')
        AND reporting.matches(coalesce(n.locale, ''), $5, 'locale')
      GROUP BY 1, 2, 3, 4, 5
    ), sampled AS MATERIALIZED (
      SELECT version, device_id, number
      FROM (
        SELECT version, device_id, row_number() OVER (PARTITION BY version ORDER BY hashtextextended(device_id, 0), device_id) AS number
        FROM (
          SELECT DISTINCT h.version, h.device_id
          FROM heard h
          JOIN part p USING (version)
          WHERE p.key <= $4 AND h.version <> '' AND h.first_at + p.shift < $3 AND h.last_at + p.shift >= $2
        ) h
      ) h
      WHERE number <= least($18 / 4, $18 / (SELECT greatest(count(DISTINCT version), 1) FROM part WHERE key <= $4))
    ), read AS MATERIALIZED (   -- the events that the log has of them, device by device, as far as the bound goes
      SELECT d.device_id, e.events, e.kind, e.effective_at, e.received_at, e.time_clamped,
        e.kind = 'action_response' AND e.data->>'action_id' = 'default' AS is_tap,
        e.context->>'app_version' AS version, e.context->>'sdk_version' AS sdk_version,
        e.kind NOT IN ('push_result', 'holdout') AND (e.kind = 'request' AND e.data->>'origin' = 'provider') IS NOT TRUE
          AND reporting.matches(coalesce(e.context->>'platform', ''), $5, 'platform')
          AND reporting.matches(coalesce(e.context->>'os_version', ''), $5, 'os_version')
          AND reporting.matches(coalesce(e.context->>'locale', ''), $5, 'locale') AS is_counted
      FROM (SELECT device_id, min(number) AS number FROM sampled GROUP BY device_id ORDER BY number, device_id) d
      CROSS JOIN LATERAL (
        SELECT *, data->'context' AS context, count(*) OVER () AS events
        FROM (
          SELECT e.kind, e.effective_at, e.received_at, e.time_clamped,
            CASE WHEN e.received_at <= e.effective_at + $7 THEN e.data END AS data   -- all are counted, these are read
          FROM log.upcast_event e
          WHERE e.app_id = $1 AND e.device_id = d.device_id AND e.received_at >= $15 AND e.received_at < $3 + $7
          LIMIT 10001
        ) e
      ) e
      LIMIT $21
    ), told AS MATERIALIZED (
      SELECT *
      FROM read
      WHERE events <= 10000 AND received_at <= effective_at + $7
        AND device_id NOT IN (   -- at whose events the bound was met
          SELECT device_id FROM read GROUP BY device_id HAVING count(*) < max(events))
    ), aged AS (   -- taps, and the newest settings before each: only these and settings are sorted
      SELECT *
      FROM (
        SELECT *, max(effective_at) FILTER (WHERE kind = 'settings') OVER (
          PARTITION BY device_id ORDER BY effective_at + CASE WHEN is_tap THEN interval '10 seconds' ELSE interval '0' END) AS settings_at
        FROM told
        WHERE is_tap OR kind = 'settings'
      ) e
      WHERE is_tap
    ), counted AS MATERIALIZED (
      SELECT p.key, p.side, width_bucket(e.effective_at + p.shift, $20) AS slot, e.device_id, e.kind, e.sdk_version,
        e.time_clamped, e.is_tap, e.effective_at + p.shift < $8 AS is_old,
        (greatest(extract(epoch FROM e.received_at - e.effective_at), 0) * 1000000)::bigint AS late,
        CASE WHEN e.is_tap AND e.settings_at >= e.effective_at - interval '720 hours'
          THEN (greatest(extract(epoch FROM e.effective_at - e.settings_at), 0) * 1000000)::bigint
          ELSE 9223372036854775807 END AS age   -- beyond all, where there are none
      FROM (
        SELECT * FROM aged
        UNION ALL
        SELECT *, NULL FROM told WHERE is_tap IS NOT TRUE
      ) e
      JOIN (SELECT version, device_id FROM sampled) s USING (version, device_id)
      JOIN part p USING (version)
      WHERE p.key <= $4 AND e.is_counted AND e.effective_at + p.shift >= $2 AND e.effective_at + p.shift < $3
    ), level AS MATERIALIZED (
      SELECT key, slot, side, mode() WITHIN GROUP (ORDER BY sdk_version COLLATE "C") AS sdk_version,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY late) FILTER (WHERE is_old) AS p50,
        percentile_disc(0.99) WITHIN GROUP (ORDER BY late) FILTER (WHERE is_old) AS p99,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY age) FILTER (WHERE is_old AND is_tap) AS age
      FROM counted
      GROUP BY key, slot, side
    ), fallen AS (   -- who might have fallen silent as a version came out: the one of the row, and the one before it
      SELECT key, 0 AS side, before AS version, first_at AS from_at, until FROM begun WHERE until > first_at
      UNION ALL
      SELECT key, 1, earlier, before_at, until - shift FROM begun WHERE until > first_at AND earlier IS NOT NULL
    ), unit AS MATERIALIZED (   -- a device in a measure and a category or kind of event: of so many, so many
      SELECT n.key, n.slot, n.side, v.measure, n.category AS stratum, n.device_id, v.x::numeric AS x, v.m::numeric AS m
      FROM noted n
      CROSS JOIN LATERAL (
        VALUES (1, n.observed, n.observable), (2, n.repeated, n.known), (3, n.alone, n.known), (9, n.engaged, n.reached)
      ) AS v (measure, x, m)
      WHERE v.m > 0
      UNION ALL
      SELECT e.key, e.slot, e.side, v.measure, v.stratum, e.device_id, v.x, v.m
      FROM (
        SELECT e.key, e.slot, e.side, e.kind, e.device_id, count(*) AS events, count(*) FILTER (WHERE e.late > l.p50) AS late_half,
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
      SELECT f.key, 1, f.side, 8, '', s.device_id,
        (s.last_at < f.until AND (s.next_at > s.last_at + interval '720 hours') IS NOT FALSE)::integer, 1
      FROM fallen f
      JOIN spell s USING (version)
      WHERE s.last_at >= f.from_at AND s.first_at < f.until
    ), total AS MATERIALIZED (
      SELECT key, slot, side, measure, stratum, sum(x) AS x, sum(m) AS m FROM unit GROUP BY 1, 2, 3, 4, 5
    ), alike AS MATERIALIZED (   -- what both have, in the mix of the version before
      SELECT key, slot, measure, stratum, o.x, o.m, b.x AS other_x, b.m AS other_m, sum(b.m) OVER (PARTITION BY key, slot, measure) AS whole
      FROM (SELECT * FROM total WHERE side = 0) o
      JOIN (SELECT * FROM total WHERE side = 1) b USING (key, slot, measure, stratum)
    ), moved AS (   -- how far a device moves a rate (delta method)
      SELECT u.key, u.slot, u.measure, u.device_id,
        sum(a.other_m * (u.x * a.m - a.x * u.m) / (a.m * a.m)) FILTER (WHERE u.side = 0) / max(a.whole) AS own,
        sum((u.x * a.other_m - a.other_x * u.m) / a.other_m) FILTER (WHERE u.side = 1) / max(a.whole) AS other
      FROM unit u
      JOIN alike a USING (key, slot, measure, stratum)
      GROUP BY 1, 2, 3, 4
    ), spread AS (
      SELECT key, slot, measure, n, other_n, (n * own / nullif(n - 1, 0))::double precision AS variance,
        (other_n * other / nullif(other_n - 1, 0))::double precision AS other_variance,
        shared::double precision * sqrt(n * other_n / nullif((n - 1) * (other_n - 1), 0)::double precision) AS covariance
      FROM (
        SELECT key, slot, measure, count(own) AS n, count(other) AS other_n, sum(own * own) AS own, sum(other * other) AS other,
          coalesce(sum(own * other), 0) AS shared
        FROM moved
        GROUP BY key, slot, measure
      ) s
    ), rated AS (
      SELECT *, (rate - other_rate)::double precision AS difference, variance + other_variance - 2 * covariance AS variance_of_difference
      FROM (
        SELECT key, slot, measure, sum(other_m * x / m) / sum(other_m) AS rate, sum(other_x) / sum(other_m) AS other_rate
        FROM alike
        GROUP BY key, slot, measure
      ) r
      JOIN spread USING (key, slot, measure)
    ), tested AS (
      SELECT *, reporting.chi_square_tail((difference / error) ^ 2, 1) AS p
      FROM (
        SELECT *, CASE WHEN variance_of_difference > greatest(1e-24::double precision, 1e-9::double precision * (variance + other_variance))
          THEN sqrt(variance_of_difference) END AS error
        FROM rated
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
        CASE WHEN c.error > 0 THEN c.difference - 1.959963984540054 * c.error WHEN c.variance_of_difference IS NOT NULL THEN i.low END AS low,
        CASE WHEN c.error > 0 THEN c.difference + 1.959963984540054 * c.error WHEN c.variance_of_difference IS NOT NULL THEN i.high END AS high
      FROM (
        SELECT key, slot, measure, sum(x) FILTER (WHERE side = 0) AS x, sum(m) FILTER (WHERE side = 0) AS m,
          sum(x) FILTER (WHERE side = 1) AS other_x, sum(m) FILTER (WHERE side = 1) AS other_m
        FROM total
        GROUP BY key, slot, measure
      ) t
      LEFT JOIN corrected c USING (key, slot, measure)
      LEFT JOIN level o ON (o.key, o.slot, o.side) = (t.key, t.slot, 0)
      LEFT JOIN level b ON (b.key, b.slot, b.side) = (t.key, t.slot, 1)
      LEFT JOIN LATERAL reporting.newcombe(c.rate::double precision, c.n, c.other_rate::double precision, c.other_n) i ON true
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
      f.engagement_rate_high, f.engagement_rate_p_holm, $19
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
  $query$, heard)
  USING app_number, period.from_at, period.to_at, "limit", filters, period.labels, near, mature_to, found.versions,
    found.keys, found.firsts, found.befores, found.before_firsts, found.earliers, begins - interval '744 hours', froms,
    tos, sample, found.total, period.starts, event_limit;
END $$;
