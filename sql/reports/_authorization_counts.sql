-- What people answered to requests for authorization, as the report authorization counts it, before its limit.
--
-- `starts` are where the intervals of the range start, `slot` their number from 1. `by_1` and `by_2` are the values of `dimensions`, ''
-- for null, or where there is no such dimension. `prompts` says whether the app's own questions are read: else nothing was shown.
--
-- Most counts are columns of the report. Of those that granted permission, old_7 is how many did so at least 7 days before as_of, low_7
-- how many of them are known to be on 7 days after, and high_7 how many are not known to be off; null where there are none.
-- `is_provisional` is whether provisional was requested, and `conversions` how many seconds each of `converted` took. A group can have
-- several rows.
CREATE OR REPLACE FUNCTION reporting.authorization_counts(
  app_number integer, dimensions text[], prompts boolean, starts timestamptz[], from_at timestamptz, to_at timestamptz, filters jsonb,
  as_of timestamptz)
RETURNS TABLE (
  slot integer, by_1 text, by_2 text, shown bigint, continued bigint, later bigint, never bigint, dismissed bigint,
  old_7 bigint, low_7 bigint, high_7 bigint, old_30 bigint, low_30 bigint, high_30 bigint, old_90 bigint, low_90 bigint, high_90 bigint,
  asked bigint, answered bigint, granted bigint, denied bigint, failed bigint, repeats bigint, unknown_before bigint,
  provisional bigint, converted bigint, turned_off bigint, conversions double precision[], is_provisional boolean)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
    WITH request AS MATERIALIZED (   -- here and in `known`: what is looked up of a device is looked up once
      SELECT a.device_id, a.at, a.id, a.options, a.granted, a.context, a.error IS NOT NULL AS failed,
        coalesce('provisional' = ANY (string_to_array(a.options, ',')), false) AS is_provisional,
        CASE WHEN a.error IS NULL THEN coalesce(%s, (
          SELECT p.value->>'authorization_status'
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, a.device_id, 'settings') AND (p.first_at, p.first_id) < (a.at, a.id)
          ORDER BY p.first_at DESC, p.first_id DESC
          LIMIT 1)) END AS status
      FROM projection.authorization_request a
      WHERE a.app_id = $1 AND a.at < $4 AND a.device_id IN (
        SELECT i.device_id FROM projection.authorization_request i WHERE i.app_id = $1 AND i.at >= $3 AND i.at < $4
        UNION ALL
        SELECT i.device_id FROM projection.permission_prompt i WHERE $6 AND i.app_id = $1 AND i.at >= $3 AND i.at < $4)
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
      WHERE $6 AND p.app_id = $1 AND p.at < $4
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
      SELECT s.device_id, s.at, s.id, s.options, s.granted, s.stands, q.*, coalesce(s.context, (   -- each the first that an index finds
        SELECT p.value
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, s.device_id, 'context') AND p.first_at <= s.at
        ORDER BY p.first_at DESC, p.first_id DESC
        LIMIT 1), (
        SELECT p.value
        FROM projection.device_period p
        WHERE (p.app_id, p.device_id, p.series) = ($1, s.device_id, 'context')
        ORDER BY p.first_at, p.first_id
        LIMIT 1)) AS context
      FROM counting s
      LEFT JOIN LATERAL (
        SELECT q.placement, q.variant, q.answer, true AS was_shown
        FROM projection.permission_prompt q
        WHERE $6 AND (q.app_id, q.device_id) = ($1, s.device_id) AND (q.at, q.id) <= (s.at, s.id)
        ORDER BY q.at DESC, q.id DESC
        LIMIT 1
      ) q ON true
      WHERE s.at >= $3 AND (s.number = 1 OR s.stands = 'repeat')
    ), told AS MATERIALIZED (
      SELECT slot, device_id, at, id, granted, stands, is_provisional, was_shown, answer,
        CASE $7[1] WHEN 'options' THEN options WHEN 'app_version' THEN app_version WHEN 'placement' THEN placement
          WHEN 'variant' THEN variant ELSE '' END AS by_1,
        CASE $7[2] WHEN 'options' THEN options WHEN 'app_version' THEN app_version WHEN 'placement' THEN placement
          WHEN 'variant' THEN variant ELSE '' END AS by_2
      FROM (
        SELECT width_bucket(at, $2) AS slot, device_id, at, id, granted, stands, was_shown, answer,
          CASE options WHEN '' THEN 'none' ELSE coalesce(options, '') END COLLATE "C" AS options,
          coalesce(context->>'app_version', '') COLLATE "C" AS app_version,
          coalesce(placement, '') COLLATE "C" AS placement, coalesce(variant, '') COLLATE "C" AS variant,
          coalesce('provisional' = ANY (string_to_array(options, ',')), false) AS is_provisional
        FROM known
        WHERE reporting.matches(coalesce(context->>'platform', ''), $8, 'platform')
          AND reporting.matches(coalesce(context->>'os_version', ''), $8, 'os_version')
          AND reporting.matches(coalesce(context->>'app_version', ''), $8, 'app_version')
          AND reporting.matches(coalesce(context->>'locale', ''), $8, 'locale')
      ) known
    ), stayed AS (   -- whether those who granted are still on, at each age that they have reached
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
      WHERE t.stands = 'answer' AND t.granted AND d.at <= $5
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
    )
    SELECT slot, by_1, by_2,
      count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND was_shown),
      count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'continued'),
      count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'later'),
      count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'never'),
      count(*) FILTER (WHERE stands IN ('answer', 'prompted') AND answer = 'dismissed'),
      sum(old_7)::bigint, sum(low_7)::bigint, sum(high_7)::bigint, sum(old_30)::bigint, sum(low_30)::bigint, sum(high_30)::bigint,
      sum(old_90)::bigint, sum(low_90)::bigint, sum(high_90)::bigint,
      count(*) FILTER (WHERE stands = 'answer'),
      count(*) FILTER (WHERE stands = 'answer' AND granted IS NOT NULL),
      count(*) FILTER (WHERE stands = 'answer' AND granted),
      count(*) FILTER (WHERE stands = 'answer' AND NOT granted),
      count(*) FILTER (WHERE stands = 'failed'), count(*) FILTER (WHERE stands = 'repeat'),
      count(*) FILTER (WHERE stands = 'unknown'), count(*) FILTER (WHERE stands = 'provisional'),
      count(*) FILTER (WHERE decision.status = 'authorized'), count(*) FILTER (WHERE decision.status = 'denied'),
      array_agg(extract(epoch FROM decided_at - at)::double precision) FILTER (WHERE decision.status = 'authorized'),
      bool_or(is_provisional)
    FROM (SELECT *, row_number() OVER () / 100000 AS piece FROM told) t
    LEFT JOIN aged g ON t.stands = 'answer' AND g.device_id = t.device_id
    LEFT JOIN LATERAL (
      SELECT p.value->>'authorization_status' AS status, p.first_at AS decided_at
      FROM projection.device_period p
      WHERE t.stands = 'provisional' AND (p.app_id, p.device_id, p.series) = ($1, t.device_id, 'settings')
        AND (p.first_at, p.first_id) > (t.at, t.id) AND p.first_at <= $5
        AND p.value->>'authorization_status' IN ('authorized', 'denied')
      ORDER BY p.first_at, p.first_id
      LIMIT 1
    ) decision ON true
    GROUP BY 1, 2, 3, piece   -- so that no array is large
  $query$,
    CASE WHEN reporting.has_column('projection.authorization_request', 'status_before') THEN 'a.status_before' ELSE 'NULL' END)
  USING app_number, starts, from_at, to_at, as_of, prompts, dimensions, filters;
END $$;
