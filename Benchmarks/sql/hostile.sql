-- Gives each notification of the log a category and a campaign of its own, which all its events name, where they named one before:
-- as clients do that make names up.
UPDATE log.event
SET data = data || jsonb_strip_nulls(jsonb_build_object(
  'category_id', CASE WHEN data ? 'category_id' THEN 'category-' || name END,
  'campaign_id', CASE WHEN data ? 'campaign_id' THEN 'campaign-' || name END))
FROM (SELECT position AS at, md5(device_id || ' ' || notification_id) AS name FROM log.event WHERE notification_id IS NOT NULL) named
WHERE position = at AND (data ? 'category_id' OR data ? 'campaign_id');
VACUUM (FULL, ANALYZE) log.event;
