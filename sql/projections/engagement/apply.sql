-- projection: engagement
-- with: notification
-- after: notification

-- Upper bounds of the latency buckets in microseconds: no two neighbours further apart than a tenth, and the windows
-- that reports answer exactly (1 h, 6 h, 1, 3, 7 and 30 days) are bounds. Bucket n holds bounds[n] < latency <= bounds[n + 1].
CREATE OR REPLACE FUNCTION latency_bounds() RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  WITH segment (low, high) AS (
    VALUES (1e5, 3600e6), (3600e6, 21600e6), (21600e6, 86400e6), (86400e6, 259200e6), (259200e6, 604800e6),
      (604800e6, 2592000e6), (2592000e6, 34560000e6)
  ), step AS (
    SELECT low, high, ceil(ln(high / low) / ln(1.1))::integer AS steps FROM segment
  )
  SELECT array_agg(bound ORDER BY bound)
  FROM (
    SELECT 100000::bigint AS bound
    UNION
    SELECT round(low * power(high / low, n::numeric / steps))::bigint FROM step, generate_series(1, steps) AS n
  ) bounds
$$;

-- The bucket that a latency lies in.
CREATE OR REPLACE FUNCTION latency_bucket(from_at timestamptz, to_at timestamptz) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT width_bucket((extract(epoch FROM greatest(to_at - from_at, '0')) * 1000000)::bigint - 1, latency_bounds())
$$;

