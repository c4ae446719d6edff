-- projection: conversion
-- fold: 1

-- The events of a batch that the group is made of.
CREATE OR REPLACE FUNCTION outcome_events(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE sql STABLE AS $$
  SELECT e.*
  FROM projection.batch(after, upto) e
  WHERE e.device_id <> ''
    AND (e.kind IN ('conversion', 'app_open', 'holdout', 'permission_prompt', 'live_activity')
      OR (e.kind = 'request' AND e.notification_id IS NOT NULL
        AND e.data_text LIKE '%liveactivity%' AND e.data#>>'{push,push_type}' = 'liveactivity'))
$$;
