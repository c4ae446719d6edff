-- key: provider, status, reason
-- same: results
SELECT provider, status, reason, count(*) AS results, min(at) AS first_at, max(at) AS last_at
FROM event
WHERE kind = 'push_result' AND at >= $from::TIMESTAMPTZ AND at < $to::TIMESTAMPTZ
GROUP BY ALL;
