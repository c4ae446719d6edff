-- The SQL expression of a dimension in a row `n` of notification, '' for null. A setting in force is unpacked, and looked up where
-- the table does not have it yet. One of the app's own is the value of its key, null until the table has them.
CREATE OR REPLACE FUNCTION reporting.dimension("name" text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT format('(%L::text[])[1 + ((%s >> %s) & %s)]', s.words, reporting.packed_settings(), s.shift, s.mask)
    FROM reporting.settings_in_force() s WHERE s.name = dimension."name"),
    CASE WHEN "name" LIKE 'attribute.%' AND NOT reporting.has_column('projection.notification', 'attributes') THEN '''''::text'
      WHEN "name" LIKE 'attribute.%' THEN format('coalesce(n.attributes->>%L, '''')', substr("name", 11)) END, format('coalesce(n.%I, '''')', "name"))
$$;

-- The SQL expression of the packed settings in force of a row `n` of notification.
CREATE OR REPLACE FUNCTION reporting.packed_settings() RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN reporting.has_column('projection.notification', 'settings') THEN 'n.settings'
    ELSE 'reporting.settings_at(n.app_id, n.device_id, n.cohort_at)' END
$$;
