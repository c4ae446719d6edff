-- Pauses all lanes of a group in the version in use, or resumes them.
CREATE OR REPLACE FUNCTION projection.set_paused(leader text, paused boolean) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO projection.checkpoint (name, lane, paused)
  SELECT set_paused.leader, n, set_paused.paused
  FROM projection.lanes('projection', set_paused.leader) l, generate_series(0, l.lanes - 1) AS n
  ON CONFLICT (name, lane) DO UPDATE SET paused = excluded.paused
$$;
