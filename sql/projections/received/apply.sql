-- projection: received

CREATE OR REPLACE FUNCTION received_apply(after bigint, upto bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO received AS r
  SELECT app_id, date_bin('15 minutes', received_at, 'epoch') AS bucket, kind, count(*),
    count(*) FILTER (WHERE time_clamped), min(position), max(position)
  FROM projection.batch(after, upto)
  GROUP BY 1, 2, 3
  ON CONFLICT (app_id, bucket, kind) DO UPDATE SET
    events = r.events + excluded.events,
    clamped = r.clamped + excluded.clamped,
    first_position = least(r.first_position, excluded.first_position),
    last_position = greatest(r.last_position, excluded.last_position)
$$;
