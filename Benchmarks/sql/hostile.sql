-- Gives each notification of the log a category and a campaign of its own, which all its events name, where they named one before:
-- as clients do that make names up.
UPDATE log.event
SET data = data || jsonb_strip_nulls(jsonb_build_object(
    'category_id', CASE WHEN data ? 'category_id' THEN 'category-' || name END,
    'campaign_id', CASE WHEN data ? 'campaign_id' THEN 'campaign-' || name END)),
  data_text = regexp_replace(regexp_replace(data_text, '"category_id":"[^"]*"', '"category_id":"category-' || name || '"'),
    '"campaign_id":"[^"]*"', '"campaign_id":"campaign-' || name || '"')
FROM (SELECT position AS at, md5(device_id || ' ' || notification_id) AS name FROM log.event WHERE notification_id IS NOT NULL) named
WHERE position = at AND (data ?| '{category_id,campaign_id}' OR data_text ~ '"(category|campaign)_id":');
VACUUM (FULL, ANALYZE) log.event;
