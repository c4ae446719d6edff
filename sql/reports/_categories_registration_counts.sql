-- The newest registration of some categories by each app version: what the report categories reads of their buttons.
--
-- `app_version` is '' where it is unknown, `first_at` the time of the version's first registration. `device_id` and `id` only say which
-- of two registrations of the same time is newer.
CREATE OR REPLACE FUNCTION reporting.categories_registration_counts(app_number integer, categories text[])
RETURNS TABLE (
  category text, app_version text, first_at timestamptz, registered_at timestamptz, device_id text, id uuid, custom_dismiss boolean,
  actions jsonb)
LANGUAGE sql STABLE AS $$
  -- Without settings of its own, so that the planner makes it part of the query.
  SELECT c.category_id, c.app_version, c.first_at, c.registered_at, c.device_id, c.id, c.custom_dismiss,
    coalesce(c.definition->'actions', '[]')
  FROM projection.category c
  WHERE c.app_id = app_number AND c.category_id IN (SELECT unnest(categories))
$$;
