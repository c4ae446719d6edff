-- The events of this log in a range of positions, for another store: for each of its cells that gets any, its number and the columns, each
-- an array as text, in the order of the arguments of log.append.
--
--   cells   the number of the cell that has each of the eight lanes there
CREATE OR REPLACE FUNCTION log.events_to_import(after bigint, upto bigint, cells smallint[])
RETURNS TABLE (cell smallint, columns text[])
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET DateStyle = 'ISO' SET TimeZone = 'UTC' AS $$
  SELECT e.cell, ARRAY[
    array_agg(e.app_id)::text, array_agg(e.id)::text, array_agg(e.digest)::text, array_agg(e.kind)::text, array_agg(e.device_id)::text,
    array_agg(e.received_at)::text, array_agg(e.occurred_at)::text, array_agg(e.effective_at)::text, array_agg(e.sent_at)::text,
    array_agg(e.occurrence)::text, array_agg(e.utc_offset)::text, array_agg(e.schema_version)::text, array_agg(e.time_clamped)::text,
    array_agg(e.notification_id)::text, array_agg(e.token)::text, array_agg(e.data)::text]
  FROM (   -- in the order that the aggregates see
    SELECT cells[1 + log.event_lane(l.device_id, l.token, l.id)] AS cell, l.*,
      -- Of an identity that retention has taken away another one, the same each time, so that an event is known again.
      coalesce(i.digest, l.id) AS digest
    FROM log.event l
    LEFT JOIN log.identity i ON (i.id, i.device_hash, i.app_id) = (l.id, hashtextextended(l.device_id, 0), l.app_id)
    WHERE l.position > after AND l.position <= upto
    ORDER BY 1, l.position
  ) e
  GROUP BY e.cell
$$;

-- Appends events of log.events_to_import here. Returns how many were stored, were here before, were here before with other content, and
-- were refused, as their device was erased or they are older than what retention has dropped.
CREATE OR REPLACE FUNCTION log.import(
  columns text[], OUT stored bigint, OUT duplicates bigint, OUT conflicts bigint, OUT refused bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET DateStyle = 'ISO' SET TimeZone = 'UTC' AS $$
DECLARE
  appended record;
BEGIN
  PERFORM log.ensure_partitions(columns[6]::timestamptz[]);
  SELECT * INTO appended FROM log.append(
    columns[1]::integer[], columns[2]::uuid[], columns[3]::uuid[], columns[4]::text[], columns[5]::text[], columns[6]::timestamptz[],
    columns[7]::timestamptz[], columns[8]::timestamptz[], columns[9]::timestamptz[], columns[10]::timestamptz[],
    columns[11]::smallint[], columns[12]::smallint[], columns[13]::boolean[], columns[14]::text[], columns[15]::bytea[],
    columns[16]::jsonb[]);
  SELECT count(*) FILTER (WHERE s.status = 0), count(*) FILTER (WHERE s.status = 1), count(*) FILTER (WHERE s.status = 2),
    count(*) FILTER (WHERE s.status > 2)
  INTO stored, duplicates, conflicts, refused
  FROM unnest(appended.statuses) AS s (status);
END $$;

-- Lets nobody append to this log any more (NL409), as another store takes over; or lets them again. Appends under way may still store
-- some: call log.drain_appends() before reading the log to its end.
CREATE OR REPLACE FUNCTION log.set_closed(closed boolean) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.state s SET closed = set_closed.closed WHERE s.closed <> set_closed.closed
$$;

-- Refuses from now on what is older than what another store's retention has dropped: it may have been among it.
CREATE OR REPLACE FUNCTION log.raise_floor(floor timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.state s SET floor = raise_floor.floor WHERE s.floor < raise_floor.floor
$$;

-- Takes over the secret of another store's ledger of erased devices, as long as this one's is empty.
CREATE OR REPLACE FUNCTION log.adopt_ledger_secret(secret bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE log.erasure_secret SET secret = adopt_ledger_secret.secret, proof = NULL WHERE NOT EXISTS (SELECT FROM log.erasure)
$$;
