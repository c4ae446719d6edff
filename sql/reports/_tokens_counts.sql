-- Tokens by their state at the ends of intervals, and requests to dead ones: what the report tokens counts.
--
-- `starts` and `ends` are those of the intervals of the range, `slot` their number from 1. Several rows may be of one slot, sort of token
-- and state: they add up. `ghosts` are devices with several active tokens. Rows with `until` count nothing again: their `lifetimes` are how
-- many seconds each token lived that is in this state at the end of all intervals from `slot` to `until`.
CREATE OR REPLACE FUNCTION reporting.tokens_counts(
  app_number integer, stale_after interval, starts timestamptz[], ends timestamptz[], from_at timestamptz, to_at timestamptz, filters jsonb)
RETURNS TABLE (
  slot integer, until integer, provider text, type text, environment text, state text, tokens bigint, devices bigint, ghosts bigint,
  requests bigint, lifetimes double precision[])
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
-- Most devices have one token of a type, and nothing ever happened to it but registrations: device_token says all of those, counted.
-- Of most others it says all too, as they were never registered again after an end. Only the events of the rest are gone through.
-- Tokens of two types bear on each other only through what is said of one token that is of both.
--
-- Devices of other cells are there for the tokens that they share with devices of this one, and are not counted.
--
-- Requests to ended tokens are in token_request; those of a token that has too many of them are looked for in the log.
--
-- With hash joins alone, as no statistics tell the planner how large its own intermediate tables are; the one that is
-- wanted, of those tokens with their part of the log, is written as LATERAL, which is never anything else.
DECLARE
  activities boolean := reporting.has_column('projection.device_token', 'activity_id');
  kept       boolean := reporting.has_column('projection.token_end', 'is_whole');   -- the requests, but for those of tokens with too many
