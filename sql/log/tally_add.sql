-- Adds counts of items that were not stored, by app, quarter of an hour, kind and outcome. All callers use one order, which
-- prevents deadlocks.
CREATE OR REPLACE FUNCTION log.tally_add(
  app_ids integer[], received_ats timestamptz[], kinds text[], outcomes text[], counts bigint[]) RETURNS void
LANGUAGE sql VOLATILE AS $$
  INSERT INTO log.tally AS t (app_id, received_at, kind, outcome, events)
  SELECT * FROM unnest(app_ids, received_ats, kinds, outcomes, counts)
  ON CONFLICT (app_id, received_at, kind, outcome) DO UPDATE SET events = t.events + excluded.events
$$;
