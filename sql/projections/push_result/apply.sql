-- projection: push_result

CREATE OR REPLACE FUNCTION push_result_apply(after bigint, upto bigint) RETURNS void
LANGUAGE sql SET jit = off AS $$
  WITH counted AS MATERIALIZED (
    SELECT app_id, date_bin('15 minutes', effective_at, 'epoch') AS bucket, coalesce(data->>'provider', '') AS provider,
      coalesce((data->>'status')::smallint, 0) AS status, coalesce(data->>'reason', '') AS reason,
      coalesce(data->>'type', '') AS type, coalesce(data->>'environment', '') AS environment,
      coalesce(data->>'topic', '') AS topic,
      count(*) AS results, min(effective_at) AS first_at, max(effective_at) AS last_at,
      min(position) AS first_position, max(position) AS last_position
    FROM projection.batch(after, upto)
    WHERE kind = 'push_result'
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ), placed AS (
    INSERT INTO push_result_place AS p
    SELECT app_id, bucket, min(first_position), max(last_position)
    FROM counted
    GROUP BY 1, 2
    ON CONFLICT (app_id, bucket) DO UPDATE SET
      first_position = least(p.first_position, excluded.first_position),
      last_position = greatest(p.last_position, excluded.last_position)
  )
  INSERT INTO push_result AS p
  SELECT app_id, bucket, provider, status, reason, type, environment, topic, results, first_at, last_at
  FROM counted
  ON CONFLICT (app_id, bucket, provider, status, reason, type, environment, topic) DO UPDATE SET
    results = p.results + excluded.results,
    first_at = least(p.first_at, excluded.first_at),
    last_at = greatest(p.last_at, excluded.last_at);
$$;
