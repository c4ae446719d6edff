-- Records why the last batch of a lane failed, for `notilog projections list`.
CREATE OR REPLACE FUNCTION projection.note_failure(leader text, lane smallint, failure text) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO projection.checkpoint (name, lane, failure) VALUES (note_failure.leader, note_failure.lane, note_failure.failure)
  ON CONFLICT (name, lane) DO UPDATE SET failure = excluded.failure
$$;