CREATE OR REPLACE FUNCTION engagement_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off AS $$
BEGIN
  IF to_regclass('pg_temp.engagement_batch') IS NULL THEN
    CREATE TEMP TABLE engagement_batch ON COMMIT DELETE ROWS AS TABLE engagement WITH NO DATA;
    CREATE TEMP TABLE engagement_latency_batch ON COMMIT DELETE ROWS AS TABLE engagement_latency WITH NO DATA;
  END IF;
  IF EXISTS (SELECT FROM engagement_batch) THEN
    TRUNCATE engagement_batch, engagement_latency_batch;
  END IF;

  INSERT INTO engagement_batch
  SELECT app_id, CASE
      WHEN GROUPING(requested_category) = 0 THEN 'requested_category'
      WHEN GROUPING(trigger) = 0 THEN 'trigger'
      WHEN GROUPING(interruption_level) = 0 THEN 'interruption_level'
      WHEN GROUPING(campaign) = 0 THEN 'campaign'
      WHEN GROUPING(variant) = 0 THEN 'variant'
      WHEN GROUPING(platform) = 0 THEN 'platform'
      WHEN GROUPING(os_version) = 0 THEN 'os_version'
      WHEN GROUPING(app_version) = 0 THEN 'app_version'
      WHEN GROUPING(locale) = 0 THEN 'locale'
      ELSE ''
    END, CASE WHEN GROUPING(quarter_hour) = 0 THEN 'quarter_hour' ELSE 'day' END,
    coalesce(quarter_hour, day), coalesce(category, ''),
    coalesce(requested_category, trigger, interruption_level, campaign, variant, platform, os_version, app_version, locale, ''),
    sum(notifications), sum(requested), sum(failed), sum(reached), sum(reached_seen), sum(reached_assumed),
    sum(delivered), sum(presented), sum(suppressed), sum(silent), sum(responded), sum(opened), sum(acted),
    sum(replied), sum(app_opened), sum(dismissed), sum(withdrawn), sum(response_only), sum(delivered_seen),
    sum(presented_seen), sum(dismiss_observable), sum(dismiss_observed), sum(delivery_observable),
    sum(delivery_observed), sum(updates), sum(duplicate_callbacks)
  FROM (
    -- First what differs in nothing, once: then each row is added up in eleven ways that stands for many. As integers,
    -- which add up as bigint; bigint would as numeric.
    SELECT app_id, category, date_bin('15 minutes', cohort_at, 'epoch') AS quarter_hour,
      date_bin('1 day', cohort_at, 'epoch') AS day,
      requested_category, trigger, interruption_level, campaign, variant, platform, os_version, app_version, locale,
      sum(sign)::integer AS notifications,
      coalesce(sum(sign) FILTER (WHERE requested), 0)::integer AS requested,
      coalesce(sum(sign) FILTER (WHERE failed), 0)::integer AS failed,
      coalesce(sum(sign) FILTER (WHERE reached_seen OR reached_assumed), 0)::integer AS reached,
      coalesce(sum(sign) FILTER (WHERE reached_seen), 0)::integer AS reached_seen,
      coalesce(sum(sign) FILTER (WHERE reached_assumed), 0)::integer AS reached_assumed,
      coalesce(sum(sign) FILTER (WHERE delivered), 0)::integer AS delivered,
      coalesce(sum(sign) FILTER (WHERE presented), 0)::integer AS presented,
      coalesce(sum(sign) FILTER (WHERE suppressed), 0)::integer AS suppressed,
      coalesce(sum(sign) FILTER (WHERE silent), 0)::integer AS silent,
      coalesce(sum(sign) FILTER (WHERE responded), 0)::integer AS responded,
      coalesce(sum(sign) FILTER (WHERE opened), 0)::integer AS opened,
      coalesce(sum(sign) FILTER (WHERE acted), 0)::integer AS acted,
      coalesce(sum(sign) FILTER (WHERE replied), 0)::integer AS replied,
      coalesce(sum(sign) FILTER (WHERE app_opened), 0)::integer AS app_opened,
      coalesce(sum(sign) FILTER (WHERE dismissed), 0)::integer AS dismissed,
      coalesce(sum(sign) FILTER (WHERE withdrawn), 0)::integer AS withdrawn,
      coalesce(sum(sign) FILTER (WHERE response_only), 0)::integer AS response_only,
      coalesce(sum(sign) FILTER (WHERE delivery_at IS NOT NULL), 0)::integer AS delivered_seen,
      coalesce(sum(sign) FILTER (WHERE showed), 0)::integer AS presented_seen,
      coalesce(sum(sign) FILTER (WHERE dismiss_observable), 0)::integer AS dismiss_observable,
      coalesce(sum(sign) FILTER (WHERE dismiss_observable AND dismissed), 0)::integer AS dismiss_observed,
      coalesce(sum(sign) FILTER (WHERE delivery_observable), 0)::integer AS delivery_observable,
      coalesce(sum(sign) FILTER (WHERE delivery_observable AND delivered), 0)::integer AS delivery_observed,
      sum(sign * greatest(requests - 1, 0))::integer AS updates, sum(sign * duplicate_callbacks)::integer AS duplicate_callbacks
    FROM notification_change
    WHERE cohort_at IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
  ) c
  GROUP BY app_id, category, GROUPING SETS (
      (quarter_hour), (day),
      (day, requested_category), (day, trigger), (day, interruption_level), (day, campaign), (day, variant),
      (day, platform), (day, os_version), (day, app_version), (day, locale)
    );

  INSERT INTO engagement AS e
  TABLE engagement_batch
  ON CONFLICT (app_id, dimension, grain, bucket, category, value) DO UPDATE SET
    notifications = e.notifications + excluded.notifications,
    requested = e.requested + excluded.requested,
    failed = e.failed + excluded.failed,
    reached = e.reached + excluded.reached,
    reached_seen = e.reached_seen + excluded.reached_seen,
    reached_assumed = e.reached_assumed + excluded.reached_assumed,
    delivered = e.delivered + excluded.delivered,
    presented = e.presented + excluded.presented,
    suppressed = e.suppressed + excluded.suppressed,
    silent = e.silent + excluded.silent,
    responded = e.responded + excluded.responded,
    opened = e.opened + excluded.opened,
    acted = e.acted + excluded.acted,
    replied = e.replied + excluded.replied,
    app_opened = e.app_opened + excluded.app_opened,
    dismissed = e.dismissed + excluded.dismissed,
    withdrawn = e.withdrawn + excluded.withdrawn,
    response_only = e.response_only + excluded.response_only,
    delivered_seen = e.delivered_seen + excluded.delivered_seen,
    presented_seen = e.presented_seen + excluded.presented_seen,
    dismiss_observable = e.dismiss_observable + excluded.dismiss_observable,
    dismiss_observed = e.dismiss_observed + excluded.dismiss_observed,
    delivery_observable = e.delivery_observable + excluded.delivery_observable,
    delivery_observed = e.delivery_observed + excluded.delivery_observed,
    updates = e.updates + excluded.updates,
    duplicate_callbacks = e.duplicate_callbacks + excluded.duplicate_callbacks;

  -- By CASE, here and wherever a batch brings rows to zero: the planner makes no estimate of that. Of `= 0` it believes in one
  -- row, begins with it, and goes through the whole batch for each that there is.
  DELETE FROM engagement e
  USING engagement_batch b
  WHERE CASE e.notifications WHEN 0 THEN true END
    AND (e.app_id, e.dimension, e.grain, e.bucket, e.category, e.value)
      = (b.app_id, b.dimension, b.grain, b.bucket, b.category, b.value);

  INSERT INTO engagement_latency_batch
  SELECT app_id, CASE
      WHEN GROUPING(requested_category) = 0 THEN 'requested_category'
      WHEN GROUPING(trigger) = 0 THEN 'trigger'
      WHEN GROUPING(interruption_level) = 0 THEN 'interruption_level'
      WHEN GROUPING(campaign) = 0 THEN 'campaign'
      WHEN GROUPING(variant) = 0 THEN 'variant'
      WHEN GROUPING(platform) = 0 THEN 'platform'
      WHEN GROUPING(os_version) = 0 THEN 'os_version'
      WHEN GROUPING(app_version) = 0 THEN 'app_version'
      WHEN GROUPING(locale) = 0 THEN 'locale'
      ELSE ''
    END, CASE WHEN GROUPING(quarter_hour) = 0 THEN 'quarter_hour' ELSE 'day' END,
    coalesce(quarter_hour, day), coalesce(category, ''),
    coalesce(requested_category, trigger, interruption_level, campaign, variant, platform, os_version, app_version, locale, ''),
    outcome, app_opened, reached, timed, latency, sum(sign)
  FROM (
    SELECT sign, app_id, category, date_bin('15 minutes', cohort_at, 'epoch') AS quarter_hour,
      date_bin('1 day', cohort_at, 'epoch') AS day,
      requested_category, trigger, interruption_level, campaign, variant, platform, os_version, app_version, locale,
      ended.outcome, ended.app_opened, reached_seen OR reached_assumed AS reached, shown_at IS NOT NULL AS timed,
      latency_bucket(coalesce(shown_at, cohort_at), ended.at) AS latency
    FROM notification_change n
    CROSS JOIN LATERAL (
      VALUES (CASE WHEN opened THEN 'opened' WHEN acted THEN 'acted' ELSE 'replied' END, n.app_opened, responded_at,
        responded AND NOT response_only),
      ('dismissed', false, dismissed_at, dismissed AND dismiss_observable)
    ) AS ended (outcome, app_opened, at, is_so)
    WHERE cohort_at IS NOT NULL AND (responded OR dismissed) AND ended.is_so
  ) c
  GROUP BY app_id, category, outcome, app_opened, reached, timed, latency, GROUPING SETS (
      (quarter_hour), (day),
      (day, requested_category), (day, trigger), (day, interruption_level), (day, campaign), (day, variant),
      (day, platform), (day, os_version), (day, app_version), (day, locale)
    )
  HAVING sum(sign) <> 0;

  INSERT INTO engagement_latency AS e
  TABLE engagement_latency_batch
  ON CONFLICT (app_id, dimension, grain, bucket, category, value, outcome, app_opened, reached, timed, latency)
  DO UPDATE SET responses = e.responses + excluded.responses;

  DELETE FROM engagement_latency e
  USING engagement_latency_batch b
  WHERE CASE e.responses WHEN 0 THEN true END
    AND (e.app_id, e.dimension, e.grain, e.bucket, e.category, e.value, e.outcome, e.app_opened, e.reached, e.timed, e.latency)
      = (b.app_id, b.dimension, b.grain, b.bucket, b.category, b.value, b.outcome, b.app_opened, b.reached, b.timed, b.latency);
END $$;
