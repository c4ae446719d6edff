-- key: options, app_version
-- same: asked, devices, granted, denied, failed
SELECT asked AS options, app_version, count(*) AS asked, count(DISTINCT device_id) AS devices,
  count(*) FILTER (granted AND error IS NULL) AS granted, count(*) FILTER (NOT granted AND error IS NULL) AS denied,
  count(*) FILTER (error IS NOT NULL) AS failed
FROM event
WHERE kind = 'authorization_request' AND effective_at >= $from::TIMESTAMPTZ AND effective_at < $to::TIMESTAMPTZ
GROUP BY event.asked, app_version;
