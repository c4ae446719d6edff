-- Compares a dataset's rows with the last exported ones, and gives each row that differs the next change number. Returns the
-- last number, up to which the dataset may be read.
--
-- Runs in a REPEATABLE READ transaction that has locked projection.checkpoint before its snapshot, so that rows and
-- checkpoint belong to one snapshot and one version. If another transaction was faster, it fails with 40001: retry it.
CREATE OR REPLACE FUNCTION export.sync(dataset text, app integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET bytea_output = 'hex' AS $$
#variable_conflict use_variable
DECLARE
  declared export.dataset;
  feed     export.feed;
  reached  bigint := export.standing(dataset, app);
  lanes    bigint[] := export.lanes(dataset);
  furthest bigint := greatest(reached, (SELECT max(l) FROM unnest(lanes) AS l));
  settled  bigint := (SELECT s.settled_position FROM log.state s);
  basis    text := export.basis(dataset, app);
  erased   text[];
  touched  text[];
  changed  bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'repeatable read' THEN
    RAISE EXCEPTION 'export.sync needs one snapshot: run it in REPEATABLE READ';
  END IF;
  PERFORM export.refuse_moving();
  PERFORM lock.named(format('export %s %s', app, dataset));
  SELECT * INTO STRICT declared FROM export.dataset d WHERE d.name = dataset;
  INSERT INTO export.feed (app_id, dataset) VALUES (app, dataset) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT feed FROM export.feed f WHERE (f.app_id, f.dataset) = (app, dataset) FOR UPDATE;
  IF (feed.position, feed.settled, feed.basis, feed.lanes) = (reached, settled, basis, lanes) THEN
    RETURN feed.change;
  END IF;

  erased := export.erased(app, feed.settled, settled);
  IF feed.basis = basis THEN
    IF (feed.position, feed.lanes) = (reached, lanes) THEN
      touched := '{}';
    ELSIF declared.touched IS NOT NULL AND furthest - feed.position BETWEEN 1 AND 1000000 THEN
      -- A lane may have been beyond the position, and may be now: what lies between is compared.
      EXECUTE format('SELECT export.%I($1, $2, $3)', declared.touched) INTO touched USING app, feed.position, furthest;
    END IF;
  END IF;
  changed := feed.change;
  IF erased IS NOT NULL AND 'device_id' = ANY (declared.keys) THEN
    changed := changed + export.entomb(dataset, app, changed, erased);
    IF touched IS NOT NULL THEN
      touched := touched || erased;
    END IF;
  END IF;
  changed := changed + export.compare(dataset, app, changed, touched);

  UPDATE export.feed f
  SET change = changed, position = reached, settled = settled, basis = basis, lanes = lanes
  WHERE (f.app_id, f.dataset) = (app, dataset);
  RETURN changed;
END $$;

-- Refuses what exports write in a cell that is closed for a move (NL409): whoever numbers changes would be told of numbers that the new
-- server gives to others, and a cursor would be another one there.
CREATE OR REPLACE FUNCTION export.refuse_moving() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM log.state s WHERE s.move IS NOT NULL) THEN
    RAISE EXCEPTION 'this log is closed: another database takes over' USING ERRCODE = 'NL409';
  END IF;
END $$;
