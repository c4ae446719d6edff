-- report: authorization
-- purpose: How people answered the request to allow notifications: devices by the one answer that counts, one row per set of
--   requested options and app version, and per interval if requested. The system asks a person once, so the answer that counts
--   is the device's earliest request without `error` and without `provisional` while permission was not determined or
--   provisional, by the request's status_before, else by the newest settings before it. A provisional request is granted
--   without a question: there the later decision counts. A row `other` sums everything beyond `limit`.
-- reads: authorization, device_period
-- by rows: requests for authorization, each one
--
-- parameter: interval | choice | none | none, hour, day, week, month | Rows per interval of local time
-- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Requests at or after this time
-- parameter: to | time | now | an RFC 3339 time, or a date in tz | Requests before this time
-- parameter: tz | zone | UTC | an IANA time zone | Time zone of dates and intervals
-- parameter: limit | whole | 1000 | 1 to 10000 | How many sets of options and app versions have rows of their own: those
--   with the most devices asked over the whole range; all others share one row, `other`
-- filters: platform, os_version, app_version, locale
-- table: interval_start, options, app_version, asked, granted, denied, grant_rate, failed, repeats, unknown_before,
--   provisional, converted, conversion_rate, conversion_p50, turned_off
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: options | text | | The requested options (UNAuthorizationOptions), joined by commas, `none` if there were none;
--   null if unknown
-- column: app_version | text | | From the request's context, else from the device's latest before it, else from its
--   earliest; null if unknown
-- column: other | boolean | | True in the row of everything beyond `limit`; its options and app_version are null
-- column: asked | bigint | devices | Devices whose answer that counts is one of these requests
-- column: answered | bigint | devices | Of `asked`, those with a known answer: granted or denied
-- column: granted | bigint | devices | Of `asked`, those that granted permission
-- column: denied | bigint | devices | Of `asked`, those that denied it
-- column: failed | bigint | devices | Devices whose requests up to the end of the range all ended in an error, counted by
--   the first of them: nobody was asked
-- column: repeats | bigint | events | Requests without an error on devices that had decided or been asked before: the system
--   returned the earlier answer
-- column: unknown_before | bigint | devices | Devices without an answer that counts up to the end of the range, whose first
--   request without `error` and without `provisional` is one of these and has no known status before it
-- column: grant_rate | double precision | fraction | Share of known answers that granted permission: `granted` ÷ `answered`
-- column: grant_rate_low | double precision | fraction | Lower bound of the 95 % Wilson score interval
-- column: grant_rate_high | double precision | fraction | Upper bound of the 95 % Wilson score interval
-- column: provisional | bigint | devices | Devices granted provisionally for the first time, without an earlier known
--   decision; null if provisional was not requested
-- column: converted | bigint | devices | Of `provisional`, those whose settings were next authorized rather than denied
-- column: turned_off | bigint | devices | Of `provisional`, those whose settings were next denied rather than authorized
-- column: conversion_rate | double precision | fraction | Of those granted provisionally, including undecided ones:
--   `converted` ÷ `provisional`
-- column: conversion_p50 | double precision | seconds | Median time from the request to the first snapshot that was
--   authorized
CREATE OR REPLACE FUNCTION report.authorization(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, options text, app_version text, other boolean, asked bigint, answered bigint, granted bigint,
  denied bigint, failed bigint, repeats bigint, unknown_before bigint, grant_rate double precision,
  grant_rate_low double precision, grant_rate_high double precision, provisional bigint, converted bigint,
  turned_off bigint, conversion_rate double precision, conversion_p50 double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
  starts     timestamptz[];
  labels     timestamptz[];
  conditions text;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.period("from", "to", tz, as_of);
  SELECT array_agg(i.begins ORDER BY i.begins), array_agg(i.interval_start ORDER BY i.begins) INTO starts, labels
  FROM reporting.intervals("interval", period.from_at, period.to_at, tz) i;
  conditions := reporting.filter(filters, '{"platform": "coalesce(context->>''platform'', '''')",
    "os_version": "coalesce(context->>''os_version'', '''')", "app_version": "coalesce(context->>''app_version'', '''')",
    "locale": "coalesce(context->>''locale'', '''')"}');
  IF starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH request AS (
      SELECT a.device_id, a.at, a.id, a.options, a.granted, a.context, a.error IS NOT NULL AS failed,
        coalesce('provisional' = ANY (string_to_array(a.options, ',')), false) AS is_provisional,
        CASE WHEN a.error IS NULL THEN coalesce(%3$s, (
          SELECT p.value->>'authorization_status'
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, a.device_id, 'settings') AND (p.first_at, p.first_id) < (a.at, a.id)
          ORDER BY p.first_at DESC, p.first_id DESC
          LIMIT 1)) END AS status
      FROM projection.authorization_request a
      WHERE a.app_id = $1 AND a.at < $4 AND a.device_id IN (
        SELECT i.device_id FROM projection.authorization_request i WHERE i.app_id = $1 AND i.at >= $3 AND i.at < $4)
    ), open AS (
      SELECT *, NOT failed AND NOT is_provisional AS asks,
        coalesce(NOT failed AND NOT is_provisional AND status IN ('not_determined', 'provisional'), false) AS is_open
      FROM request
    ), placed AS (   -- each request among those of its device
      SELECT *, row_number() OVER earlier AS number, count(*) FILTER (WHERE is_open) OVER earlier AS opens,
        count(*) FILTER (WHERE asks) OVER earlier - asks::integer > 0 AS was_asked,
        bool_or(is_open) OVER device AS has_answer, bool_and(failed) OVER device AS only_failed
      FROM open
      WINDOW device AS (PARTITION BY device_id), earlier AS (
        PARTITION BY device_id ORDER BY at, id ROWS UNBOUNDED PRECEDING)
    ), standing AS (
      SELECT device_id, at, id, options, granted, context,
        CASE WHEN failed THEN CASE WHEN only_failed AND number = 1 THEN 'failed' END
          WHEN is_open AND opens = 1 THEN 'answer'
          WHEN was_asked OR status NOT IN ('not_determined', 'provisional') THEN 'repeat'
          WHEN asks THEN CASE WHEN NOT has_answer THEN 'unknown' END
          WHEN granted THEN 'provisional' END AS stands
      FROM placed
    ), counting AS (
      SELECT *, row_number() OVER (PARTITION BY device_id, stands ORDER BY at, id) AS number
      FROM standing
      WHERE stands IS NOT NULL
    ), known AS (
      SELECT s.device_id, s.at, s.options, s.granted, s.stands, coalesce(s.context, (
        SELECT p.value
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, s.device_id, 'context')
        ORDER BY p.first_at <= s.at DESC, CASE WHEN p.first_at <= s.at THEN p.first_at END DESC,
          CASE WHEN p.first_at <= s.at THEN p.first_id END DESC, p.first_at, p.first_id
        LIMIT 1)) AS context
      FROM counting s
      WHERE s.at >= $3 AND (s.number = 1 OR s.stands = 'repeat')
    ), told AS MATERIALIZED (
      SELECT width_bucket(at, $2) AS slot, device_id, at, granted, stands,
        CASE options WHEN '' THEN 'none' ELSE coalesce(options, '') END COLLATE "C" AS options,
        coalesce(context->>'app_version', '') COLLATE "C" AS app_version,
        coalesce('provisional' = ANY (string_to_array(options, ',')), false) AS is_provisional
      FROM known
      WHERE %1$s
    ), %2$s, counted AS (
      SELECT slot, k.key > $7 AS other, min(options) AS options, min(app_version) AS app_version,
        count(*) FILTER (WHERE stands = 'answer') AS asked,
        count(*) FILTER (WHERE stands = 'answer' AND granted IS NOT NULL) AS answered,
        count(*) FILTER (WHERE stands = 'answer' AND granted) AS granted,
        count(*) FILTER (WHERE stands = 'answer' AND NOT granted) AS denied,
        count(*) FILTER (WHERE stands = 'failed') AS failed, count(*) FILTER (WHERE stands = 'repeat') AS repeats,
        count(*) FILTER (WHERE stands = 'unknown') AS unknown_before,
        count(*) FILTER (WHERE stands = 'provisional') AS provisional,
        count(*) FILTER (WHERE decision.status = 'authorized') AS converted,
        count(*) FILTER (WHERE decision.status = 'denied') AS turned_off,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY decided_at - at) FILTER (WHERE decision.status = 'authorized') AS after,
        bool_or(is_provisional) AS is_provisional
      FROM told t
      JOIN key k USING (options, app_version)
      LEFT JOIN LATERAL (
        SELECT p.value->>'authorization_status' AS status, p.first_at AS decided_at
        FROM projection.device_period p
        WHERE t.stands = 'provisional' AND (p.app_id, p.device_id, p.series) = ($1, t.device_id, 'settings')
          AND p.first_at > t.at AND p.first_at <= $6
          AND p.value->>'authorization_status' IN ('authorized', 'denied')
        ORDER BY p.first_at, p.first_id
        LIMIT 1
      ) decision ON true
      GROUP BY slot, k.key
    )
    SELECT $5[slot], CASE WHEN NOT other THEN nullif(options, '') END, CASE WHEN NOT other THEN nullif(app_version, '') END,
      other, asked, answered, granted, denied, failed, repeats, unknown_before,
      granted / nullif(answered, 0)::double precision, w.low, w.high,
      CASE WHEN is_provisional THEN provisional END, CASE WHEN is_provisional THEN converted END,
      CASE WHEN is_provisional THEN turned_off END,
      converted / nullif(provisional, 0)::double precision, extract(epoch FROM after)::double precision,
      (SELECT count(*) FROM key)
    FROM counted
    CROSS JOIN LATERAL reporting.wilson(granted, nullif(answered, 0)) w
    ORDER BY slot, other, nullif(options, '') NULLS LAST, nullif(app_version, '') NULLS LAST
  $query$, conditions, reporting.keys('told', '{options,app_version}', '(stands = ''answer'')::integer', '$7'),
    CASE WHEN reporting.has_column('projection.authorization_request', 'status_before') THEN 'a.status_before' ELSE 'NULL' END)
  USING app_number, starts, period.from_at, period.to_at, labels, as_of, "limit";
END $$;
