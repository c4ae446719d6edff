-- The next batch of a partition that a group's baseline takes in: after < position <= upto, of what was received before
-- the partition's end. Both null where it holds the partition. Holds the baseline for the rest of the transaction.
CREATE OR REPLACE FUNCTION projection.baseline_next(
  leader text, partition text, events_limit bigint, OUT after bigint, OUT upto bigint)
LANGUAGE plpgsql AS $$
DECLARE
  month record;
  held  record;
BEGIN
  PERFORM lock.shared('background');
  PERFORM lock.exclusive('baseline');
  PERFORM lock.shared('still');
  SELECT from_at, to_at INTO STRICT month FROM log.dropped_partition WHERE name = partition AND dropped_at IS NULL;
  INSERT INTO baseline.checkpoint (name) VALUES (leader) ON CONFLICT DO NOTHING;
  SELECT * INTO held FROM baseline.checkpoint WHERE name = leader;
  IF held.floor >= month.to_at THEN
    RETURN;
  END IF;
  after := CASE WHEN held.next_floor = month.to_at THEN held.position ELSE 0 END;
  EXECUTE 'SELECT coalesce(max(position), $1) FROM (SELECT position FROM log.event '
    'WHERE received_at >= $3 AND received_at < $4 AND position > $1 ORDER BY position LIMIT $2) p'
  INTO upto USING after, events_limit, month.from_at, month.to_at;
END $$;

-- Writes down that a group's baseline holds that batch; the last batch of a partition is empty.
CREATE OR REPLACE FUNCTION projection.baseline_move(leader text, partition text, after bigint, upto bigint) RETURNS void
LANGUAGE sql AS $$
  UPDATE baseline.checkpoint c
  SET floor = CASE WHEN after = upto THEN p.to_at ELSE c.floor END, next_floor = p.to_at,
    position = CASE WHEN after = upto THEN 0 ELSE upto END
  FROM log.dropped_partition p
  WHERE c.name = leader AND p.name = partition
$$;
