-- The events of some lanes in a range of this log, for a database that has those lanes in another store: the columns, each an array as
-- text, in the order of the arguments of log.append; null if there is none. Large events end the range early: `reached` is its end.
--
-- A range is small, which the planner does not see: without these settings it has workers, or all identities, for each.
CREATE OR REPLACE FUNCTION log.events_to_import(after bigint, upto bigint, lanes smallint[], OUT reached bigint, OUT columns text[])
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET DateStyle = 'ISO' SET TimeZone = 'UTC'
SET max_parallel_workers_per_gather = 0 SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
  WITH event AS MATERIALIZED (
    SELECT l.*,
      -- Of an identity that retention has taken away another one, the same each time, so that an event is known again.
      coalesce(i.digest, l.id) AS digest,
      sum(octet_length(t.text)) OVER (ORDER BY l.position) - octet_length(t.text) AS bytes_before
    FROM log.event l
    CROSS JOIN LATERAL (SELECT coalesce(l.data_text, l.data::text) AS text) t
    LEFT JOIN log.identity i ON (i.id, i.device_hash, i.app_id) = (l.id, hashtextextended(l.device_id, 0), l.app_id)
    WHERE l.position > after AND l.position <= upto AND log.event_lane(l.device_id, l.token, l.id) = ANY (lanes)
  )
  SELECT coalesce((SELECT min(t.position) - 1 FROM event t WHERE t.bytes_before > 4000000), upto), CASE WHEN count(*) > 0 THEN ARRAY[
    array_agg(e.app_id)::text, array_agg(e.id)::text, array_agg(e.digest)::text, array_agg(e.kind)::text, array_agg(e.device_id)::text,
    array_agg(e.received_at)::text, array_agg(e.occurred_at)::text, array_agg(e.effective_at)::text, array_agg(e.sent_at)::text,
    array_agg(e.occurrence)::text, array_agg(e.utc_offset)::text, array_agg(e.schema_version)::text, array_agg(e.time_clamped)::text,
    array_agg(e.notification_id)::text, array_agg(e.token)::text, array_agg(e.data)::text, array_agg(e.data_text)::text] END
  FROM (SELECT * FROM event t WHERE t.bytes_before <= 4000000 ORDER BY t.position) e
$$;

-- Appends events of log.events_to_import here, and records with them how far that log was imported. Returns how many were stored, were
-- here before, were here before with other content, and were refused, as their device was erased or they are older than what retention
-- has dropped.
CREATE OR REPLACE FUNCTION log.import(
  source text, incarnation uuid, reached bigint, columns text[],
  OUT stored bigint, OUT duplicates bigint, OUT conflicts bigint, OUT refused bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET DateStyle = 'ISO' SET TimeZone = 'UTC' AS $$
#variable_conflict use_variable
DECLARE
  statuses smallint[];
BEGIN
  PERFORM log.ensure_partitions(columns[6]::timestamptz[]);
  IF columns[1] IS NOT NULL THEN
    SELECT a.statuses INTO statuses FROM log.append(
      columns[1]::integer[], columns[2]::uuid[], columns[3]::uuid[], columns[4]::text[], columns[5]::text[], columns[6]::timestamptz[],
      columns[7]::timestamptz[], columns[8]::timestamptz[], columns[9]::timestamptz[], columns[10]::timestamptz[],
      columns[11]::smallint[], columns[12]::smallint[], columns[13]::boolean[], columns[14]::text[], columns[15]::bytea[],
      columns[16]::jsonb[], columns[17]::text[]) a;   -- earlier releases give no texts
  END IF;
  SELECT count(*) FILTER (WHERE s.status = 0), count(*) FILTER (WHERE s.status = 1), count(*) FILTER (WHERE s.status = 2),
    count(*) FILTER (WHERE s.status > 2)
  INTO stored, duplicates, conflicts, refused
  FROM unnest(statuses) AS s (status);
  INSERT INTO notilog.imported AS i (source, incarnation, position, conflicts) VALUES (source, incarnation, reached, conflicts)
  ON CONFLICT ON CONSTRAINT imported_pkey DO UPDATE
  SET incarnation = excluded.incarnation, position = excluded.position, conflicts = i.conflicts + excluded.conflicts;
END $$;

-- What a log is known by in notilog.imported: its place without the timeline, which changes as a standby is promoted.
CREATE OR REPLACE FUNCTION log.import_source() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT split_part(log.place(), '/', 1) || '/' || split_part(log.place(), '/', 2)
$$;

-- Lets nobody append to this log any more (NL409), nor begin to erase a device, as another store takes over; or lets them again. No day
-- is judged either, and no digest made. What is under way may still be stored: call log.drain_appends() before reading the rest.
CREATE OR REPLACE FUNCTION log.set_closed(closed boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE log.state s SET closed = set_closed.closed WHERE s.closed <> set_closed.closed AND s.move IS NULL;
  -- That of a moved cell stays closed, or two servers would take events.
  IF EXISTS (SELECT FROM log.state s WHERE s.move IS NOT NULL) THEN
    RAISE EXCEPTION 'a cell of the other store moves: run `notilog cluster move` to its end, or with --reopen'
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
END $$;

-- Refuses from now on what is older than what another store's retention has dropped: it may have been among it.
CREATE OR REPLACE FUNCTION log.raise_floor(floor timestamptz) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.state s SET floor = raise_floor.floor WHERE s.floor < raise_floor.floor
$$;

-- Takes over the secret of another store's ledger of erased devices, as long as this one's is empty.
CREATE OR REPLACE FUNCTION log.adopt_ledger_secret(secret bytea) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.erasure_secret SET secret = adopt_ledger_secret.secret, proof = NULL WHERE NOT EXISTS (SELECT FROM log.erasure)
$$;

-- What of a store has to fit another one for an import.
--
--   is_owned       whether this login may read and change all of it
--   ledger         what identifies the secret of the ledger of erased devices; null while that is empty
--   erased         how many devices are in that ledger
--   ids            what identifies the secret by which ids are hashed; null while none are
--   has_secret     whether the ledger's secret is in the database, and the session brings one all the same
CREATE OR REPLACE FUNCTION log.import_terms(
  OUT source text, OUT is_owned boolean, OUT closed boolean, OUT floor timestamptz, OUT has_dropped boolean, OUT ledger text,
  OUT ids text, OUT has_secret boolean, OUT erased bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  source := log.import_source();
  is_owned := pg_has_role('notilog_owner', 'USAGE');
  SELECT s.closed, s.floor INTO closed, floor FROM log.state s;
  has_secret := false;
  erased := 0;
  has_dropped := EXISTS (SELECT FROM log.dropped_partition d WHERE d.dropped_at IS NOT NULL);
  SELECT encode(h.proof, 'hex') INTO ids FROM notilog.id_hash_secret h;
  IF is_owned AND EXISTS (SELECT FROM log.erasure) THEN
    SELECT encode(k.proof, 'hex') INTO ledger FROM log.erasure_keys() k;
    SELECT count(*) INTO erased FROM log.erasure e WHERE e.what = 'device';
    has_secret := coalesce(current_setting('notilog.erasure_secret', true), '') <> '' AND (SELECT k.secret IS NOT NULL FROM log.erasure_secret k);
  END IF;
END $$;
