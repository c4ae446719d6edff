-- report: authorization
-- purpose: How people answered the request to allow notifications: devices by the one answer that counts, one row per set of
--   requested options and app version (or the dimensions in `by`), and per interval if requested. The system asks a person once, so the answer that counts
--   is the device's earliest request without `error` and without `provisional` while permission was not determined or
--   provisional, by the request's status_before, else by the newest settings before it. A provisional request is granted
--   without a question: there the later decision counts. By placement or variant of the app's own question, it tells how many were shown it and went
--   on to the system's. A row `other` sums everything beyond `limit`.
-- reads: authorization, device_period, permission_prompt
-- by rows: requests for authorization, each one
--
-- parameter: by | dimensions | options,app_version | none, or one or two of options, app_version, placement, variant | What rows
--   stand for; placement and variant are those of the device's latest permission_prompt before
-- parameter: interval
-- parameter: from | Requests at or after this time
-- parameter: to | Requests before this time
-- parameter: tz
-- parameter: limit | How many values of `by` have rows of their own: those with the most devices asked over the whole range;
--   all others share one row, `other`
-- filters: platform, os_version, app_version, locale
-- table: interval_start, by_1, by_2, shown, continued, asked, granted, denied, grant_rate, failed, repeats, unknown_before,
--   on_after_7d_low, on_after_7d_high, on_after_30d_low, on_after_30d_high, on_after_90d_low, on_after_90d_high, provisional,
--   converted, conversion_rate, conversion_p50, turned_off
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: by_1 | text | | The first dimension. options: the requested options (UNAuthorizationOptions), joined by commas,
--   `none` if there were none. app_version: from the request's context, else from the device's latest before it, else from
--   its earliest. placement, variant: of the latest permission_prompt before the request. Null if unknown
-- column: by_2 | text | | The second dimension, likewise
-- column: other | boolean | | True in the row of everything beyond `limit`; its dimensions are null
-- column: shown | bigint | devices | Devices that the app asked in its own words: before the answer that counts, else by their
--   latest permission_prompt up to the end of the range; null without placement or variant in `by`, as the next four
-- column: continued | bigint | devices | Of `shown`, those whose person went on to the system's question
-- column: later | bigint | devices | Of `shown`, those whose person put it off
-- column: never | bigint | devices | Of `shown`, those whose person declined
-- column: dismissed | bigint | devices | Of `shown`, those whose person closed it without an answer
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
-- column: granted_7d_ago | bigint | devices | Of `granted`, those granted at least 7 days before as_of
-- column: on_after_7d_low | double precision | fraction | Of `granted_7d_ago`, known to be on 7 days after: the last settings
--   before that time and the first at or after it both say authorized
-- column: on_after_7d_high | double precision | fraction | The same, with all of whom it is not known; off is whose last
--   settings before that time say denied
-- column: granted_30d_ago | bigint | devices | Of `granted`, those granted at least 30 days before as_of
-- column: on_after_30d_low | double precision | fraction | As on_after_7d_low, 30 days after, of `granted_30d_ago`
-- column: on_after_30d_high | double precision | fraction | As on_after_7d_high, 30 days after, of `granted_30d_ago`
-- column: granted_90d_ago | bigint | devices | Of `granted`, those granted at least 90 days before as_of
-- column: on_after_90d_low | double precision | fraction | As on_after_7d_low, 90 days after, of `granted_90d_ago`
-- column: on_after_90d_high | double precision | fraction | As on_after_7d_high, 90 days after, of `granted_90d_ago`
-- column: provisional | bigint | devices | Devices granted provisionally for the first time, without an earlier known
--   decision; null if provisional was not requested
-- column: converted | bigint | devices | Of `provisional`, those whose settings were next authorized rather than denied
-- column: turned_off | bigint | devices | Of `provisional`, those whose settings were next denied rather than authorized
-- column: conversion_rate | double precision | fraction | Of those granted provisionally, including undecided ones:
--   `converted` ÷ `provisional`
-- column: conversion_p50 | double precision | seconds | Median time from the request to the first snapshot that was
--   authorized
CREATE OR REPLACE FUNCTION report.authorization(
  app text, "by" text[] DEFAULT '{options,app_version}', "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, by_1 text, by_2 text, other boolean, shown bigint, continued bigint, later bigint, never bigint,
  dismissed bigint, asked bigint, answered bigint, granted bigint, denied bigint, failed bigint, repeats bigint, unknown_before bigint, grant_rate double precision,
  grant_rate_low double precision, grant_rate_high double precision, granted_7d_ago bigint, on_after_7d_low double precision,
  on_after_7d_high double precision, granted_30d_ago bigint, on_after_30d_low double precision,
  on_after_30d_high double precision, granted_90d_ago bigint, on_after_90d_low double precision,
  on_after_90d_high double precision, provisional bigint, converted bigint,
  turned_off bigint, conversion_rate double precision, conversion_p50 double precision, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  dimensions text[] := reporting.dimensions("by", '{options,app_version,placement,variant}');
  prompts    boolean := dimensions && '{placement,variant}';
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{platform,os_version,app_version,locale}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH request AS MATERIALIZED (   -- here and in `known`: what is looked up of a device is looked up once
      SELECT a.device_id, a.at, a.id, a.options, a.granted, a.context, a.error IS NOT NULL AS failed,
        coalesce('provisional' = ANY (string_to_array(a.options, ',')), false) AS is_provisional,
        CASE WHEN a.error IS NULL THEN coalesce(%1$s, (
          SELECT p.value->>'authorization_status'
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, a.device_id, 'settings') AND (p.first_at, p.first_id) < (a.at, a.id)
          ORDER BY p.first_at DESC, p.first_id DESC
          LIMIT 1)) END AS status
      FROM projection.authorization_request a
      WHERE a.app_id = $1 AND a.at < $4 AND a.device_id IN (
        SELECT i.device_id FROM projection.authorization_request i WHERE i.app_id = $1 AND i.at >= $3 AND i.at < $4
        UNION ALL
        SELECT i.device_id FROM projection.permission_prompt i WHERE $8 AND i.app_id = $1 AND i.at >= $3 AND i.at < $4)
    ), open AS (
      SELECT *, NOT failed AND NOT is_provisional AS asks,
        coalesce(NOT failed AND NOT is_provisional AND status IN ('not_determined', 'provisional'), false) AS is_open
      FROM request
    ), numbered AS (   -- each request among those of its device
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
      FROM numbered
    ), prompted AS (   -- devices that were not asked: their latest prompt
      SELECT DISTINCT ON (p.device_id) p.device_id, p.at, p.id
      FROM projection.permission_prompt p
      WHERE $8 AND p.app_id = $1 AND p.at < $4
        AND NOT EXISTS (SELECT FROM standing s WHERE s.device_id = p.device_id AND s.stands = 'answer')
      ORDER BY p.device_id, p.at DESC, p.id DESC
    ), counting AS (
      SELECT *, row_number() OVER (PARTITION BY device_id, stands ORDER BY at, id) AS number
      FROM (
        SELECT * FROM standing WHERE stands IS NOT NULL
        UNION ALL
        SELECT device_id, at, id, NULL, NULL, NULL, 'prompted' FROM prompted
      ) s
    ), known AS MATERIALIZED (
      SELECT s.device_id, s.at, s.id, s.options, s.granted, s.stands, q.*, coalesce(s.context, (
        SELECT p.value
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, s.device_id, 'context')
        ORDER BY p.first_at <= s.at DESC, CASE WHEN p.first_at <= s.at THEN p.first_at END DESC,
          CASE WHEN p.first_at <= s.at THEN p.first_id END DESC, p.first_at, p.first_id
        LIMIT 1)) AS context
      FROM counting s
      LEFT JOIN LATERAL (
        SELECT q.placement, q.variant, q.answer, true AS was_shown
        FROM projection.permission_prompt q
        WHERE $8 AND (q.app_id, q.device_id) = ($1, s.device_id) AND (q.at, q.id) <= (s.at, s.id)
        ORDER BY q.at DESC, q.id DESC
        LIMIT 1
      ) q ON true
      WHERE s.at >= $3 AND (s.number = 1 OR s.stands = 'repeat')
    ), told AS MATERIALIZED (
      SELECT slot, device_id, at, id, granted, stands, is_provisional, was_shown, answer,
        CASE $9[1] WHEN 'options' THEN options WHEN 'app_version' THEN app_version WHEN 'placement' THEN placement
          WHEN 'variant' THEN variant ELSE '' END AS by_1,
        CASE $9[2] WHEN 'options' THEN options WHEN 'app_version' THEN app_version WHEN 'placement' THEN placement
          WHEN 'variant' THEN variant ELSE '' END AS by_2
      FROM (
        SELECT width_bucket(at, $2) AS slot, device_id, at, id, granted, stands, was_shown, answer,
          CASE options WHEN '' THEN 'none' ELSE coalesce(options, '') END COLLATE "C" AS options,
          coalesce(context->>'app_version', '') COLLATE "C" AS app_version,
          coalesce(placement, '') COLLATE "C" AS placement, coalesce(variant, '') COLLATE "C" AS variant,
          coalesce('provisional' = ANY (string_to_array(options, ',')), false) AS is_provisional
        FROM known
        WHERE reporting.matches(coalesce(context->>'platform', ''), $10, 'platform')
          AND reporting.matches(coalesce(context->>'os_version', ''), $10, 'os_version')
          AND reporting.matches(coalesce(context->>'app_version', ''), $10, 'app_version')
          AND reporting.matches(coalesce(context->>'locale', ''), $10, 'locale')
      ) known
    ), %2$s, stayed AS (   -- whether those who granted are still on, at each age that they have reached
      SELECT t.device_id, d.days, coalesce(b.status = 'denied', false) AS is_off,
        coalesce(b.status = 'authorized' AND CASE WHEN b.last_at >= d.at THEN b.status ELSE f.status END = 'authorized', false) AS is_on
      FROM told t
      CROSS JOIN LATERAL (
        SELECT days, t.at + days * interval '24 hours' AS at FROM unnest('{7,30,90}'::integer[]) AS age (days)
      ) d
      LEFT JOIN LATERAL (
        SELECT p.value->>'authorization_status' AS status, p.last_at
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, t.device_id, 'settings') AND p.first_at < d.at
        ORDER BY p.first_at DESC, p.first_id DESC
        LIMIT 1
      ) b ON true
      LEFT JOIN LATERAL (
        SELECT p.value->>'authorization_status' AS status
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, t.device_id, 'settings') AND p.first_at >= d.at
        ORDER BY p.first_at, p.first_id
        LIMIT 1
      ) f ON true
      WHERE t.stands = 'answer' AND t.granted AND d.at <= $6
    ), aged AS (
      SELECT device_id,
        count(*) FILTER (WHERE days = 7) AS old_7, count(*) FILTER (WHERE days = 7 AND is_on) AS low_7,
        count(*) FILTER (WHERE days = 7 AND NOT is_off) AS high_7,
        count(*) FILTER (WHERE days = 30) AS old_30, count(*) FILTER (WHERE days = 30 AND is_on) AS low_30,
        count(*) FILTER (WHERE days = 30 AND NOT is_off) AS high_30,
        count(*) FILTER (WHERE days = 90) AS old_90, count(*) FILTER (WHERE days = 90 AND is_on) AS low_90,
        count(*) FILTER (WHERE days = 90 AND NOT is_off) AS high_90
      FROM stayed
      GROUP BY device_id
    ), counted AS (
      SELECT slot, k.key > $7 AS other, min(by_1) AS by_1, min(by_2) AS by_2,
        count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND was_shown) AS shown,
        count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'continued') AS continued,
        count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'later') AS later,
        count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'never') AS never,
        count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'dismissed') AS dismissed,
        coalesce(sum(old_7), 0)::bigint AS old_7, sum(low_7) AS low_7, sum(high_7) AS high_7,
        coalesce(sum(old_30), 0)::bigint AS old_30, sum(low_30) AS low_30, sum(high_30) AS high_30,
        coalesce(sum(old_90), 0)::bigint AS old_90, sum(low_90) AS low_90, sum(high_90) AS high_90,
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
      JOIN key k USING (by_1, by_2)
      LEFT JOIN aged g ON t.stands = 'answer' AND g.device_id = t.device_id
      LEFT JOIN LATERAL (
        SELECT p.value->>'authorization_status' AS status, p.first_at AS decided_at
        FROM projection.device_period p
        WHERE t.stands = 'provisional' AND (p.app_id, p.device_id, p.series) = ($1, t.device_id, 'settings')
          AND (p.first_at, p.first_id) > (t.at, t.id) AND p.first_at <= $6
          AND p.value->>'authorization_status' IN ('authorized', 'denied')
        ORDER BY p.first_at, p.first_id
        LIMIT 1
      ) decision ON true
      GROUP BY slot, k.key
    )
    SELECT $5[slot], CASE WHEN NOT other THEN nullif(by_1, '') END, CASE WHEN NOT other THEN nullif(by_2, '') END,
      other, CASE WHEN $8 THEN shown END, CASE WHEN $8 THEN continued END, CASE WHEN $8 THEN later END,
      CASE WHEN $8 THEN never END, CASE WHEN $8 THEN dismissed END, asked, answered, granted, denied, failed, repeats, unknown_before,
      granted / nullif(answered, 0)::double precision, w.low, w.high,
      old_7, (low_7 / nullif(old_7, 0))::double precision, (high_7 / nullif(old_7, 0))::double precision,
      old_30, (low_30 / nullif(old_30, 0))::double precision, (high_30 / nullif(old_30, 0))::double precision,
      old_90, (low_90 / nullif(old_90, 0))::double precision, (high_90 / nullif(old_90, 0))::double precision,
      CASE WHEN is_provisional THEN provisional END, CASE WHEN is_provisional THEN converted END,
      CASE WHEN is_provisional THEN turned_off END,
      converted / nullif(provisional, 0)::double precision, extract(epoch FROM after)::double precision,
      (SELECT count(*) FROM key)
    FROM counted
    CROSS JOIN LATERAL reporting.wilson(granted, nullif(answered, 0)) w
    ORDER BY slot, other, nullif(by_1, '') NULLS LAST, nullif(by_2, '') NULLS LAST
  $query$,
    CASE WHEN reporting.has_column('projection.authorization_request', 'status_before') THEN 'a.status_before' ELSE 'NULL' END,
    reporting.keys('told', '{by_1,by_2}', '(stands = ''answer'')::integer', '$7'))
  USING app_number, period.starts, period.from_at, period.to_at, period.labels, as_of, "limit", prompts,
    dimensions, filters;
END $$;
