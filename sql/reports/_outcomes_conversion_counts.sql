-- When an app first had conversions of a name: for the first `limit` names of conversions in a stretch of time, or for
-- `conversions` where they are given. `app_open` is one of the names. It is when this database had the first.
CREATE OR REPLACE FUNCTION reporting.outcomes_conversion_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, filters jsonb, "limit" integer, conversions text[], as_of timestamptz)
RETURNS TABLE (conversion text, began_at timestamptz)
LANGUAGE sql STABLE ROWS 100 SET jit = off AS $$
  SELECT *
  FROM (
    SELECT n.name, least(
      (SELECT min(c.at) FROM projection.conversion c WHERE c.app_id = app_number AND c.name = n.name),
      (SELECT min(o.at) FROM projection.app_open o WHERE o.app_id = app_number AND n.name = 'app_open')) AS began_at
    FROM (
      (SELECT n.name
      FROM (   -- OFFSET keeps it to the first names that are looked up
        SELECT DISTINCT c.name
        FROM projection.conversion c
        WHERE conversions IS NULL AND c.app_id = app_number AND c.at >= from_at AND c.at < to_at AND c.at <= as_of
        ORDER BY c.name
        OFFSET 0
      ) n
      WHERE reporting.matches(n.name, filters, 'conversion') AND EXISTS (   -- each order counts once, as the first
        SELECT
        FROM projection.conversion c
        WHERE c.app_id = app_number AND c.name = n.name AND c.at >= from_at AND c.at < to_at AND c.at <= as_of
          AND (c.order_id IS NULL OR NOT EXISTS (
            SELECT FROM projection.conversion f
            WHERE (f.app_id, f.device_id, f.name, f.order_id) = (app_number, c.device_id, c.name, c.order_id)
              AND (f.at, f.id) < (c.at, c.id)))
        OFFSET 0)
      ORDER BY n.name
      LIMIT "limit")
      UNION
      SELECT unnest(coalesce(conversions, '{app_open}'))
    ) n
  ) n
  WHERE began_at IS NOT NULL
$$;
