-- Creates the missing monthly partitions of log.event from `from_at` to `to_at`; none for a time that retention has dropped.
--
-- Each is created as a separate table and then attached: CREATE TABLE … PARTITION OF would wait for every open transaction
-- that has read the log, and block every append behind it.
CREATE OR REPLACE FUNCTION log.ensure_partitions(from_at timestamptz, to_at timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
DECLARE
  month timestamptz := date_trunc('month', greatest(from_at, (SELECT floor FROM log.state)));
  name  text;
  made  integer := 0;
BEGIN
  PERFORM lock.exclusive('partitions');
  WHILE month <= to_at LOOP
    name := 'event_' || to_char(month, 'YYYY_MM');
    IF to_regclass('log.' || name) IS NULL THEN
      EXECUTE format('CREATE TABLE log.%I (LIKE log.event INCLUDING ALL)', name);
      EXECUTE format('ALTER TABLE log.event ATTACH PARTITION log.%I FOR VALUES FROM (%L) TO (%L)',
        name, month, month + interval '1 month');
      made := made + 1;
    END IF;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END $$;

-- Creates only the partitions that hold these times, however far apart they are.
CREATE OR REPLACE FUNCTION log.ensure_partitions(received_ats timestamptz[]) RETURNS integer
LANGUAGE sql SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
  SELECT coalesce(sum(log.ensure_partitions(month, month)), 0)::integer
  FROM (SELECT DISTINCT date_trunc('month', at) AS month FROM unnest(received_ats) AS at ORDER BY 1) months
$$;
