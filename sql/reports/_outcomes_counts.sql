-- Devices and their conversions by campaign (or category, or variant) and name of a conversion: what the report outcomes counts.
-- `unit` is the currency where currencies are apart, else ''.
--
-- There are rows of five sorts. With a name, a conversion and a unit: devices with such conversions, these conversions, and as
-- `sent` to `held_off` devices that converted. With a name alone: all its devices, and as `sent` to `held_off` those whose window
-- is over. With a name and a conversion: devices whose stretch before (`devices`) and after (`over`) began after the app's first
-- conversion of that name; only for `fresh` conversions, which first came at `fresh_begins`, as of others all devices are such.
-- With a conversion and a unit: one that there was. With nothing: the conversions of all names.
--
-- Names whose conversions have rows are `is_kept`: those with the most devices here, as far as `limit` rows go, or `names` where
-- they are given. Of conversions, the first `limit` have such rows.
CREATE OR REPLACE FUNCTION reporting.outcomes_counts(
  app_number integer, "by" text, currencies text, from_at timestamptz, to_at timestamptz, near interval, filters jsonb,
  "limit" integer, names text[], fresh text[], fresh_begins timestamptz[], as_of timestamptz,
  worker integer DEFAULT NULL, workers integer DEFAULT NULL)
RETURNS TABLE (
  name text, conversion text, unit text, is_kept boolean, devices bigint, over bigint, excess bigint, crossed bigint, assigned bigint,
  assigned_held bigint, least_share numeric, greatest_share numeric, direct bigint, converted bigint, conversions bigint,
  shared bigint, last_touch bigint, value numeric, first_currency text, last_currency text, before_converted bigint,
  after_converted bigint, sent bigint, held bigint, sent_on bigint, held_on bigint, sent_off bigint, held_off bigint)
-- The planner knows nothing of how large the parts of the query are: hashing does well whatever they turn out to be.
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE
  -- Of the stretches of time by which devices' events are brought together, and when one of them begins.
  width      interval := near + interval '10 seconds';
  origin     constant timestamptz := '1970-01-01 00:00:00Z';
