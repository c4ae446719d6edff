-- report: authorization
-- purpose: How people answered when asked to allow notifications: one row per set of options asked for and app version,
--   per interval where asked. The system asks a person once; asking again gives the same answer, and counts again in
--   `asked` and the answers, not in `devices`. A provisional request is granted without a question, so what counts there
--   is what people made of it later.
-- reads: authorization, device_period
--
-- parameter: interval | choice | none | none, hour, day, week, month | Rows per interval of local time
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Requests from then on
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Requests before then
-- parameter: tz | zone | UTC | an IANA time zone | Whose dates and intervals
-- filters: platform, os_version, app_version, locale
-- table: interval_start, options, app_version, asked, granted, denied, grant_rate, devices, failed, provisional, converted,
--   conversion_rate, conversion_p50, turned_off
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: options | text | | The options asked for (UNAuthorizationOptions), joined by commas, `none` where there were none;
--   null where it was not said
-- column: app_version | text | | By the request's context, else the device's latest before it, else its earliest; null
--   where it was not said
-- column: asked | bigint | events | Requests
-- column: devices | bigint | devices | Distinct devices that were asked
-- column: granted | bigint | events | Granted
-- column: denied | bigint | events | Not granted, without an error
-- column: failed | bigint | events | Ended in an error: nobody was asked
-- column: unstated | bigint | events | Without word of an answer
-- column: grant_rate | double precision | fraction | Granted, of those granted or denied
-- column: grant_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: grant_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: provisional | bigint | devices | Granted provisionally, on a device whose settings did not say authorized or
--   denied before; null where provisional was not asked for
-- column: converted | bigint | devices | Of `provisional`, those whose settings next said authorized rather than denied
-- column: turned_off | bigint | devices | Of `provisional`, those whose settings next said denied rather than authorized
-- column: conversion_rate | double precision | fraction | Converted, of `provisional`: those not yet decided included
-- column: conversion_p50 | double precision | seconds | Median time from the request to the first snapshot that said
--   authorized
CREATE OR REPLACE FUNCTION report.authorization(
  app text, "interval" text DEFAULT 'none', "from" timestamptz DEFAULT NULL, "to" timestamptz DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, options text, app_version text, asked bigint, devices bigint, granted bigint,
  denied bigint, failed bigint, unstated bigint, grant_rate double precision, grant_rate_low double precision,
  grant_rate_high double precision, provisional bigint, converted bigint, turned_off bigint,
  conversion_rate double precision, conversion_p50 double precision)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  app_number integer := report.app_id(app);
  period     record;
  starts     timestamptz[];
  labels     timestamptz[];
  conditions text;
BEGIN
  period := report.period("from", "to", as_of);
  SELECT array_agg(i.begins ORDER BY i.begins), array_agg(i.interval_start ORDER BY i.begins) INTO starts, labels
  FROM report.intervals("interval", period.from_at, period.to_at, tz) i;
  conditions := report.filter(filters, '{"platform": "coalesce(context->>''platform'', '''')",
    "os_version": "coalesce(context->>''os_version'', '''')", "app_version": "coalesce(context->>''app_version'', '''')",
    "locale": "coalesce(context->>''locale'', '''')"}');
  IF starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH request AS MATERIALIZED (
      SELECT width_bucket(at, $2) AS place, options, coalesce(context->>'app_version', '') AS app_version, device_id, at, id,
        error IS NOT NULL AS failed, granted
      FROM (
        SELECT a.device_id, a.at, a.id, a.options, a.granted, a.error, coalesce(a.context, (
          SELECT p.value
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, a.device_id, 'context')
          ORDER BY p.first_at <= a.at DESC, CASE WHEN p.first_at <= a.at THEN p.first_at END DESC,
            CASE WHEN p.first_at <= a.at THEN p.first_id END DESC, p.first_at, p.first_id
          LIMIT 1)) AS context
        FROM projection.authorization_request a
        WHERE a.app_id = $1 AND a.at >= $3 AND a.at < $4
      ) known
      WHERE %1$s
    ), counted AS (
      SELECT place, options, app_version, count(*) AS asked, count(DISTINCT device_id) AS devices,
        count(*) FILTER (WHERE granted AND NOT failed) AS granted,
        count(*) FILTER (WHERE NOT granted AND NOT failed) AS denied, count(*) FILTER (WHERE failed) AS failed,
        count(*) FILTER (WHERE granted IS NULL AND NOT failed) AS unstated
      FROM request
      GROUP BY 1, 2, 3
    ), trial AS (   -- each device once a row, from its first provisional request that decided anything
      SELECT DISTINCT ON (place, options, app_version, device_id) place, options, app_version, device_id, at
      FROM request r
      WHERE granted AND NOT failed AND 'provisional' = ANY (string_to_array(options, ',')) AND (
        SELECT p.value->>'authorization_status'
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, r.device_id, 'settings') AND p.first_at <= r.at
        ORDER BY p.first_at DESC, p.first_id DESC
        LIMIT 1) IN ('authorized', 'denied') IS NOT TRUE
      ORDER BY place, options, app_version, device_id, at, id
    ), tried AS (
      SELECT place, options, app_version, count(*) AS provisional, count(*) FILTER (WHERE status = 'authorized') AS converted,
        count(*) FILTER (WHERE status = 'denied') AS turned_off,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY decided_at - at) FILTER (WHERE status = 'authorized') AS after
      FROM trial t
      LEFT JOIN LATERAL (
        SELECT p.value->>'authorization_status' AS status, p.first_at AS decided_at
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, t.device_id, 'settings') AND p.first_at > t.at AND p.first_at <= $6
          AND p.value->>'authorization_status' IN ('authorized', 'denied')
        ORDER BY p.first_at, p.first_id
        LIMIT 1
      ) decision ON true
      GROUP BY 1, 2, 3
    )
    SELECT $5[place], CASE options WHEN '' THEN 'none' ELSE options END, nullif(app_version, ''), asked, devices, granted,
      denied, failed, unstated, granted / nullif(granted + denied, 0)::double precision, w.low, w.high,
      CASE WHEN asks THEN coalesce(provisional, 0) END, CASE WHEN asks THEN coalesce(converted, 0) END,
      CASE WHEN asks THEN coalesce(turned_off, 0) END,
      converted / nullif(provisional, 0)::double precision, extract(epoch FROM after)::double precision
    FROM (
      SELECT c.*, t.provisional, t.converted, t.turned_off, t.after,
        coalesce('provisional' = ANY (string_to_array(c.options, ',')), false) AS asks
      FROM counted c
      LEFT JOIN tried t ON t.place = c.place AND t.options = c.options AND t.app_version = c.app_version
    ) whole
    CROSS JOIN LATERAL report.wilson(granted, nullif(granted + denied, 0)) w
    ORDER BY place, options NULLS LAST, nullif(app_version, '') NULLS LAST
  $query$, conditions)
  USING app_number, starts, period.from_at, period.to_at, labels, as_of;
END $$;
