-- The events in a range of this log that other cells may need, in the order of their positions: registrations of categories, which all
-- need, and what is said of a token, for cells that know it too. `event` is what log.copy_in takes: without the person's data, and
-- without the notification.
CREATE OR REPLACE FUNCTION log.events_to_copy(after bigint, upto bigint)
RETURNS TABLE ("position" bigint, app_id integer, token bytea, event jsonb)
LANGUAGE sql STABLE AS $$
  SELECT e.position, e.app_id, e.token, log.copied_event(e)
  FROM log.event e
  WHERE e.position > after AND e.position <= upto
    AND (e.kind = 'category_registration' OR (e.token IS NOT NULL AND e.kind IN ('token', 'push_result')))
  ORDER BY e.position
$$;

-- What this log says of a token, `most` events at most: no state is computed of a token with more.
CREATE OR REPLACE FUNCTION log.token_events_to_copy(app integer, digest bytea, most integer) RETURNS SETOF jsonb
LANGUAGE sql STABLE AS $$
  SELECT log.copied_event(e)
  FROM log.event e
  WHERE (e.app_id, e.token) = (app, digest) AND e.kind IN ('token', 'push_result')
  LIMIT most
$$;

-- An event as log.copy_in takes it.
CREATE OR REPLACE FUNCTION log.copied_event(e log.event) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(e) - '{position,data_text}'::text[]
    || jsonb_build_object('notification_id', NULL, 'data', log.erased_data(e.kind, coalesce(e.data, e.data_text::jsonb), NULL))
$$;

-- Which of some tokens this cell needs to hear of, by their ordinals, from 1: it has events of them, or refuses them as those of an
-- erased device.
CREATE OR REPLACE FUNCTION log.known_tokens(apps integer[], tokens bytea[]) RETURNS SETOF integer
LANGUAGE sql STABLE AS $$
  SELECT t.ordinal
  FROM (SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(tokens) AS token) t
  CROSS JOIN LATERAL (   -- OFFSET keeps it to one look-up
    SELECT FROM log.event e
    WHERE (e.app_id, e.token) = (t.app, t.token) AND e.kind IN ('token', 'push_result')
    LIMIT 1
    OFFSET 0
  ) e
  UNION
  SELECT ordinal::integer
  FROM unnest(log.erased_ordinals(apps, array_fill('push_result'::text, ARRAY[cardinality(apps)]),
    array_fill(''::text, ARRAY[cardinality(apps)]), tokens)) AS e (ordinal)
$$;

-- Which cells sent copies of events of some tokens, by the tokens' ordinals, from 1: they have what this cell says of them, too.
CREATE OR REPLACE FUNCTION log.cells_of_tokens(apps integer[], tokens bytea[]) RETURNS TABLE (ordinal integer, cell smallint)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT t.ordinal, c.cell
  FROM (SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(tokens) AS token) t
  JOIN log.copy c ON (c.app_id, c.token) = (t.app, t.token)
$$;
