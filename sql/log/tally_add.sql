-- Adds counts of what was not stored: one of each row's app, quarter of an hour, kind and outcome. Given in one order
-- everywhere, or two that add could wait for each other.
CREATE OR REPLACE FUNCTION log.tally_add(
  app_ids integer[], received_ats timestamptz[], kinds text[], outcomes text[], counts bigint[]) RETURNS void
LANGUAGE sql VOLATILE AS $$
  INSERT INTO log.tally AS t (app_id, received_at, kind, outcome, events)
  SELECT * FROM unnest(app_ids, received_ats, kinds, outcomes, counts)
  ON CONFLICT (app_id, received_at, kind, outcome) DO UPDATE SET events = t.events + excluded.events
$$;
