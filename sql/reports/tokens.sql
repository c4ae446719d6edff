-- report: tokens
-- purpose: The device tokens and their states at the end of each interval: one row per provider, type, environment and
--   state. For ends of intervals in the past, a token stops being misdirected at the newest push accepted for it.
-- reads: device_token, log
-- by rows: tokens that are not their device's only one of a type, or that came to an end, each one; what happened to those that were
--   registered again after an end, or that something happened to after the range; requests to dead tokens, each one, of a table
--   of their own
--
-- parameter: stale_after | duration | P270D | P1D to P3650D | An active token without a registration for this time is stale;
--   the setting tokens.stale_days gives another default
-- parameter: interval
-- parameter: from | Requests to dead tokens at or after this time
-- parameter: to | States at this time
-- parameter: tz
-- filters: provider, type, environment, topic
-- table: interval_start, provider, type, environment, state, tokens, devices, lifetime_p50, ghost_devices, dead_requests
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: provider | text | | apns or fcm
-- column: type | text | | alert, voip, activity_update, push_to_start, widget, control, complication, location or other
-- column: environment | text | | sandbox or production
-- column: state | text | | active, stale, superseded (the device registered another), moved (another device registered it),
--   invalidated (the provider or the app reported it dead) or misdirected (sent to the wrong environment or topic)
-- column: tokens | bigint | tokens | In this state at the end of the interval, each once per device it belonged to
-- column: devices | bigint | devices | Distinct devices with such a token
-- column: lifetime_p50 | double precision | seconds | Median time from a token's first registration to its end; null for
--   states that are not an end
-- column: ghost_devices | bigint | devices | Devices with several different active tokens of this type (of one activity, type of
--   attributes or control), which may show one push twice; null for other states
-- column: dead_requests | bigint | requests | Requests sent in the interval to tokens in this state; null for states that
--   are not an end
CREATE OR REPLACE FUNCTION report.tokens(
  app text, stale_after interval DEFAULT reporting.stale_after(), "interval" text DEFAULT 'none',
  "from" text DEFAULT NULL, "to" text DEFAULT NULL, tz text DEFAULT 'UTC',
  filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, provider text, type text, environment text, state text, tokens bigint, devices bigint,
  lifetime_p50 double precision, ghost_devices bigint, dead_requests bigint)
LANGUAGE plpgsql STABLE SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  old        interval;
  period     record;
BEGIN
  IF stale_after IS NULL OR stale_after < interval '1 day' OR stale_after > interval '3650 days' THEN
    PERFORM reporting.invalid('stale_after', 'stale_after must be a duration from P1D to P3650D');
  END IF;
  old := extract(epoch FROM stale_after) * interval '1 second';   -- days of 24 h, whatever the session's zone
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{provider,type,environment,topic}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE $query$
    WITH part AS MATERIALIZED (
      SELECT * FROM reporting.tokens_counts($2, $3, $4, $5, $6, $7, $8)
    ), counted AS (
      SELECT slot, provider, type, environment, state, sum(tokens)::bigint AS tokens, sum(devices)::bigint AS devices,
        sum(ghosts)::bigint AS ghosts, sum(requests)::bigint AS requests
      FROM part
      GROUP BY 1, 2, 3, 4, 5
    ), median AS (
      SELECT i.slot, provider, type, environment, state, percentile_disc(0.5) WITHIN GROUP (ORDER BY l.lifetime) AS lifetime
      FROM part p
      CROSS JOIN generate_series(p.slot, p.until) AS i (slot)
      CROSS JOIN unnest(p.lifetimes) AS l (lifetime)
      GROUP BY 1, 2, 3, 4, 5
    )
    SELECT $1[slot], provider, type, environment, state, tokens, devices, lifetime, CASE WHEN state = 'active' THEN ghosts END,
      CASE WHEN state IN ('superseded', 'moved', 'invalidated') THEN requests END
    FROM counted
    LEFT JOIN median USING (slot, provider, type, environment, state)
    ORDER BY slot, provider COLLATE "C", type COLLATE "C", environment COLLATE "C",
      array_position('{active,stale,misdirected,superseded,moved,invalidated}', state)
  $query$
  USING period.labels, app_number, old, period.starts, period.ends, period.from_at, period.to_at, filters;
END $$;