BEGIN
  RETURN QUERY EXECUTE format($query$
    WITH other AS MATERIALIZED (
      SELECT * FROM projection.token_event e WHERE e.app_id = $1 AND e.what <> 'registered'
    ), troubled AS MATERIALIZED (   -- of which more was ever said than that they were registered, or that have passed on
      SELECT e.token FROM other e
      UNION
      SELECT t.token FROM projection.device_token t WHERE t.app_id = $1 AND t.state <> 'active'
    ), family AS MATERIALIZED (   -- a device's tokens of one type
      -- Of several tokens under one key, and of a token that several devices registered, all but one have an end. Within
      -- its registrations a token may have been stale where they lie further apart than that takes.
      SELECT t.device_id, t.type, bool_or(x.token IS NOT NULL) AS is_troubled, count(*) > 1 OR bool_or(x.token IS NOT NULL)
          OR bool_or(t.last_registered_at - t.registered_at > $3 AND t.last_registered_at >= $4[1]) AS is_eventful,
        -- Of the only token, where it is the only one.
        min(t.provider) AS provider, min(t.environment) AS environment, min(t.topic) AS topic,
        min(t.registered_at) AS registered_at, min(t.last_registered_at) AS last_registered_at
      FROM projection.device_token t
      LEFT JOIN troubled x USING (token)
      WHERE t.app_id = $1
      GROUP BY t.device_id, t.type
    ), held AS MATERIALIZED (   -- the tokens of those that are eventful; whether another one's registrations lie among a token's own
      SELECT k.*, %1$s AS activity, d.is_troubled, x.token IS NOT NULL AND (x.last_at >= $2 OR cardinality($4) > 1) AS is_misdirected,
        coalesce(y.first_at <= k.last_registered_at, false) AS is_returned
      FROM projection.device_token k
      JOIN family d ON (d.device_id, d.type) = (k.device_id, k.type) AND d.is_eventful
      LEFT JOIN (
        SELECT e.token, e.provider, greatest(max(e.at), max(a.at)) AS last_at
        FROM other e
        LEFT JOIN projection.token_accepted a ON (a.app_id, a.provider, a.token) = ($1, e.provider, e.token)
        WHERE e.what = 'misdirected'
        GROUP BY 1, 2
      ) x ON (x.token, x.provider) = (k.token, k.provider)
      LEFT JOIN (
        SELECT e.token, e.provider, min(e.at) AS first_at FROM other e WHERE e.what <> 'misdirected' GROUP BY 1, 2
      ) y ON (y.token, y.provider) = (k.token, k.provider)
      WHERE k.app_id = $1
    ), among AS (
      SELECT device_id, token, is_misdirected OR is_returned OR last_registered_at >= $2 OR coalesce(ended_at >= $2, false)
          OR (last_registered_at - registered_at > $3 AND last_registered_at >= $4[1]) OR is_shared AS is_eventful, is_passed_back
      FROM (
        SELECT *, count(*) OVER (PARTITION BY device_id, token) > 1
            OR coalesce(registered_at <= max(last_registered_at) OVER (
              PARTITION BY device_id, provider, type, topic, environment, activity ORDER BY registered_at, token
              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS is_shared,
          coalesce(registered_at <= max(last_registered_at) OVER (
            PARTITION BY token, provider, type, topic, environment ORDER BY registered_at, device_id, activity
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS is_passed_back
        FROM held
        WHERE is_troubled
        UNION ALL
        SELECT *, false, false FROM held WHERE NOT is_troubled   -- most, and alone under their keys
      ) h
    ), eventful AS MATERIALIZED (
      SELECT device_id FROM among WHERE is_eventful
      UNION
      SELECT h.device_id FROM (SELECT DISTINCT token FROM among WHERE is_passed_back) a JOIN held h USING (token)
    ), plain AS (   -- at which ends of intervals a token is first there, and stale
      SELECT k.provider, k.type, k.environment, width_bucket(k.registered_at, $4) + 1 AS appears,
        width_bucket(k.last_registered_at, $7) + 1 AS ages, count(*) AS tokens
      FROM family k
      WHERE NOT k.is_eventful AND k.registered_at < $2 %3$s
        AND reporting.token_matches($8, k.provider, k.type, k.environment, k.topic)
      GROUP BY 1, 2, 3, 4, 5
    ), step AS (
      SELECT provider, type, environment, slot, state, sum(change) AS change
      FROM plain
      CROSS JOIN LATERAL (VALUES (appears, 'active', tokens), (ages, 'active', -tokens), (ages, 'stale', tokens)) AS s (slot, state, change)
      GROUP BY 1, 2, 3, 4, 5
    ), plainly AS (
      SELECT g.slot, g.provider, g.type, g.environment, g.state,
        sum(s.change) OVER (PARTITION BY g.provider, g.type, g.environment, g.state ORDER BY g.slot)::bigint AS tokens
      FROM (
        SELECT k.provider, k.type, k.environment, k.state, i.slot::integer
        FROM (SELECT DISTINCT provider, type, environment, state FROM step) k
        CROSS JOIN generate_series(1, cardinality($4)) AS i (slot)
      ) g
      LEFT JOIN step s USING (slot, provider, type, environment, state)
    ), event AS MATERIALIZED (
      SELECT * FROM other e WHERE e.at < $2
      UNION ALL
      SELECT * FROM (   -- OFFSET keeps it to one index scan each
        SELECT e.*
        FROM eventful v
        CROSS JOIN LATERAL (SELECT * FROM projection.token_event e WHERE e.app_id = $1 AND e.device_id = v.device_id OFFSET 0) e
        UNION
        SELECT e.*
        FROM (SELECT DISTINCT h.token FROM held h JOIN eventful v USING (device_id)) t
        CROSS JOIN LATERAL (SELECT * FROM projection.token_event e WHERE e.app_id = $1 AND e.token = t.token OFFSET 0) e
      ) e
      WHERE e.at < $2 AND e.what = 'registered'
    ), holding AS MATERIALIZED (   -- each token with each device it belonged to
      SELECT k.device_id, k.provider, k.type, k.topic, k.environment, %1$s AS activity_id, k.token
      FROM projection.device_token k
      JOIN eventful USING (device_id)
      JOIN family d ON (d.device_id, d.type) = (k.device_id, k.type) AND d.is_eventful
      WHERE k.app_id = $1 AND k.registered_at < $2 %3$s
        AND reporting.token_matches($8, k.provider, k.type, k.environment, k.topic)
    ), %2$s, turn AS (   -- a turn lasts from one registration to the next
      SELECT b.*, count(*) FILTER (WHERE what = 'registered') OVER history AS turn,
        b.what = 'misdirected' AND (a.at, a.device_id, a.id) > (b.at, b.by_device, b.id) AS is_accepted_since
      FROM bearing b
      LEFT JOIN projection.token_accepted a ON b.what = 'misdirected'
        AND (a.app_id, a.provider, a.token) = ($1, b.provider, b.token)
      WINDOW history AS (PARTITION BY b.device_id, b.provider, b.type, b.topic, b.environment, b.activity_id, b.token ORDER BY b.at, b.by_device, b.id)
    ), life AS MATERIALIZED (   -- of those without an event that matters one turn, to which all their registrations belong
      SELECT h.device_id, h.provider, h.type, h.topic, h.environment, h.activity AS activity_id, h.token, 1::bigint AS turn,
        h.registered_at AS registered_at, NULL::timestamptz AS registered_again_at, h.registered_at AS first_at, h.ended_at,
        CASE WHEN h.ended_at IS NOT NULL THEN h.state END AS ended_by, NULL::timestamptz[] AS misdirected_ats,
        CASE h.state WHEN 'misdirected' THEN timestamptz '-infinity' END AS misdirected_since, h.last_registered_at
      FROM held h
      -- Not NOT IN: that compares each with each where the planner expects more than it may hash.
      WHERE h.registered_at < $2 AND NOT EXISTS (SELECT FROM eventful v WHERE v.device_id = h.device_id) %4$s
        AND reporting.token_matches($8, h.provider, h.type, h.environment, h.topic)
      UNION ALL
      SELECT device_id, provider, type, topic, environment, activity_id, token, turn, min(at) AS registered_at,
        lead(min(at)) OVER history AS registered_again_at, min(min(at)) OVER history AS first_at,
        (array_agg(at ORDER BY at, by_device, id) FILTER (WHERE what IN ('superseded', 'moved', 'invalidated')))[1] AS ended_at,
        (array_agg(what ORDER BY at, by_device, id) FILTER (WHERE what IN ('superseded', 'moved', 'invalidated')))[1] AS ended_by,
        array_agg(at) FILTER (WHERE what = 'misdirected') AS misdirected_ats,
        min(at) FILTER (WHERE what = 'misdirected' AND is_accepted_since IS NOT TRUE) AS misdirected_since, min(at) AS last_registered_at
      FROM turn
      WHERE turn > 0
      GROUP BY device_id, provider, type, topic, environment, activity_id, token, turn
      WINDOW history AS (PARTITION BY device_id, provider, type, topic, environment, activity_id, token ORDER BY turn)
    ), standing AS MATERIALIZED (
      SELECT i.slot::integer, l.device_id, l.provider, l.type, l.environment, l.activity_id, l.token,
        CASE
          WHEN l.ended_at < i.ends THEN l.ended_by
          WHEN l.misdirected_since < i.ends OR (a.at >= i.ends AND i.ends > ANY (l.misdirected_ats)) THEN 'misdirected'
          WHEN l.last_registered_at < i.ends - $3 THEN 'stale'
          ELSE 'active' END AS state
      FROM unnest($4::timestamptz[]) WITH ORDINALITY AS i (ends, slot)
      JOIN life l ON l.registered_at < i.ends AND (l.registered_again_at IS NULL OR l.registered_again_at >= i.ends)
      LEFT JOIN projection.token_accepted a ON l.misdirected_ats IS NOT NULL
        AND (a.app_id, a.provider, a.token) = ($1, l.provider, l.token)
    ), ghost AS (   -- of a token with a topic and without one, or in two environments, a push comes once
      SELECT slot, device_id, type, activity_id, true AS several
      FROM (SELECT DISTINCT slot, device_id, type, activity_id, token FROM standing WHERE state = 'active') t
      GROUP BY 1, 2, 3, 4
      HAVING count(*) > 1
    ), dead AS MATERIALIZED (
      SELECT l.device_id, l.token, min(l.ended_at) AS ended_at, %6$s AS is_whole
      FROM life l
      %7$s
      WHERE l.ended_at < $2
      GROUP BY 1, 2
    ), found AS MATERIALIZED (   -- by itself: what it is joined to would be gone through for each token
      SELECT e.device_id, e.token, e.effective_at AS at, e.data#>>'{push,environment}' AS environment, e.data#>>'{push,topic}' AS topic
      FROM (SELECT token, min(ended_at) AS ended_at FROM dead WHERE NOT is_whole GROUP BY 1) k   -- once, whoever had it
      CROSS JOIN LATERAL reporting.requests_after($1, k.token, greatest($6, k.ended_at)) e
      WHERE e.token = k.token AND e.effective_at >= $6 AND e.effective_at < $2
    ), sent AS MATERIALIZED (   -- to a dead token
      SELECT row_number() OVER () AS number, f.*
      FROM (
        SELECT f.*, false AS is_kept FROM found f
        %5$s
      ) f
      JOIN dead d ON (d.device_id, d.token, d.is_whole) = (f.device_id, f.token, f.is_kept)
      WHERE f.at > d.ended_at
    ), request AS (
      SELECT DISTINCT ON (e.number) width_bucket(e.at, $5) AS slot, l.provider, l.type, l.environment,
        CASE WHEN l.ended_at < e.at THEN l.ended_by END AS state
      FROM sent e
      JOIN life l ON (l.device_id, l.token) = (e.device_id, e.token) AND l.registered_at <= e.at
      ORDER BY e.number, l.environment = coalesce(e.environment, 'production') DESC,
        l.topic = coalesce(e.topic, '') DESC, l.registered_at DESC, l.provider, l.type, l.environment, l.topic, l.activity_id, l.turn DESC
    )
    SELECT slot, NULL::integer, provider, type, environment, state, count(*), count(DISTINCT device_id),
      count(DISTINCT device_id) FILTER (WHERE state = 'active' AND several), 0::bigint, NULL::double precision[]
    FROM standing
    LEFT JOIN ghost USING (slot, device_id, type, activity_id)
    GROUP BY slot, provider, type, environment, state
    UNION ALL
    SELECT slot, NULL, provider, type, environment, state, tokens, tokens, 0, 0, NULL FROM plainly WHERE tokens > 0
    UNION ALL
    SELECT slot, NULL, provider, type, environment, state, 0, 0, 0, count(*), NULL
    FROM request WHERE state IS NOT NULL GROUP BY slot, provider, type, environment, state
    UNION ALL
    SELECT slot, until, provider, type, environment, ended_by, 0, 0, 0, 0, array_agg(extract(epoch FROM ended_at - first_at)::double precision)
    FROM (
      SELECT l.*, width_bucket(greatest(l.registered_at, l.ended_at), $4) + 1 AS slot, row_number() OVER () / 100000 AS piece,
        CASE WHEN l.registered_again_at IS NULL THEN cardinality($4) ELSE width_bucket(l.registered_again_at, $4) END AS until
      FROM life l
      WHERE l.ended_by IN ('superseded', 'moved', 'invalidated')
    ) l
    WHERE slot <= until
    GROUP BY slot, until, provider, type, environment, ended_by, piece   -- so that no array is large
  $query$, CASE WHEN activities THEN 'k.activity_id' ELSE '''''' END,
    reporting.bearing_events(),
    CASE WHEN log.is_alone() THEN '' ELSE 'AND log.is_own(k.device_id)' END,
    CASE WHEN log.is_alone() THEN '' ELSE 'AND log.is_own(h.device_id)' END,
    CASE WHEN kept THEN $kept$
        UNION ALL
        SELECT r.device_id, r.token, r.at, r.environment, r.topic, true
        FROM projection.token_request r
        WHERE r.app_id = $1 AND r.at >= $6 AND r.at < $2$kept$ ELSE '' END,
    CASE WHEN kept THEN 'coalesce(bool_and(t.is_whole), false)' ELSE 'false' END,
    CASE WHEN kept THEN
      'LEFT JOIN projection.token_end t ON (t.app_id, t.device_id, t.token) = ($1, l.device_id, l.token)' ELSE '' END)
  USING app_number, to_at, stale_after, ends, starts, from_at, (SELECT array_agg(e - stale_after ORDER BY e) FROM unnest(ends) AS e), filters;
END $$;

-- Whether filters let a token of such a kind through: see reporting.matches.
CREATE OR REPLACE FUNCTION reporting.token_matches(
  filters jsonb, provider text, type text, environment text, topic text)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT reporting.matches(provider, filters, 'provider') AND reporting.matches(type, filters, 'type')
    AND reporting.matches(environment, filters, 'environment') AND reporting.matches(topic, filters, 'topic')
$$;
