SELECT provider, status, reason, count() AS results, toUnixTimestamp64Micro(min(effective_at)) AS first_at,
  toUnixTimestamp64Micro(max(effective_at)) AS last_at
FROM event
WHERE kind = 'push_result' AND effective_at >= {from:DateTime64(6, 'UTC')} AND effective_at < {to:DateTime64(6, 'UTC')}
GROUP BY provider, status, reason;
