-- Reports that take long count devices or notifications one by one, each apart from all others. So several processes count at once, each
-- its own share of the devices, or of the time: PostgreSQL's parallel workers, on the report's snapshot. What they count adds up, as what
-- cells count does.
--
-- A function that counts in this way has `worker` and `workers` as its last parameters. Without them it is the union of what it is for
-- each worker. It is PARALLEL SAFE, and costs so much that the planner starts workers for it.

-- How many processes count a report. One counts a store of fewer than 500,000 notifications: to start another takes milliseconds.
CREATE OR REPLACE FUNCTION reporting.workers() RETURNS integer
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.report_workers', true), '')::integer, (
    -- Beside the session itself the planner starts no more than three for so few queries.
    SELECT 1 + least(current_setting('max_parallel_workers_per_gather')::integer, 3)
    FROM pg_class c
    WHERE c.oid = to_regclass('projection.notification') AND c.reltuples >= 500000), 1)
$$;

-- The query for which workers run a function: of so many parameters before the last two, which are parameters of the query.
CREATE OR REPLACE FUNCTION reporting.by_workers(function_name text, parameters integer) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT string_agg(format('SELECT * FROM %s(%s, %s, %s)', p.oid::regproc, (
      SELECT string_agg('$' || n, ', ' ORDER BY n) FROM generate_series(1, parameters) AS n), worker, workers), ' UNION ALL ')
  FROM (SELECT reporting.workers() AS workers) w
  CROSS JOIN generate_series(0, workers - 1) AS worker
  CROSS JOIN pg_proc p
  -- In a coordinator what counts here alone is in the schema `cell` (notilog.gather_counts).
  WHERE p.proname = function_name AND p.pronamespace::regnamespace::text IN ('reporting', 'cell') AND NOT p.prosecdef
$$;

-- The condition that a device is of a worker's share; any, where there is no worker.
CREATE OR REPLACE FUNCTION reporting.of_worker(device text, worker integer, workers integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN worker IS NULL THEN 'true' ELSE format('(hashtextextended(%s, 0) & 1048575) %% %s = %s', device, workers, worker) END
$$;
