WITH device AS (
  SELECT device_id, argMaxIf(e.authorization_status, effective_at, effective_at < {from:DateTime64(6, 'UTC')}) AS before,
    argMax(e.authorization_status, effective_at) AS state
  FROM event e
  WHERE kind = 'settings' AND effective_at < {to:DateTime64(6, 'UTC')}
  GROUP BY device_id
), gone AS (
  SELECT before AS state, count() AS number FROM device WHERE before IS NOT NULL AND before <> state GROUP BY before
)
SELECT d.state AS state, count() AS devices, countIf(d.before IS NULL) AS appeared,
  countIf(d.before <> d.state) AS entered, coalesce(any(g.number), 0) AS left
FROM device d
LEFT JOIN gone g ON g.state = d.state
GROUP BY d.state;
