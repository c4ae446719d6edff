-- What became of notifications of a category, '' where that is null, and of each sampled device by itself: what the report
-- instrumentation counts of notifications.
--
-- `parts`, sides and slots are those of reporting.instrumentation_device_counts. With a part goes up to which hash of its id a device of
-- the version is sampled, `up_to`; null for none. `device` is this hash, which tells only what is of the same device; the rows of all
-- others are summed, and have none. Only the stretches between `froms` and `tos` are read.
CREATE OR REPLACE FUNCTION reporting.instrumentation_notification_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, near interval, filters jsonb, parts jsonb, starts timestamptz[],
  froms timestamptz[], tos timestamptz[], worker integer DEFAULT NULL, workers integer DEFAULT NULL)
RETURNS TABLE (
  key integer, side integer, slot integer, device bigint, category text, observable bigint, observed bigint, known bigint,
  repeated bigint, alone bigint, reached bigint, engaged bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET timezone = 'UTC' SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
DECLARE
  cuts timestamptz[];   -- where the slot of some part begins or the last one ends: between two of them all notifications count alike
BEGIN
  IF worker IS NULL AND reporting.workers() > 1 THEN
    -- A device's notifications are in several shares.
    RETURN QUERY EXECUTE format($query$
      SELECT n.key, n.side, n.slot, n.device, n.category, sum(n.observable)::bigint, sum(n.observed)::bigint, sum(n.known)::bigint,
        sum(n.repeated)::bigint, sum(n.alone)::bigint, sum(n.reached)::bigint, sum(n.engaged)::bigint
      FROM (%s) n
      GROUP BY 1, 2, 3, 4, 5
    $query$, reporting.by_workers('instrumentation_notification_counts', 9))
    USING app_number, from_at, to_at, near, filters, parts, starts, froms, tos;
    RETURN;
  END IF;

  SELECT array_agg(DISTINCT c.at - p.shift) INTO cuts
  FROM (SELECT DISTINCT p.shift FROM jsonb_to_recordset(parts) AS p (shift interval)) p
  CROSS JOIN unnest(starts || ARRAY[from_at, to_at]) AS c (at);
  RETURN QUERY EXECUTE $query$
    WITH part AS MATERIALIZED (
      SELECT key, version COLLATE "C" AS version, side, shift, up_to
      FROM jsonb_to_recordset($6) AS p (key integer, version text, side integer, shift interval, up_to bigint)
    ), version AS MATERIALIZED (
      SELECT version, max(up_to) AS up_to FROM part GROUP BY version
    ), counted AS MATERIALIZED (   -- once, as most count in two parts
      SELECT n.version, n.category, width_bucket(n.cohort_at, $10) AS cut, CASE WHEN n.hash <= v.up_to THEN n.hash END AS device,
        count(*) FILTER (WHERE n.delivery_observable AND n.is_reached) AS observable,
        count(*) FILTER (WHERE n.delivery_observable AND n.is_reached AND n.delivery_at IS NOT NULL) AS observed,
        count(*) AS known, count(*) FILTER (WHERE n.duplicate_callbacks > 0) AS repeated,
        count(*) FILTER (WHERE n.response_only) AS alone, count(*) FILTER (WHERE n.is_reached) AS reached,
        count(*) FILTER (WHERE n.is_reached AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $4) AS engaged
      FROM (   -- a worker's share is one of time
        SELECT from_at + (to_at - from_at) * $11 / $12 AS from_at, from_at + (to_at - from_at) * ($11 + 1) / $12 AS to_at
        FROM unnest($8, $9) AS s (from_at, to_at)
      ) s
      CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a stretch
        SELECT hashtextextended(n.device_id, 0) AS hash, coalesce(n.category, '') COLLATE "C" AS category, n.cohort_at, n.delivery_observable,
          n.delivery_at, n.duplicate_callbacks, n.response_only, n.responded_at, n.shown_at,
          coalesce(n.app_version, '') COLLATE "C" AS version, n.platform, n.os_version, n.locale, n.reached_seen OR n.reached_assumed AS is_reached
        FROM projection.notification n
        WHERE n.app_id = $1 AND n.cohort_at >= s.from_at AND n.cohort_at < s.to_at
          AND (n.reached_seen OR n.reached_assumed OR n.response_only)
        OFFSET 0
      ) n
      JOIN version v USING (version)
      WHERE reporting.matches(coalesce(n.platform, ''), $5, 'platform')
        AND reporting.matches(coalesce(n.os_version, ''), $5, 'os_version')
        AND reporting.matches(coalesce(n.locale, ''), $5, 'locale')
      GROUP BY 1, 2, 3, 4
    )
    SELECT p.key, p.side, width_bucket(c.at, $7) AS slot, CASE WHEN n.device <= p.up_to THEN n.device END, n.category, sum(n.observable)::bigint, sum(n.observed)::bigint,
      sum(n.known)::bigint, sum(n.repeated)::bigint, sum(n.alone)::bigint, sum(n.reached)::bigint, sum(n.engaged)::bigint
    FROM counted n
    JOIN part p USING (version)
    CROSS JOIN LATERAL (SELECT $10[n.cut] + p.shift AS at) c
    WHERE c.at >= $2 AND c.at < $3
    GROUP BY 1, 2, 3, 4, 5
  $query$
  USING app_number, from_at, to_at, near, filters, parts, starts, froms, tos, cuts, coalesce(worker, 0), coalesce(workers, 1);
END $$;
