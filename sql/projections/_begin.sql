-- Puts a version whose tables were just made and registered where it begins: with the rows of the baseline, where there
-- is one, before the first event that the log still holds. Of a column that the baseline lacks the default is taken.
CREATE OR REPLACE FUNCTION projection.begin(version text, leader text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  statement text;
  begun bigint;
BEGIN
  -- The baseline does not change meanwhile, and retention drops nothing that this version has still to read; nor is a device
  -- erased, whose rows would be copied as they were.
  PERFORM lock.shared('background');
  PERFORM lock.exclusive('baseline');
  PERFORM lock.shared('still');
  FOR statement IN
    SELECT format('INSERT INTO %1$I.%2$I (%3$s) SELECT %3$s FROM baseline.%2$I', version, b.relname,
      string_agg(quote_ident(c.attname), ', ' ORDER BY c.attnum))
    FROM pg_class b
    JOIN pg_class n ON n.relname = b.relname AND n.relnamespace = version::regnamespace AND n.relkind IN ('r', 'p')
    JOIN pg_attribute c ON c.attrelid = n.oid AND c.attnum > 0 AND NOT c.attisdropped
    JOIN pg_attribute o ON o.attrelid = b.oid AND o.attname = c.attname AND NOT o.attisdropped
    WHERE b.relnamespace = to_regnamespace('baseline') AND b.relkind IN ('r', 'p')
    GROUP BY b.relname
  LOOP
    EXECUTE statement;
  END LOOP;
  INSERT INTO baseline.begun AS b (schema_name, leader, floor, next_floor, position)
  SELECT version, c.name, c.floor, c.next_floor, c.position FROM baseline.checkpoint c WHERE c.name = begin.leader
  ON CONFLICT ON CONSTRAINT begun_pkey DO UPDATE
  SET floor = excluded.floor, next_floor = excluded.next_floor, position = excluded.position;
  -- Copies that came after the partitions of their time were dropped may lie before the first event that is left.
  SELECT least(s.settled_position, (SELECT e.position - 1 FROM log.event e ORDER BY e.position LIMIT 1),
    (SELECT min(c.position) - 1 FROM log.copy c))
  INTO begun FROM log.state s;
  -- Every lane knows all categories and their unfinished changes; those of the baseline are the first lane's.
  IF to_regclass(format('%I.lane_category', version)) IS NOT NULL THEN
    EXECUTE format('SELECT %I.category_to_lanes($1)', version) USING (
      SELECT v.lanes FROM projection.version v WHERE (v.schema_name, v.leader) = (version, begin.leader));
  END IF;
  -- All events count by the keys that apps have named; for a verification, those that count in the version in use.
  IF begin.leader = 'notification' THEN
    INSERT INTO notilog.dimension (version_id, app_id, key, after_position, upto_position)
    SELECT made.version_id, d.app_id, d.key, d.after_position, d.upto_position
    FROM projection.version made
    CROSS JOIN LATERAL (
      SELECT a.app_id, w.key, 0::bigint AS after_position, NULL::bigint AS upto_position
      FROM notilog.app a CROSS JOIN unnest(a.dimensions) AS w (key)
      WHERE version NOT LIKE 'projection\_verify\_%'
      UNION ALL
      SELECT u.app_id, u.key, u.after_position, u.upto_position
      FROM projection.version used JOIN notilog.dimension u USING (version_id)
      WHERE version LIKE 'projection\_verify\_%' AND (used.schema_name, used.leader) = ('projection', begin.leader)
    ) d
    WHERE (made.schema_name, made.leader) = (version, begin.leader);
  END IF;
  INSERT INTO projection.version_lane (schema_name, leader, lane, position)
  SELECT version, begin.leader, n, begun
  FROM projection.version v, generate_series(0, coalesce(v.lanes, 1) - 1) AS n
  WHERE (v.schema_name, v.leader) = (version, begin.leader);
  UPDATE projection.version v
  SET begun_after = begun
  WHERE (v.schema_name, v.leader) = (version, begin.leader);
  RETURN begun;
END $$;
