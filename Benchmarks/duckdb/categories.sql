-- key: category
-- same: notifications, reached, responded
SELECT category, count(*) AS notifications, count(*) FILTER (reached) AS reached, count(*) FILTER (responded AND reached) AS responded
FROM reach
WHERE cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ
GROUP BY category;
