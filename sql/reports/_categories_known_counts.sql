-- Categories that were registered before `to_at`, and when they first were: what the report categories knows without notifications.
CREATE OR REPLACE FUNCTION reporting.categories_known_counts(app_number integer, to_at timestamptz, filters jsonb)
RETURNS TABLE (category text, first_at timestamptz)
LANGUAGE sql STABLE AS $$
  -- Without settings of its own, so that the planner makes it part of the query.
  SELECT c.category_id, min(c.first_at)
  FROM projection.category c
  WHERE c.app_id = app_number AND c.first_at < to_at AND reporting.matches(c.category_id, filters, 'category')
  GROUP BY 1
$$;
