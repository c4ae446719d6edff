-- The answers of push providers by provider, status and reason: what the report push_results counts.
--
-- Intervals begin at `starts` and end at `to_at`; `slot` is the number of one. `provider`, `status` and `reason` are '' where there is
-- none. `first_at` and `last_at` are the times of the earliest and the latest answer.
CREATE OR REPLACE FUNCTION reporting.push_results_counts(app_number integer, starts timestamptz[], to_at timestamptz, filters jsonb)
RETURNS TABLE (
  slot integer, provider text, status text, reason text, results bigint, first_at timestamptz, last_at timestamptz)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off AS $$
DECLARE
  -- the quarter hours that the range, or one of its intervals, begins or ends in the midst of
  cut timestamptz[] := ARRAY(
    SELECT date_bin('15 minutes', b, 'epoch') FROM unnest(starts || to_at) b WHERE date_bin('15 minutes', b, 'epoch') <> b);
BEGIN
  RETURN QUERY EXECUTE $query$
    SELECT slot, provider, coalesce(nullif(status, 0)::text, ''), reason, sum(results)::bigint, min(first_at), max(last_at)
    FROM (
      SELECT width_bucket(p.bucket, $2) AS slot, provider, status, reason, sum(results) AS results, min(first_at) AS first_at,
        max(last_at) AS last_at
      FROM projection.push_result p
      WHERE p.app_id = $1 AND p.bucket >= $2[1] AND p.bucket < $3 AND p.bucket <> ALL ($4)
        AND reporting.push_matches($5, provider, status, reason, type, environment, topic)
      GROUP BY 1, 2, 3, 4
      UNION ALL
      SELECT width_bucket(at, $2), provider, status, reason, 1, at, at
      FROM (
        SELECT e.effective_at AS at, coalesce(e.data->>'provider', '') AS provider,
          coalesce((e.data->>'status')::smallint, 0) AS status, coalesce(e.data->>'reason', '') AS reason,
          coalesce(CASE e.data->>'type' WHEN 'live_activity' THEN 'activity_update' ELSE e.data->>'type' END, '') AS type,   -- an older name
          coalesce(e.data->>'environment', '') AS environment,
          coalesce(e.data->>'topic', '') AS topic
        FROM (
          SELECT e.effective_at,
            CASE WHEN e.schema_version >= log.schema_version(e.kind) THEN coalesce(e.data, e.data_text::jsonb)
              ELSE log.upcast(e.kind, e.schema_version, coalesce(e.data, e.data_text::jsonb)) END AS data
          FROM projection.push_result_place cut
          CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a bucket, by position: by app there is all that the app ever sent
            SELECT * FROM log.event e WHERE e.position >= cut.first_position AND e.position <= cut.last_position
            OFFSET 0
          ) e
          WHERE cut.app_id = $1 AND cut.bucket = ANY ($4) AND e.app_id = $1 AND e.kind = 'push_result'
            AND e.effective_at >= $2[1] AND e.effective_at < $3 AND date_bin('15 minutes', e.effective_at, 'epoch') = cut.bucket
          OFFSET 0   -- so that only these are parsed, once: where one came late, all that came meanwhile lies between them
        ) e
      ) result
      WHERE reporting.push_matches($5, provider, status, reason, type, environment, topic)
    ) part
    GROUP BY 1, 2, 3, 4
  $query$
  USING app_number, starts, to_at, cut, filters;
END $$;

-- Whether filters let the answers of a provider through: see reporting.matches.
CREATE OR REPLACE FUNCTION reporting.push_matches(
  filters jsonb, provider text, status integer, reason text, type text, environment text, topic text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT reporting.matches(provider, filters, 'provider')
    AND reporting.matches(coalesce(nullif(status, 0)::text, ''), filters, 'status')
    AND reporting.matches(reason, filters, 'reason') AND reporting.matches(type, filters, 'type')
    AND reporting.matches(environment, filters, 'environment') AND reporting.matches(topic, filters, 'topic')
$$;
