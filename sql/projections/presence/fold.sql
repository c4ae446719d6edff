-- projection: presence
-- with: notification
-- after: notification

-- What is stored around days of presence, each under its number: the row of the day, the last day before it that has a row,
-- the next that has one.
CREATE OR REPLACE FUNCTION presence_around(apps integer[], devices text[], categories text[], whats text[], days timestamptz[])
RETURNS TABLE (ordinal integer, notifications integer, previous_day timestamptz, before_day timestamptz, next_day timestamptz,
  next_notifications integer, next_previous_day timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT k.ordinal, own.notifications, own.previous_day,
    CASE WHEN own.day IS NULL THEN before.day ELSE nullif(own.previous_day, '-infinity') END,
    next.day, next.notifications, next.previous_day
  FROM (
    SELECT generate_series(1, cardinality(apps)) AS ordinal, unnest(apps) AS app, unnest(devices) AS device,
      unnest(categories) AS category, unnest(whats) AS what, unnest(days) AS day
  ) k
  LEFT JOIN LATERAL (
    SELECT p.day, p.notifications, p.previous_day FROM presence p
    WHERE (p.app_id, p.device_id, p.category, p.what, p.day) = (k.app, k.device, k.category, k.what, k.day)
    OFFSET 0
  ) own ON true
  LEFT JOIN LATERAL (   -- the row of the day, where there is one, has the day before it
    SELECT p.day FROM presence p
    WHERE own.day IS NULL
      AND (p.app_id, p.device_id, p.category, p.what) = (k.app, k.device, k.category, k.what) AND p.day < k.day
    ORDER BY p.app_id DESC, p.device_id DESC, p.category DESC, p.what DESC, p.day DESC
    LIMIT 1
  ) before ON true
  LEFT JOIN LATERAL (
    SELECT p.day, p.notifications, p.previous_day FROM presence p
    WHERE (p.app_id, p.device_id, p.category, p.what) = (k.app, k.device, k.category, k.what) AND p.day > k.day
    ORDER BY p.app_id, p.device_id, p.category, p.what, p.day
    LIMIT 1
  ) next ON true
$$;
