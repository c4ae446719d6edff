-- projection: notification_ending
-- fold: 1

-- What a claim says: it follows a stage, the time and the id of an event, in which claims are ordered.
-- Stable, as convert_from is: claimed to be more, it would be called and not taken into the query around it.
CREATE OR REPLACE FUNCTION claimed(claim bytea) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT convert_from(substr(claim, 26), 'UTF8') $$;

-- The events of a batch that may say how a notification ended.
CREATE OR REPLACE FUNCTION ending_events(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM projection.batch(after, upto) e
  WHERE e.notification_id IS NOT NULL AND e.device_id <> ''
    AND CASE e.kind
      WHEN 'push_result' THEN e.data->>'status' IS DISTINCT FROM '200'
      WHEN 'request' THEN e.data_text LIKE '%"error"%' AND e.data ? 'error'   -- few have the word, so few are parsed
      WHEN 'removal' THEN e.data->>'state' = 'delivered'
    END
$$;
