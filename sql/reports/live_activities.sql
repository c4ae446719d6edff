-- report: live_activities
-- purpose: How Live Activities live: how they start, whether pushes reach them, and how they end; one row per type of attributes
--   and app version, and per interval if requested. An activity counts when it started, a push when it was sent. Apple tells
--   that an activity was dismissed, not by whom: the person or the system. A row `other` sums everything beyond `limit`.
-- reads: live_activity, conversion, notification, device_period, device_token, permission_prompt, authorization, removal
-- by rows: states of Live Activities and pushes to them, each one
--
-- parameter: interval
-- parameter: from | Activities and pushes at or after this time
-- parameter: to | Activities and pushes before this time
-- parameter: tz
-- parameter: limit | How many types and app versions have rows of their own: those with the most activities started over the
--   whole range; all others share one row, `other`
-- filters: attributes_type, platform, os_version, app_version, locale
-- table: interval_start, attributes_type, app_version, started, started_by_push, push_to_start_requested,
--   push_to_start_without_activity, updates_accepted, updates_after_end, stale, ended, dismissed, end_unobserved, lifetime_p50,
--   dismissed_after_p50, token_never_issued
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: attributes_type | text | | The type of the activities' attributes; null if unknown
-- column: app_version | text | | From the first event's context, else from the device's latest before it, else from its
--   earliest; null if unknown
-- column: other | boolean | | True in the row of everything beyond `limit`; its type and version are null
-- column: started | bigint | activities | Activities that the app first reported in the interval
-- column: started_by_app | bigint | activities | Of `started`, those that the app started
-- column: started_by_push | bigint | activities | Of `started`, those that a push started
-- column: push_to_start_requested | bigint | pushes | Pushes that were to start an activity
-- column: push_to_start_accepted | bigint | pushes | Of `push_to_start_requested`, those that APNs accepted
-- column: push_to_start_without_activity | bigint | pushes | Of `push_to_start_accepted`, those that no activity of the device and
--   type, started by a push within 1 h, belongs to (each activity belongs to one push), although the device reported later:
--   most often a token that is dead and that APNs still accepts
-- column: push_to_start_unknown | bigint | pushes | The same, of devices that reported nothing later, or sent within the last hour
-- column: updates_accepted | bigint | pushes | Pushes that update an activity, and that APNs accepted. Pushes
--   that end one are not among them
-- column: updates_after_end | bigint | pushes | Of `updates_accepted`, those to an activity that had ended or was dismissed; null
--   where all of them are broadcast, which name no activity
-- column: stale | bigint | activities | Of `started`, those that became stale
-- column: ended | bigint | activities | Of `started`, those that ended
-- column: dismissed | bigint | activities | Of `started`, those that were dismissed, by the person or the system
-- column: end_unobserved | bigint | activities | Of `started`, those that began 12 h ago or earlier and of which no
--   end or dismissal was reported until now
-- column: lifetime_p50 | double precision | seconds | Median time from the start to the end, of those that ended
-- column: dismissed_after_p50 | double precision | seconds | Median time from the start to the dismissal, of those dismissed of
--   which no end was reported
-- column: token_updated | bigint | activities | Of `started`, those that are updated by a token of their own
-- column: token_never_issued | bigint | activities | Of `token_updated`, those of which no token was registered
CREATE OR REPLACE FUNCTION report.live_activities(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, attributes_type text, app_version text, other boolean, started bigint, started_by_app bigint,
  started_by_push bigint, push_to_start_requested bigint, push_to_start_accepted bigint, push_to_start_without_activity bigint,
  push_to_start_unknown bigint, updates_accepted bigint, updates_after_end bigint, stale bigint, ended bigint, dismissed bigint,
  end_unobserved bigint, lifetime_p50 double precision, dismissed_after_p50 double precision, token_updated bigint,
  token_never_issued bigint, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{attributes_type,platform,os_version,app_version,locale}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (
      SELECT * FROM reporting.live_activities_counts($3, $4, $5, $6, $7, $8)
    ), %s, counted AS (
      SELECT slot, k.key, min(attributes_type) AS attributes_type, min(app_version) AS app_version,
        sum(started)::bigint AS started, sum(started_by_app)::bigint AS by_app, sum(started_by_push)::bigint AS by_push,
        sum(push_to_start_requested)::bigint AS requested, sum(push_to_start_accepted)::bigint AS accepted,
        sum(push_to_start_without_activity)::bigint AS without_activity, sum(push_to_start_unknown)::bigint AS unknown,
        sum(updates_accepted)::bigint AS updates, sum(updates_after_end)::bigint AS late, sum(updates_broadcast)::bigint AS broadcast,
        sum(stale)::bigint AS stale, sum(ended)::bigint AS ended, sum(dismissed)::bigint AS dismissed,
        sum(end_unobserved)::bigint AS lost, sum(token_updated)::bigint AS by_token, sum(token_never_issued)::bigint AS tokenless
      FROM part
      JOIN key k USING (attributes_type, app_version)
      GROUP BY slot, k.key
    ), median AS (
      SELECT slot, k.key, percentile_disc(0.5) WITHIN GROUP (ORDER BY m.lifetime) AS lifetime,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY m.until_dismissed) AS until_dismissed
      FROM part
      JOIN key k USING (attributes_type, app_version)
      CROSS JOIN unnest(lifetimes, until_dismissed) AS m (lifetime, until_dismissed)
      GROUP BY slot, k.key
    )
    SELECT $1[slot], CASE WHEN key <= $2 THEN nullif(attributes_type, '') END, CASE WHEN key <= $2 THEN nullif(app_version, '') END,
      key > $2, started, by_app, by_push, requested, accepted, without_activity, unknown, updates,
      CASE WHEN updates = 0 OR broadcast < updates THEN late END, stale, ended, dismissed, lost,
      lifetime, until_dismissed, by_token, tokenless,
      (SELECT count(*) FROM key)
    FROM counted
    LEFT JOIN median USING (slot, key)
    ORDER BY slot, key > $2, nullif(attributes_type, '') COLLATE "C" NULLS LAST, nullif(app_version, '') COLLATE "C" NULLS LAST
  $query$, reporting.keys('part', '{attributes_type,app_version}', 'started', '$2'))
  USING period.labels, "limit", app_number, period.starts, period.from_at, period.to_at, filters, as_of;
END $$;
