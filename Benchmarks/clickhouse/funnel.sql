SELECT stages.1 AS stage, stages.2 AS notifications
FROM (
  SELECT [
    ('requested', countIf(requested OR NOT failed)),
    ('accepted', countIf(NOT failed AND (delivered OR accepted OR NOT is_push))),
    ('reached', countIf(reached)), ('delivered', countIf(reached AND delivered)), ('presented', countIf(reached AND presented)),
    ('responded', countIf(reached AND responded))] AS counted
  FROM (SELECT * REPLACE (reached OR (reach_unknown AND delivered) AS reached) FROM reach)
  WHERE cohort_at >= {from:DateTime64(6, 'UTC')} AND cohort_at < {to:DateTime64(6, 'UTC')} AND requested_at IS NOT NULL
)
ARRAY JOIN counted AS stages;
