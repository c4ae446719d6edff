-- Drops a partition that every projection's baseline holds, and whose identities are deleted.
--
-- DROP TABLE needs a brief exclusive lock on the log. While it waits, appends wait behind it: so it gives up soon (SQLSTATE
-- 55P03, lock_not_available), and the caller tries again.
CREATE OR REPLACE FUNCTION log.retention_drop(partition text, projections text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  progress record;
  missing  text;
  held     text;
  uncut    boolean;
  kept     record;
BEGIN
  -- No version of a projection begins from the baseline meanwhile; one that began before the baseline held the whole partition
  -- still reads it.
  PERFORM lock.exclusive('baseline');
  SELECT * INTO STRICT progress FROM log.dropped_partition WHERE name = partition AND dropped_at IS NULL FOR UPDATE;
  SELECT string_agg(l.name, ', ') INTO missing
  FROM unnest(projections) AS l (name)
  LEFT JOIN baseline.checkpoint c USING (name)
  WHERE coalesce(c.floor, '-infinity') < progress.to_at;
  IF missing IS NOT NULL THEN
    RAISE EXCEPTION 'the baseline of % does not hold partition %', missing, partition
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  SELECT string_agg(r.kind || ' ' || r.name, ', ') INTO held
  FROM log.reader_position r WHERE r.position < progress.last_position AND (r.kind <> 'projection' OR r.name = ANY (projections));
  IF held IS NOT NULL THEN
    RAISE EXCEPTION 'partition % is held by %', partition, held USING ERRCODE = 'object_in_use';
  END IF;
  EXECUTE format('SELECT EXISTS (SELECT FROM log.%I WHERE position > $1)', partition) INTO uncut USING progress.cut_position;
  IF uncut THEN
    RAISE EXCEPTION 'identities of partition % are not deleted', partition USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  -- Requests that device_token keeps go with the log's, so that a rebuild gives the same rows.
  FOR kept IN
    SELECT format('%I.token_request', n.nspname) AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = 'token_request' AND c.relkind = 'r' AND n.nspname ~ '^projection(_.*)?$'
  LOOP
    EXECUTE format('DELETE FROM %s WHERE received_at < $1', kept.name) USING progress.to_at;
  END LOOP;
  DELETE FROM log.copy c WHERE c.received_at < progress.to_at AND c.position <= progress.last_position;
  DELETE FROM log.erased_token t WHERE t.position <= progress.last_position;
  EXECUTE format('DROP TABLE log.%I', partition);
  UPDATE log.dropped_partition SET dropped_at = now() WHERE name = partition;
END $$;

-- The server processes whose transactions use the log or one of its partitions.
CREATE OR REPLACE FUNCTION log.retention_users(partition text) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(string_agg(DISTINCT pid::text, ', '), 'gone')
  FROM pg_locks
  WHERE relation IN ('log.event'::regclass, to_regclass(format('log.%I', partition)))
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND granted AND pid <> pg_backend_pid()
$$;
