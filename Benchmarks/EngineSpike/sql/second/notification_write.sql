-- Merges what the batch says with the rows known, derives the stages, writes what changed, and gives it as the rollups
-- count it: one statement, every look-up by index.
CREATE FUNCTION notification_write(facts notification_said[], schedules boolean) RETURNS notification_counted[]
LANGUAGE plpgsql AS $$
DECLARE
  changes notification_counted[];
BEGIN
  WITH known AS (
    SELECT n.*, o.r AS o, string_to_array(convert_from((o.r).facts, 'UTF8'), ',') AS kept, string_to_array(convert_from((s.r).facts, 'UTF8'), ',') AS lent, s.r AS s
    FROM unnest(facts) n
    LEFT JOIN LATERAL (
      SELECT o AS r FROM notification o
      WHERE (o.app_id, o.device_id, o.notification_id, o.occurrence) = (n.app_id, n.device_id, n.notification_id, n.occurrence) OFFSET 0
    ) o ON true
    LEFT JOIN LATERAL (
      SELECT s AS r FROM notification s
      WHERE NOT schedules AND (s.app_id, s.device_id, s.notification_id) = (n.app_id, n.device_id, n.notification_id) AND s.occurrence = 'infinity' OFFSET 0
    ) s ON true
    WHERE (n.occurrence = 'infinity') = schedules
    OFFSET 0
  ), merged AS (
    SELECT n.app_id, n.device_id, n.notification_id, n.occurrence, o,
      least((o).requested_at, n.requested_at) AS requested_at, least((o).scheduled_for, n.scheduled_for) AS scheduled_for,
      least((o).delivered_at, n.delivered_at) AS delivered_at, least((o).delivery_at, n.delivery_at) AS delivery_at,
      least(time_of(kept[1]), n.arrived_at) AS arrived_at, least((o).presentation_at, n.presentation_at) AS presentation_at,
      least((o).responded_at, n.responded_at) AS responded_at, least((o).dismissed_at, n.dismissed_at) AS dismissed_at,
      least((o).withdrawn_at, n.withdrawn_at) AS withdrawn_at, least(time_of(kept[2]), n.request_received_at) AS request_received_at,
      coalesce((o).requests, 0) + n.requests AS requests, coalesce((o).said, 0) | n.said | (coalesce((s).said, 0) & 512) AS said,
      least(claim(kept, 5, (o).action_id) COLLATE "C", n.action) AS action,
      least(claim(kept, 6, kept[3]) COLLATE "C", n.alerting, claim(lent, 6, lent[3])) AS alerting,
      least(claim(kept, 7, (o).requested_category) COLLATE "C", n.requested_category, claim(lent, 7, (s).requested_category)) AS requested_category,
      least(claim(kept, 8, (o).category) COLLATE "C", n.category, claim(lent, 8, (s).category)) AS category,
      least(claim(kept, 9, (o).trigger) COLLATE "C", n.trigger, claim(lent, 9, (s).trigger)) AS trigger,
      least(claim(kept, 10, (o).interruption_level) COLLATE "C", n.interruption_level, claim(lent, 10, (s).interruption_level)) AS interruption_level,
      least(claim(kept, 11, (o).campaign) COLLATE "C", n.campaign, claim(lent, 11, (s).campaign)) AS campaign,
      least(claim(kept, 12, (o).variant) COLLATE "C", n.variant, claim(lent, 12, (s).variant)) AS variant,
      least(claim(kept, 13, (o).thread) COLLATE "C", n.thread, claim(lent, 13, (s).thread)) AS thread
    FROM known n
    OFFSET 0
  ), staged AS (
    SELECT *, responded_at IS NOT NULL AS responded, dismissed_at IS NOT NULL AS dismissed,
      delivery_at IS NOT NULL OR presentation_at IS NOT NULL AS seen, substr(action, 50) AS action_id, substr(category, 50) AS category_id,
      CASE WHEN NOT schedules THEN coalesce(scheduled_for, requested_at, delivered_at, delivery_at, presentation_at, responded_at, dismissed_at) END AS cohort_at,
      coalesce(delivered_at, arrived_at, presentation_at, scheduled_for, CASE WHEN said & 1 <> 0 THEN requested_at END) AS shown_at
    FROM merged
    OFFSET 0
  ), proved AS (
    SELECT *, NOT schedules AND said & 2 <> 0 AS requested, seen OR responded OR dismissed AS delivered,
      said & 32 <> 0 OR responded OR dismissed AS presented
    FROM staged
    OFFSET 0
  ), ended AS (
    SELECT *, said & (64 | 256) <> 0 AND NOT presented AS hidden,
      NOT schedules AND (said & 6 = 4 OR said & 24 = 8) AND NOT delivered AS failed, NOT schedules AND withdrawn_at IS NOT NULL AND NOT delivered AS withdrawn,
      CASE WHEN cohort_at IS NOT NULL THEN coalesce((
        SELECT p.value->>'authorization_status' = 'denied' FROM device_period p
        WHERE (p.app_id, p.device_id, p.series) = (n.app_id, n.device_id, 'settings') AND p.first_at <= n.cohort_at
        ORDER BY p.first_at DESC, p.first_id DESC LIMIT 1), false) ELSE false END AS denied,
      CASE WHEN cohort_at IS NOT NULL THEN coalesce((
        SELECT p.value FROM device_period p
        WHERE (p.app_id, p.device_id, p.series) = (n.app_id, n.device_id, 'context') AND p.first_at <= n.cohort_at
        ORDER BY p.first_at DESC, p.first_id DESC LIMIT 1), (
        SELECT p.value FROM device_period p
        WHERE (p.app_id, p.device_id, p.series) = (n.app_id, n.device_id, 'context') ORDER BY p.first_at, p.first_id LIMIT 1)) END AS context
    FROM proved n
    OFFSET 0
  ), reached AS (
    SELECT *, context->>'platform' AS platform, context->>'os_version' AS os_version, context->>'app_version' AS app_version,
      context->>'locale' AS locale, context->>'time_zone' AS time_zone,
      alive AND (said & 2048 <> 0 OR (seen AND NOT denied)) AS reached_seen,
      alive AND NOT seen AND requested AND NOT denied AND said & 1024 <> 0 AS reached_assumed,
      alive AND NOT seen AND requested AND NOT denied AND said & 1024 = 0 AS reach_unknown
    FROM (SELECT *, coalesce(substr(alerting, 50)::boolean, true) AND NOT (failed OR withdrawn OR hidden) AS alive FROM ended) e
    OFFSET 0
  ), answered AS (
    SELECT d.*, t.text, t.foreground, coalesce(t.duplicates, 0) AS duplicates, substr(alerting, 50) AS alerts, left(action, 49) AS p1,
      left(alerting, 49) AS p2, left(requested_category, 49) AS p3, left(category, 49) AS p4, left(trigger, 49) AS p5,
      left(interruption_level, 49) AS p6, left(campaign, 49) AS p7, left(variant, 49) AS p8, left(thread, 49) AS p9
    FROM reached d
    LEFT JOIN LATERAL (
      SELECT coalesce(bool_or(a.has_text) FILTER (WHERE a.action_id = d.action_id), false) OR coalesce(bool_or(r.text_input), false) AS text,
        coalesce(bool_or(r.foreground), false) AS foreground,
        sum(CASE WHEN a.callbacks = 0 THEN 0 WHEN a.in_extension = 0 THEN a.callbacks - 1 ELSE a.callbacks END)::integer AS duplicates
      FROM notification_action a
      LEFT JOIN LATERAL (
        SELECT x.text_input, x.foreground FROM projection.registered_action(d.app_id, d.category_id, d.action_id, d.app_version) x
        WHERE a.action_id = d.action_id AND d.action_id <> 'default' OFFSET 0
      ) r ON true
      WHERE d.responded AND NOT schedules AND (a.app_id, a.device_id, a.notification_id, a.occurrence) = (d.app_id, d.device_id, d.notification_id, d.occurrence)
      OFFSET 0
    ) t ON true
    OFFSET 0
  ), new AS MATERIALIZED (
    SELECT d.o AS old, ROW(
      d.app_id, duplicates,
      requested::integer | (failed::integer << 1) | (delivered::integer << 2) | (presented::integer << 3) | ((hidden AND said & 128 = 0)::integer << 4)
        | ((hidden AND said & 128 <> 0)::integer << 5) | (responded::integer << 6) | (dismissed::integer << 7) | (withdrawn::integer << 8)
        | (((responded OR dismissed) AND NOT seen AND requested_at IS NULL)::integer << 9) | (reached_seen::integer << 10)
        | (reached_assumed::integer << 11) | (reach_unknown::integer << 12)
        | CASE WHEN d.action_id IS NULL THEN 0 WHEN d.action_id = 'default' THEN 8192 | 65536
          ELSE CASE WHEN text THEN 32768 ELSE 16384 END | CASE WHEN foreground THEN 65536 ELSE 0 END END
        | CASE WHEN reached_seen OR reached_assumed THEN CASE WHEN coalesce(
            (SELECT c.custom_dismiss FROM category c WHERE (c.app_id, c.category_id, c.app_version) = (d.app_id, d.category_id, d.app_version)),
            (SELECT bool_or(c.custom_dismiss) FROM category c WHERE (c.app_id, c.category_id) = (d.app_id, d.category_id)), false)
          THEN 131072 ELSE 0 END ELSE 0 END
        | CASE WHEN requested AND said & 512 <> 0 AND NOT denied
            AND EXISTS (SELECT FROM device_extension x WHERE (x.app_id, x.device_id) = (d.app_id, d.device_id)) THEN 262144 ELSE 0 END,
      requests, said, d.occurrence, cohort_at, shown_at, requested_at, scheduled_for, delivered_at, delivery_at, presentation_at, responded_at,
      dismissed_at, withdrawn_at, d.device_id, d.notification_id, d.action_id, d.category_id, substr(requested_category, 50), substr(trigger, 50),
      substr(interruption_level, 50), substr(campaign, 50), substr(variant, 50), substr(thread, 50), platform, os_version, app_version,
      locale, time_zone, packed(arrived_at, request_received_at, alerts, p1, p2, p3, p4, p5, p6, p7, p8, p9))::notification AS row
    FROM answered d
    OFFSET 0
  ), inserted AS (
    INSERT INTO notification SELECT (row).* FROM new WHERE (old).app_id IS NULL
  ), updated AS (
    UPDATE notification n SET (duplicate_callbacks, stages, requests, said, cohort_at, shown_at, requested_at, scheduled_for, delivered_at, delivery_at,
        presentation_at, responded_at, dismissed_at, withdrawn_at, action_id, category, requested_category, trigger, interruption_level,
        campaign, variant, thread, platform, os_version, app_version, locale, time_zone, facts)
      = ROW((c.row).duplicate_callbacks, (c.row).stages, (c.row).requests, (c.row).said, (c.row).cohort_at, (c.row).shown_at, (c.row).requested_at,
        (c.row).scheduled_for, (c.row).delivered_at, (c.row).delivery_at, (c.row).presentation_at, (c.row).responded_at, (c.row).dismissed_at,
        (c.row).withdrawn_at, (c.row).action_id, (c.row).category, (c.row).requested_category, (c.row).trigger, (c.row).interruption_level,
        (c.row).campaign, (c.row).variant, (c.row).thread, (c.row).platform, (c.row).os_version, (c.row).app_version, (c.row).locale,
        (c.row).time_zone, (c.row).facts)
    FROM new c
    WHERE (c.old).app_id IS NOT NULL AND c.row IS DISTINCT FROM c.old
      AND (n.app_id, n.device_id, n.notification_id, n.occurrence) = ((c.row).app_id, (c.row).device_id, (c.row).notification_id, (c.row).occurrence)
  )
  SELECT array_agg(ROW(x.sign, (x.n).app_id, (x.n).category, (x.n).cohort_at, (x.n).shown_at, (x.n).responded_at, (x.n).dismissed_at, (x.n).requested_category,
    (x.n).trigger, (x.n).interruption_level, (x.n).campaign, (x.n).variant, (x.n).platform, (x.n).os_version, (x.n).app_version, (x.n).locale,
    (x.n).stages, (x.n).delivery_at IS NOT NULL, (x.n).said & 32 <> 0, (x.n).requests, (x.n).duplicate_callbacks)::notification_counted)
  INTO changes
  FROM new c
  CROSS JOIN LATERAL (VALUES (1, c.row), (-1, c.old)) x (sign, n)
  WHERE c.row IS DISTINCT FROM c.old AND (x.n).cohort_at IS NOT NULL;
  RETURN changes;
END $$;
