-- The engagement rollup: notifications counted by cohort and category, and by day, category and one more dimension. Add up
-- rows of one dimension and one grain only.
--
--   change, row_id, tombstone   as in notifications.sql; a bucket that became empty has zeros, and never a tombstone
--   dimension              '' for category alone, else requested_category, trigger, interruption_level, campaign, variant,
--                          platform, os_version, app_version or locale
--   grain                  quarter_hour or day; dimensions other than '' by day only
--   bucket                 its start
--   category, value        of category and dimension; '' if a notification carried none
--   notifications …        counts, see docs/semantics.md
CREATE OR REPLACE FUNCTION export.engagement(app integer)
RETURNS TABLE (app_id integer, dimension text, grain text, bucket timestamptz, category text, value text,
  notifications bigint, requested bigint, failed bigint, reached bigint, reached_seen bigint, reached_assumed bigint,
  delivered bigint, presented bigint, suppressed bigint, silent bigint, responded bigint, opened bigint, acted bigint,
  replied bigint, app_opened bigint, dismissed bigint, withdrawn bigint, response_only bigint, delivered_seen bigint,
  presented_seen bigint, dismiss_observable bigint, dismiss_observed bigint, delivery_observable bigint,
  delivery_observed bigint, updates bigint, duplicate_callbacks bigint)
LANGUAGE sql STABLE AS $$
  SELECT e.app_id, e.dimension, e.grain, e.bucket, e.category, e.value,
    sum(e.notifications)::bigint, sum(e.requested)::bigint, sum(e.failed)::bigint, sum(e.reached)::bigint,
    sum(e.reached_seen)::bigint, sum(e.reached_assumed)::bigint, sum(e.delivered)::bigint, sum(e.presented)::bigint,
    sum(e.suppressed)::bigint, sum(e.silent)::bigint, sum(e.responded)::bigint, sum(e.opened)::bigint, sum(e.acted)::bigint,
    sum(e.replied)::bigint, sum(e.app_opened)::bigint, sum(e.dismissed)::bigint, sum(e.withdrawn)::bigint,
    sum(e.response_only)::bigint, sum(e.delivered_seen)::bigint, sum(e.presented_seen)::bigint,
    sum(e.dismiss_observable)::bigint, sum(e.dismiss_observed)::bigint, sum(e.delivery_observable)::bigint,
    sum(e.delivery_observed)::bigint, sum(e.updates)::bigint, sum(e.duplicate_callbacks)::bigint
  FROM projection.engagement e
  WHERE e.app_id = app
  GROUP BY e.app_id, e.dimension, e.grain, e.bucket, e.category, e.value   -- of all lanes
$$;
SELECT export.declare('engagement', '{dimension,grain,bucket,category,value}', '{notification}', zeros => true);
