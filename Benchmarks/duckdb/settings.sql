-- key: state
-- same: devices, appeared, entered, left
WITH device AS (
  SELECT device_id, arg_max(authorization_status, effective_at) FILTER (effective_at < $from::TIMESTAMPTZ) AS before,
    arg_max(authorization_status, effective_at) AS state
  FROM event
  WHERE kind = 'settings' AND effective_at < $to::TIMESTAMPTZ
  GROUP BY device_id
), gone AS (
  SELECT before AS state, count(*) AS "left" FROM device WHERE before IS NOT NULL AND before <> state GROUP BY before
)
SELECT state, count(*) AS devices, count(*) FILTER (before IS NULL) AS appeared,
  count(*) FILTER (before <> state) AS entered, coalesce(any_value(gone."left"), 0) AS "left"
FROM device
LEFT JOIN gone USING (state)
GROUP BY state;
