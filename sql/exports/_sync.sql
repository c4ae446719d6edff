-- Compares a dataset's rows with what was given out, and gives each one that differs the next change number. Gives the last
-- number, up to which the dataset may be read.
--
-- Runs in a REPEATABLE READ transaction, so that rows and checkpoint are of one moment; where another got there first it
-- fails with 40001 and is to be tried again. Where the dataset has a function export.<dataset>_basis(app), and it says what
-- it said, only devices that sent something since are looked at.
CREATE OR REPLACE FUNCTION export.sync(dataset text, app integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO' AS $$
#variable_conflict use_variable
DECLARE
  declared export.dataset;
  feed     export.feed;
  reached  bigint;
  settled  bigint;
  basis    text := '';
  touched  text[];
  changed  bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'repeatable read' THEN
    RAISE EXCEPTION 'export.sync must see rows and checkpoint of one moment: run it in REPEATABLE READ';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended(format('notilog export %s %s', app, dataset), 0));
  SELECT * INTO STRICT declared FROM export.dataset d WHERE d.name = dataset;
  INSERT INTO export.feed (app_id, dataset) VALUES (app, dataset) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT feed FROM export.feed f WHERE (f.app_id, f.dataset) = (app, dataset) FOR UPDATE;
  SELECT min(coalesce(c.position, 0)) INTO reached
  FROM unnest(declared.projections) AS p (name) LEFT JOIN projection.checkpoint c USING (name);
  SELECT s.settled_position INTO settled FROM log.state s;
  IF to_regprocedure(format('export.%I(integer)', dataset || '_basis')) IS NOT NULL THEN
    EXECUTE format('SELECT export.%I($1)', dataset || '_basis') INTO basis USING app;
    IF basis = feed.basis AND reached - feed.position <= 1000000 THEN
      SELECT coalesce(array_agg(DISTINCT e.device_id), '{}') INTO touched
      FROM log.event e
      WHERE e.app_id = app AND e.position > feed.position AND e.position <= reached AND e.device_id <> '';
    END IF;
  END IF;
  changed := feed.change;

  IF 'device_id' = ANY (declared.keys) THEN
    changed := changed + export.entomb(dataset, app, changed, feed.settled, settled);
  END IF;
  changed := changed + export.compare(dataset, app, changed, touched);

  UPDATE export.feed f
  SET change = changed, position = reached, settled = settled, basis = basis
  WHERE (f.app_id, f.dataset) = (app, dataset);
  RETURN changed;
END $$;
