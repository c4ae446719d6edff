-- What became of a device's notifications of a category, '' where that is null: what the report instrumentation counts of
-- notifications.
--
-- `parts`, sides and slots are those of reporting.instrumentation_device_counts. Only the stretches between `froms` and `tos` are
-- read. `device` is a hash of the id, which tells only what is of the same device.
CREATE OR REPLACE FUNCTION reporting.instrumentation_notification_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, near interval, filters jsonb, parts jsonb, starts timestamptz[],
  froms timestamptz[], tos timestamptz[])
RETURNS TABLE (
  key integer, side integer, slot integer, device bigint, category text, observable bigint, observed bigint, known bigint,
  repeated bigint, alone bigint, reached bigint, engaged bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE $query$
    SELECT p.key, p.side, width_bucket(n.cohort_at + p.shift, $7) AS slot, hashtextextended(n.device_id, 0) AS device, n.category,
      count(*) FILTER (WHERE n.delivery_observable AND n.is_reached) AS observable,
      count(*) FILTER (WHERE n.delivery_observable AND n.is_reached
        AND n.delivery_at IS NOT NULL) AS observed,
      count(*) AS known, count(*) FILTER (WHERE n.duplicate_callbacks > 0) AS repeated,
      count(*) FILTER (WHERE n.response_only) AS alone, count(*) FILTER (WHERE n.is_reached) AS reached,
      count(*) FILTER (WHERE n.is_reached AND n.responded_at <= coalesce(n.shown_at, n.cohort_at) + $4) AS engaged
    FROM unnest($8, $9) AS s (from_at, to_at)
    CROSS JOIN LATERAL (   -- OFFSET keeps it to one index scan a stretch
      SELECT n.device_id, coalesce(n.category, '') COLLATE "C" AS category, n.cohort_at, n.delivery_observable,
        n.delivery_at, n.duplicate_callbacks, n.response_only, n.responded_at,
        n.shown_at, n.app_version, n.platform, n.os_version, n.locale, n.reached_seen OR n.reached_assumed AS is_reached
      FROM projection.notification n
      WHERE n.app_id = $1 AND n.cohort_at >= s.from_at AND n.cohort_at < s.to_at
        AND (n.reached_seen OR n.reached_assumed OR n.response_only)
      OFFSET 0
    ) n
    JOIN jsonb_to_recordset($6) AS p (key integer, version text, side integer, shift interval) ON p.version = coalesce(n.app_version, '')
    WHERE n.cohort_at + p.shift >= $2 AND n.cohort_at + p.shift < $3
      AND reporting.matches(coalesce(n.platform, ''), $5, 'platform')
      AND reporting.matches(coalesce(n.os_version, ''), $5, 'os_version')
      AND reporting.matches(coalesce(n.locale, ''), $5, 'locale')
    GROUP BY p.key, p.side, 3, n.device_id, n.category
  $query$
  USING app_number, from_at, to_at, near, filters, parts, starts, froms, tos;
END $$;
