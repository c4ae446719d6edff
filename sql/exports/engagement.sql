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
    e.notifications, e.requested, e.failed, e.reached, e.reached_seen, e.reached_assumed, e.delivered, e.presented,
    e.suppressed, e.silent, e.responded, e.opened, e.acted, e.replied, e.app_opened, e.dismissed, e.withdrawn,
    e.response_only, e.delivered_seen, e.presented_seen, e.dismiss_observable, e.dismiss_observed,
    e.delivery_observable, e.delivery_observed, e.updates, e.duplicate_callbacks
  FROM projection.engagement e
  WHERE e.app_id = app
$$;
SELECT export.declare('engagement', '{dimension,grain,bucket,category,value}', '{notification}', zeros => true);
