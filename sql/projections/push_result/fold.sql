-- projection: push_result
-- fold: 1

-- The events of a batch that the group is made of.
CREATE OR REPLACE FUNCTION push_result_events(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM projection.batch(after, upto) e
  WHERE e.kind IN ('push_result', 'authorization_request', 'open_settings', 'removal')
    OR (e.kind = 'delivery' AND e.data_text LIKE '%service_extension%')   -- the fold looks where it is said
$$;
