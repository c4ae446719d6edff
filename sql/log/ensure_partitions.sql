-- Makes the monthly partitions of log.event that hold `from_at` to `to_at`, where they are missing.
CREATE OR REPLACE FUNCTION log.ensure_partitions(from_at timestamptz, to_at timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  month timestamp := date_trunc('month', from_at AT TIME ZONE 'UTC');
  name  text;
  made  integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('log.ensure_partitions'));
  WHILE month <= to_at AT TIME ZONE 'UTC' LOOP
    name := 'event_' || to_char(month, 'YYYY_MM');
    IF to_regclass('log.' || name) IS NULL THEN
      EXECUTE format('CREATE TABLE log.%I PARTITION OF log.event FOR VALUES FROM (%L) TO (%L)',
        name, month::text || '+00', (month + interval '1 month')::text || '+00');
      made := made + 1;
    END IF;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END $$;
