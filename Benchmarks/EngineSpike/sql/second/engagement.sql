-- As today, but that what changed comes as an array, stages as bits, and that both rollups go over it once.
CREATE FUNCTION engagement_apply(after bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  changes notification_counted[];
  counted engagement[];
  latencies engagement_latency[];
BEGIN
  SELECT c.changes INTO changes FROM change c;
  IF changes IS NULL THEN
    RETURN;
  END IF;

  SELECT array_agg(x::engagement) INTO counted FROM (
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
      coalesce(sum(sign) FILTER (WHERE stages & 1 <> 0), 0)::integer AS requested,
      coalesce(sum(sign) FILTER (WHERE stages & 2 <> 0), 0)::integer AS failed,
      coalesce(sum(sign) FILTER (WHERE stages & 1024 <> 0 OR stages & 2048 <> 0), 0)::integer AS reached,
      coalesce(sum(sign) FILTER (WHERE stages & 1024 <> 0), 0)::integer AS reached_seen,
      coalesce(sum(sign) FILTER (WHERE stages & 2048 <> 0), 0)::integer AS reached_assumed,
      coalesce(sum(sign) FILTER (WHERE stages & 4 <> 0), 0)::integer AS delivered,
      coalesce(sum(sign) FILTER (WHERE stages & 8 <> 0), 0)::integer AS presented,
      coalesce(sum(sign) FILTER (WHERE stages & 16 <> 0), 0)::integer AS suppressed,
      coalesce(sum(sign) FILTER (WHERE stages & 32 <> 0), 0)::integer AS silent,
      coalesce(sum(sign) FILTER (WHERE stages & 64 <> 0), 0)::integer AS responded,
      coalesce(sum(sign) FILTER (WHERE stages & 8192 <> 0), 0)::integer AS opened,
      coalesce(sum(sign) FILTER (WHERE stages & 16384 <> 0), 0)::integer AS acted,
      coalesce(sum(sign) FILTER (WHERE stages & 32768 <> 0), 0)::integer AS replied,
      coalesce(sum(sign) FILTER (WHERE stages & 65536 <> 0), 0)::integer AS app_opened,
      coalesce(sum(sign) FILTER (WHERE stages & 128 <> 0), 0)::integer AS dismissed,
      coalesce(sum(sign) FILTER (WHERE stages & 256 <> 0), 0)::integer AS withdrawn,
      coalesce(sum(sign) FILTER (WHERE stages & 512 <> 0), 0)::integer AS response_only,
      coalesce(sum(sign) FILTER (WHERE delivered_seen), 0)::integer AS delivered_seen,
      coalesce(sum(sign) FILTER (WHERE presented_seen), 0)::integer AS presented_seen,
      coalesce(sum(sign) FILTER (WHERE stages & 131072 <> 0), 0)::integer AS dismiss_observable,
      coalesce(sum(sign) FILTER (WHERE stages & 131072 <> 0 AND stages & 128 <> 0), 0)::integer AS dismiss_observed,
      coalesce(sum(sign) FILTER (WHERE stages & 262144 <> 0), 0)::integer AS delivery_observable,
      coalesce(sum(sign) FILTER (WHERE stages & 262144 <> 0 AND stages & 4 <> 0), 0)::integer AS delivery_observed,
      sum(sign * greatest(requests - 1, 0))::integer AS updates, sum(sign * duplicate_callbacks)::integer AS duplicate_callbacks
    FROM unnest(changes)
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
  ) c
  GROUP BY app_id, category, GROUPING SETS (
      (quarter_hour), (day),
      (day, requested_category), (day, trigger), (day, interruption_level), (day, campaign), (day, variant),
      (day, platform), (day, os_version), (day, app_version), (day, locale)
    )
  ) x;

  INSERT INTO engagement AS e
  SELECT * FROM unnest(counted)
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
  USING unnest(counted) b
  WHERE b.notifications < 0 AND CASE e.notifications WHEN 0 THEN true END
    AND (e.app_id, e.dimension, e.grain, e.bucket, e.category, e.value)
      = (b.app_id, b.dimension, b.grain, b.bucket, b.category, b.value);

  SELECT array_agg(x::engagement_latency) INTO latencies FROM (
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
    FROM (SELECT *, stages & 1 <> 0 AS requested, stages & 2 <> 0 AS failed, stages & 4 <> 0 AS delivered, stages & 8 <> 0 AS presented, stages & 16 <> 0 AS suppressed, stages & 32 <> 0 AS silent, stages & 64 <> 0 AS responded, stages & 128 <> 0 AS dismissed, stages & 256 <> 0 AS withdrawn, stages & 512 <> 0 AS response_only, stages & 1024 <> 0 AS reached_seen, stages & 2048 <> 0 AS reached_assumed, stages & 8192 <> 0 AS opened, stages & 16384 <> 0 AS acted, stages & 32768 <> 0 AS replied, stages & 65536 <> 0 AS app_opened, stages & 131072 <> 0 AS dismiss_observable, stages & 262144 <> 0 AS delivery_observable FROM unnest(changes)) n
    CROSS JOIN LATERAL (
      VALUES (CASE WHEN opened THEN 'opened' WHEN acted THEN 'acted' ELSE 'replied' END, n.app_opened, responded_at,
        responded AND NOT response_only),
      ('dismissed', false, dismissed_at, dismissed AND dismiss_observable)
    ) AS ended (outcome, app_opened, at, is_so)
    WHERE (responded OR dismissed) AND ended.is_so
  ) c
  GROUP BY app_id, category, outcome, app_opened, reached, timed, latency, GROUPING SETS (
      (quarter_hour), (day),
      (day, requested_category), (day, trigger), (day, interruption_level), (day, campaign), (day, variant),
      (day, platform), (day, os_version), (day, app_version), (day, locale)
    )
  HAVING sum(sign) <> 0
  ) x;

  INSERT INTO engagement_latency AS e
  SELECT * FROM unnest(latencies)
  ON CONFLICT (app_id, dimension, grain, bucket, category, value, outcome, app_opened, reached, timed, latency)
  DO UPDATE SET responses = e.responses + excluded.responses;

  DELETE FROM engagement_latency e
  USING unnest(latencies) b
  WHERE b.responses < 0 AND CASE e.responses WHEN 0 THEN true END
    AND (e.app_id, e.dimension, e.grain, e.bucket, e.category, e.value, e.outcome, e.app_opened, e.reached, e.timed, e.latency)
      = (b.app_id, b.dimension, b.grain, b.bucket, b.category, b.value, b.outcome, b.app_opened, b.reached, b.timed, b.latency);
END $$;
