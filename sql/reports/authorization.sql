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
-- column: on_after_7d | bigint | devices | Of `granted_7d_ago`, those known to be on 7 days after: the last settings before that
--   time and the first at or after it both say authorized
-- column: unknown_after_7d | bigint | devices | Of `granted_7d_ago`, those of whom it is not known. Known to be off are those whose
--   last settings before that time say denied
-- column: on_after_7d_low | double precision | fraction | `on_after_7d` ÷ `granted_7d_ago`
-- column: on_after_7d_high | double precision | fraction | The same with `unknown_after_7d`, ÷ `granted_7d_ago`
-- column: granted_30d_ago | bigint | devices | Of `granted`, those granted at least 30 days before as_of
-- column: on_after_30d | bigint | devices | Of `granted_30d_ago`, those known to be on 30 days after
-- column: unknown_after_30d | bigint | devices | Of `granted_30d_ago`, those of whom it is not known
-- column: on_after_30d_low | double precision | fraction | `on_after_30d` ÷ `granted_30d_ago`
-- column: on_after_30d_high | double precision | fraction | The same with `unknown_after_30d`, ÷ `granted_30d_ago`
-- column: granted_90d_ago | bigint | devices | Of `granted`, those granted at least 90 days before as_of
-- column: on_after_90d | bigint | devices | Of `granted_90d_ago`, those known to be on 90 days after
-- column: unknown_after_90d | bigint | devices | Of `granted_90d_ago`, those of whom it is not known
-- column: on_after_90d_low | double precision | fraction | `on_after_90d` ÷ `granted_90d_ago`
-- column: on_after_90d_high | double precision | fraction | The same with `unknown_after_90d`, ÷ `granted_90d_ago`
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
  grant_rate_low double precision, grant_rate_high double precision, granted_7d_ago bigint, on_after_7d bigint, unknown_after_7d bigint,
  on_after_7d_low double precision, on_after_7d_high double precision, granted_30d_ago bigint, on_after_30d bigint, unknown_after_30d bigint,
  on_after_30d_low double precision, on_after_30d_high double precision, granted_90d_ago bigint, on_after_90d bigint,
  unknown_after_90d bigint, on_after_90d_low double precision, on_after_90d_high double precision, provisional bigint, converted bigint,
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
    WITH part AS MATERIALIZED (
      SELECT * FROM reporting.authorization_counts($4, $5, $3, $6, $7, $8, $9, $10)
    ), %s, counted AS (
      SELECT slot, k.key, min(by_1) AS by_1, min(by_2) AS by_2,
        sum(shown)::bigint AS shown, sum(continued)::bigint AS continued, sum(later)::bigint AS later, sum(never)::bigint AS never,
        sum(dismissed)::bigint AS dismissed,
        coalesce(sum(old_7), 0)::bigint AS old_7, sum(low_7) AS low_7, sum(high_7) AS high_7,
        coalesce(sum(old_30), 0)::bigint AS old_30, sum(low_30) AS low_30, sum(high_30) AS high_30,
        coalesce(sum(old_90), 0)::bigint AS old_90, sum(low_90) AS low_90, sum(high_90) AS high_90,
        sum(asked)::bigint AS asked, sum(answered)::bigint AS answered, sum(granted)::bigint AS granted, sum(denied)::bigint AS denied,
        sum(failed)::bigint AS failed, sum(repeats)::bigint AS repeats, sum(unknown_before)::bigint AS unknown_before,
        sum(provisional)::bigint AS provisional, sum(converted)::bigint AS converted, sum(turned_off)::bigint AS turned_off,
        bool_or(is_provisional) AS is_provisional
      FROM part
      JOIN key k USING (by_1, by_2)
      GROUP BY slot, k.key
    ), median AS (
      SELECT slot, k.key, percentile_disc(0.5) WITHIN GROUP (ORDER BY c.seconds) AS after
      FROM part
      JOIN key k USING (by_1, by_2)
      CROSS JOIN unnest(conversions) AS c (seconds)
      GROUP BY slot, k.key
    )
    SELECT $1[slot], CASE WHEN key <= $2 THEN nullif(by_1, '') END, CASE WHEN key <= $2 THEN nullif(by_2, '') END,
      key > $2, CASE WHEN $3 THEN shown END, CASE WHEN $3 THEN continued END, CASE WHEN $3 THEN later END,
      CASE WHEN $3 THEN never END, CASE WHEN $3 THEN dismissed END, asked, answered, granted, denied, failed, repeats, unknown_before,
      granted / nullif(answered, 0)::double precision, w.low, w.high,
      old_7, coalesce(low_7, 0)::bigint, coalesce(high_7 - low_7, 0)::bigint,
      (low_7 / nullif(old_7, 0))::double precision, (high_7 / nullif(old_7, 0))::double precision,
      old_30, coalesce(low_30, 0)::bigint, coalesce(high_30 - low_30, 0)::bigint,
      (low_30 / nullif(old_30, 0))::double precision, (high_30 / nullif(old_30, 0))::double precision,
      old_90, coalesce(low_90, 0)::bigint, coalesce(high_90 - low_90, 0)::bigint,
      (low_90 / nullif(old_90, 0))::double precision, (high_90 / nullif(old_90, 0))::double precision,
      CASE WHEN is_provisional THEN provisional END, CASE WHEN is_provisional THEN converted END,
      CASE WHEN is_provisional THEN turned_off END,
      converted / nullif(provisional, 0)::double precision, after,
      (SELECT count(*) FROM key)
    FROM counted
    LEFT JOIN median USING (slot, key)
    CROSS JOIN LATERAL reporting.wilson(granted, nullif(answered, 0)) w
    ORDER BY slot, key > $2, nullif(by_1, '') COLLATE "C" NULLS LAST, nullif(by_2, '') COLLATE "C" NULLS LAST
  $query$, reporting.keys('part', '{by_1,by_2}', 'asked', '$2'))
  USING period.labels, "limit", prompts, app_number, dimensions, period.starts, period.from_at, period.to_at, filters, as_of;
END $$;
