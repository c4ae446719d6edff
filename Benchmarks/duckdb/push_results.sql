-- key: provider, status, reason
-- same: results
SELECT provider, status, reason, count(*) AS results, epoch_us(min(effective_at)) AS first_at, epoch_us(max(effective_at)) AS last_at
FROM event
WHERE kind = 'push_result' AND effective_at >= $from::TIMESTAMPTZ AND effective_at < $to::TIMESTAMPTZ
GROUP BY ALL;
