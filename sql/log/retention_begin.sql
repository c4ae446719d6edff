-- Raises the floor to the end of the oldest partition, so that no more events are stored in it. Appends under way may still
-- store some: call log.drain_appends() before reading the partition.
CREATE OR REPLACE FUNCTION log.retention_begin(partition text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  oldest record;
BEGIN
  SELECT * INTO oldest FROM log.partitions() LIMIT 1;
  IF oldest.name IS DISTINCT FROM partition THEN
    RAISE EXCEPTION 'partition % is not the oldest, which is %', partition, oldest.name
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  INSERT INTO log.dropped_partition (name, from_at, to_at, last_position)
  VALUES (oldest.name, oldest.from_at, oldest.to_at, 0)
  ON CONFLICT (name) DO UPDATE SET runs_kept = false, cut_position = 0, events = 0, begun_at = now(), dropped_at = NULL
  WHERE dropped_partition.dropped_at IS NOT NULL;
  UPDATE log.state SET floor = oldest.to_at WHERE floor < oldest.to_at;
END $$;

-- Records the last position of a partition once no more events are stored in it; it does not change afterwards.
CREATE OR REPLACE FUNCTION log.retention_close(partition text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last bigint;
BEGIN
  EXECUTE format('SELECT coalesce(max(position), 0) FROM log.%I', partition) INTO last;
  UPDATE log.dropped_partition SET last_position = last WHERE name = partition;
  RETURN last;
END $$;
