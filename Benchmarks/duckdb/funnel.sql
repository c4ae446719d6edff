-- key: stage
-- same: notifications
WITH counted AS (
  SELECT count(*) FILTER (requested OR NOT failed) AS requested,
    count(*) FILTER (NOT failed AND (delivered OR accepted OR NOT is_push)) AS accepted, count(*) FILTER (reached) AS reached,
    count(*) FILTER (reached AND delivered) AS delivered, count(*) FILTER (reached AND presented) AS presented,
    count(*) FILTER (reached AND responded) AS responded
  FROM (SELECT * REPLACE (reached OR (reach_unknown AND delivered) AS reached) FROM reach)
  WHERE cohort_at >= $from::TIMESTAMPTZ AND cohort_at < $to::TIMESTAMPTZ AND requested_at IS NOT NULL
)
UNPIVOT counted ON requested, accepted, reached, delivered, presented, responded INTO NAME stage VALUE notifications;