BEGIN
  IF worker IS NULL AND reporting.workers() > 1 THEN
    RETURN QUERY EXECUTE reporting.by_workers('outcomes_counts', 12)
    USING app_number, "by", currencies, from_at, to_at, near, filters, "limit", names, fresh, fresh_begins, as_of;
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH notified AS MATERIALIZED (   -- what reached devices in the range, and what campaigns sent them
      SELECT CASE $6 WHEN 'campaign' THEN n.campaign WHEN 'category' THEN n.category ELSE n.variant END AS name,
        n.device_id, CASE WHEN n.responded_at IS NOT NULL THEN n.notification_id END AS notification_id, n.occurrence,
        n.cohort_at AS at, n.responded_at, n.app_opened,
        (n.reached_seen OR n.reached_assumed) AND NOT n.response_only AS is_touch, $7 AND n.requests > 0 AS is_sent,
        CASE WHEN $7 THEN n.requested_at END AS told_at, CASE WHEN $7 THEN %1$s & 7 END AS status
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= $2 AND n.cohort_at < $3 AND %2$s
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
      SELECT n.campaign AS name, n.device_id, coalesce(n.scheduled_for, n.at) AS at, n.at AS told_at, n.share,
        CASE WHEN coalesce(n.scheduled_for, n.at) + $5 <= $4 THEN (   -- of a window that is over, like n.settings
          SELECT CASE WHEN p.value->>'authorization_status' IN ('authorized', 'provisional', 'ephemeral') THEN 3
            WHEN p.value->>'authorization_status' IS NOT NULL THEN 1 END
          FROM projection.device_period p
          WHERE (p.app_id, p.device_id, p.series) = ($1, n.device_id, 'settings') AND p.first_at <= coalesce(n.scheduled_for, n.at)
          ORDER BY p.first_at DESC, p.first_id DESC
          LIMIT 1) END AS status
      FROM projection.holdout n
      WHERE $7 AND n.app_id = $1 AND %2$s AND coalesce(n.scheduled_for, n.at) >= $2 AND coalesce(n.scheduled_for, n.at) < $3
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
    ), tied AS MATERIALIZED (   -- what was sent and kept for one and the same moment: whether it was kept first
      SELECT l.name, d.device, at, min(h.told_at) < min(n.told_at) AS is_held
      FROM held h
      JOIN notified n USING (name, device_id, at)
      JOIN label l ON l.label = h.name
      JOIN device d USING (device_id)
      WHERE n.is_sent
      GROUP BY 1, 2, 3
    ), pair AS MATERIALIZED (   -- a device of a name: the first of what reached it, and of its assignments; whether it could be notified then
      SELECT name, device, first_at, least(sent_at, held_at) AS assigned_at, is_held, sent_at IS NOT NULL AND held_at IS NOT NULL AS is_crossed,
        CASE
          WHEN is_held THEN
            CASE WHEN held_on_at = held_at THEN true WHEN held_off_at = held_at THEN false END
          WHEN sent_on_at = sent_at THEN true
          WHEN sent_off_at = sent_at THEN false END AS is_reachable
      FROM (
        SELECT p.*, coalesce(p.held_at < p.sent_at, p.sent_at IS NULL) OR coalesce(p.held_at = p.sent_at AND t.is_held, false) AS is_held
        FROM (
          SELECT name, device, min(at) FILTER (WHERE is_touch) AS first_at, min(at) FILTER (WHERE is_sent) AS sent_at,
            min(at) FILTER (WHERE is_held) AS held_at, min(at) FILTER (WHERE is_sent AND status IN (3, 4, 5)) AS sent_on_at,
            min(at) FILTER (WHERE is_sent AND status IN (1, 2)) AS sent_off_at, min(at) FILTER (WHERE is_held AND status = 3) AS held_on_at,
            min(at) FILTER (WHERE is_held AND status = 1) AS held_off_at
          FROM seen
          GROUP BY name, device
        ) p
        LEFT JOIN tied t ON (t.name, t.device, t.at) = (p.name, p.device, p.sent_at)
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
          SELECT *, row_number() OVER (PARTITION BY c.device_id, c.name, c.order_id ORDER BY c.at, c.id) AS number
          FROM (
            SELECT * FROM projection.conversion c WHERE c.app_id = $1 AND c.at >= $2 - $5 AND c.at < $3 + 2 * $5 AND %3$s
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
          WHERE c.at <= $4
        ) c
        WHERE (c.order_id IS NULL OR c.number = 1) AND NOT EXISTS (
          -- Those that were not read, once for all: a look-up for each is one of all that the app has where statistics do not know it.
          SELECT
          FROM (
            SELECT c.* FROM projection.conversion c WHERE c.app_id = $1 AND c.order_id IS NOT NULL AND c.at < $2 - $5 AND %3$s
            UNION ALL
            SELECT c.*
            FROM projection.conversion c
            WHERE c.app_id = $1 AND c.order_id IS NOT NULL AND c.at >= $3 + 2 * $5
              AND c.at < (SELECT max(upper(windows)) FROM late) AND c.at <= $4 AND %3$s
          ) f
          WHERE (f.device_id, f.name, f.order_id) = (c.device_id, c.name, c.order_id) AND (f.at, f.id) < (c.at, c.id))
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
        WHERE a.app_id = $1 AND %4$s AND a.first_at >= $2 - $5 - interval '10 seconds'
          AND a.first_at <= greatest($3 + 2 * $5, (SELECT max(upper(windows)) FROM late)) + interval '10 seconds'
          AND (a.action_id = 'default' OR (   -- a tap, or a button that opens the app and was the first response
            -- Few buttons open it: the others' notifications need not be looked up.
            a.action_id IN (SELECT c.action_id FROM projection.category_action c WHERE c.app_id = $1 AND c.foreground)
            AND EXISTS (
              SELECT FROM projection.notification n
              WHERE (n.app_id, n.device_id, n.notification_id, n.occurrence) = ($1, a.device_id, a.notification_id, a.occurrence)
                AND n.cohort_at IS NOT NULL AND n.app_opened AND n.responded_at = a.first_at)))
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
      SELECT device FROM device JOIN line USING (device) GROUP BY device, entries HAVING 4 * entries * sum(cardinality(ats)) > 100000
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
      HAVING sum(names * conversions) > 100000
    ), name AS MATERIALIZED (
      SELECT p.*, l.label, row_number() OVER (ORDER BY p.devices DESC, nullif(l.label, '') COLLATE "C" NULLS LAST) AS rank
      FROM (
        SELECT name, count(first_at) AS devices, count(first_at) FILTER (WHERE first_at + 2 * $5 <= $4) AS over FROM pair GROUP BY name
      ) p
      JOIN label l USING (name)
    ), kept AS MATERIALIZED (   -- the names whose rows are counted: those with the most devices here, or those asked for
      SELECT name
      FROM name
      WHERE CASE WHEN $13 IS NULL THEN (rank - 1) * (SELECT count(*) FROM what) < $9 ELSE label = ANY ($13) END
    ), fresh AS MATERIALIZED (
      SELECT * FROM unnest($14, $15) AS f (conversion, began_at)
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
      SELECT coalesce(name, 0) AS name, coalesce(what, 0) AS what, count(*) FILTER (WHERE is_direct) AS direct, count(*) AS converted, sum(conversions)::bigint AS conversions,
        sum(shared)::bigint AS shared, sum(last_touch)::bigint AS last_touch, sum(value) AS value, min(first_currency) AS first_currency,
        max(last_currency) AS last_currency
      FROM (
        SELECT r.name, coalesce(b.what, (SELECT what FROM what WHERE (conversion, unit) = ('app_open', ''))) AS what, r.device,
          bool_or(r.is_direct) AS is_direct, count(*) AS conversions, count(*) FILTER (WHERE r.is_shared) AS shared,
          count(*) FILTER (WHERE r.is_last) AS last_touch, sum(b.value) AS value, min(b.currency) AS first_currency,
          max(b.currency) AS last_currency
        FROM ranked r
        LEFT JOIN (SELECT b.item, w.what, b.value, b.currency FROM bought b JOIN what w USING (conversion, unit)) b USING (item)
        GROUP BY 1, 2, 3
      ) d
      GROUP BY GROUPING SETS ((name, what), ())
    ), threshold AS MATERIALIZED (   -- the times from which a conversion's stretches before and after count
      SELECT array_agg(DISTINCT at ORDER BY at) AS times
      FROM (SELECT began_at + $5 AS at FROM fresh UNION ALL SELECT began_at - $5 FROM fresh) f
    ), edge AS (   -- the devices of a name by their first notification, and those times, both by the number of the last such time
      SELECT p.name, width_bucket(p.first_at, (SELECT times FROM threshold)) AS step, count(*) AS devices,
        count(*) FILTER (WHERE p.first_at + 2 * $5 <= $4) AS over, NULL AS conversion, NULL::boolean AS is_before
      FROM pair p
      JOIN kept USING (name)
      WHERE p.first_at IS NOT NULL AND EXISTS (SELECT FROM fresh)
      GROUP BY 1, 2
      UNION ALL
      SELECT k.name, width_bucket(f.began_at + $5, (SELECT times FROM threshold)), 0, 0, f.conversion, true FROM kept k CROSS JOIN fresh f
      UNION ALL
      SELECT k.name, width_bucket(f.began_at - $5, (SELECT times FROM threshold)), 0, 0, f.conversion, false FROM kept k CROSS JOIN fresh f
    ), baseline AS (
      SELECT name, conversion, max(devices) FILTER (WHERE is_before) AS devices, max(over) FILTER (WHERE NOT is_before) AS over
      FROM (
        SELECT name, conversion, is_before, (sum(devices) OVER later)::bigint AS devices, (sum(over) OVER later)::bigint AS over
        FROM edge
        WINDOW later AS (PARTITION BY name ORDER BY step DESC)
      ) e
      WHERE conversion IS NOT NULL
      GROUP BY name, conversion
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
      JOIN (
        SELECT what, coalesce(began_at, '-infinity') AS began_at FROM what LEFT JOIN fresh USING (conversion) WHERE what <= $9
      ) w USING (what)
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
    ), declared AS (   -- the parts of devices that a campaign's holdouts say they are
      SELECT name AS label, min(share::numeric) AS least_share, max(share::numeric) AS greatest_share
      FROM held
      GROUP BY name
    ), left_out AS (
      SELECT name, count(first_at) AS devices FROM pair WHERE device IN (SELECT device FROM excess) GROUP BY name
    ), place AS (
      SELECT name, what, conversion, unit
      FROM (SELECT name, what FROM credited UNION SELECT name, what FROM outcome) p
      JOIN kept USING (name)
      JOIN what USING (what)
      WHERE what <= $9
      UNION ALL
      SELECT name, 0, conversion, NULL FROM baseline
      UNION ALL
      SELECT name, 0, NULL, NULL FROM name
      UNION ALL
      SELECT 0, what, conversion, unit FROM what
      UNION ALL
      SELECT 0, 0, NULL, NULL
    )
    SELECT l.label, p.conversion, p.unit, k.name IS NOT NULL, coalesce(n.devices, b.devices), coalesce(n.over, b.over), e.devices, a.crossed,
      a.assigned, a.assigned_held, d.least_share, d.greatest_share, c.direct, c.converted, c.conversions, c.shared, c.last_touch, c.value,
      c.first_currency, c.last_currency, o.before_converted, o.after_converted, coalesce(a.sent, o.sent), coalesce(a.held, o.held),
      coalesce(a.sent_on, o.sent_on), coalesce(a.held_on, o.held_on), coalesce(a.sent_off, o.sent_off), coalesce(a.held_off, o.held_off)
    FROM place p
    LEFT JOIN label l USING (name)
    LEFT JOIN kept k USING (name)
    LEFT JOIN credited c USING (name, what)
    LEFT JOIN outcome o USING (name, what)
    LEFT JOIN name n ON n.name = p.name AND p.conversion IS NULL
    LEFT JOIN left_out e ON e.name = p.name AND p.conversion IS NULL
    LEFT JOIN arm a ON a.name = p.name AND p.conversion IS NULL
    LEFT JOIN declared d ON d.label = n.label
    LEFT JOIN baseline b ON (b.name, b.conversion) = (p.name, p.conversion) AND p.unit IS NULL
  $query$, reporting.packed_settings(), reporting.of_worker('n.device_id', worker, workers),
    reporting.of_worker('c.device_id', worker, workers), reporting.of_worker('a.device_id', worker, workers))
  USING app_number, from_at, to_at, as_of, near, "by", "by" = 'campaign', currencies = 'apart', "limit", width, origin, filters, names,
    fresh, fresh_begins;
END $$;
