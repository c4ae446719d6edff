-- report: activity
-- purpose: Received events, by the server's clock: one row per kind of event, and per interval if requested. Duplicates and
--   rejections are counted by quarter hour, each in the interval in which the quarter hour begins. The report counts requests
--   as well as events, and so is not a function of the stored events alone.
-- reads: received, notification, repeated, log
--
-- parameter: interval
-- parameter: from | Received at or after this time
-- parameter: to | Received before this time
-- parameter: tz
-- filters: kind
-- table: interval_start, kind, events, duplicates, rejected, clamped, quarantined, duplicate_callbacks, reused_identifiers,
--   rejected_by_code
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: kind | text | | The kind of event; null if a rejected item had no known kind
-- column: events | bigint | events | Stored
-- column: duplicates | bigint | items | Sent again, and not stored again
-- column: rejected | bigint | items | Not stored
-- column: rejected_by_code | jsonb | items | `rejected` by error code
-- column: quarantined | bigint | items | Kept in quarantine
-- column: quarantined_by_code | jsonb | items | `quarantined` by error code
-- column: clamped | bigint | events | Stored, with a sender's clock so far ahead that the server's was used
-- column: duplicate_callbacks | bigint | events | Responses that repeat a reported action, in the order of receipt; null for
--   kinds that are not responses
-- column: reused_identifiers | bigint | events | Requests after the first received of one notification; null for kinds that
--   are not requests
CREATE OR REPLACE FUNCTION report.activity(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, kind text, events bigint, duplicates bigint, rejected bigint, rejected_by_code jsonb,
  quarantined bigint, quarantined_by_code jsonb, clamped bigint, duplicate_callbacks bigint, reused_identifiers bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
  cut        timestamptz[];   -- the quarter hours that the range, or one of its intervals, begins or ends in the midst of
BEGIN
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{kind}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  cut := ARRAY(
    SELECT date_bin('15 minutes', b, 'epoch')
    FROM unnest(period.starts || period.to_at) b
    -- Nothing was received after now: the quarter hour that is under way is whole, however much it holds.
    WHERE date_bin('15 minutes', b, 'epoch') <> b AND b < now());

  RETURN QUERY
  WITH counted AS (
    SELECT c.slot, c.kind, c.what, c.code, sum(c.items)::bigint AS items, bool_and(c.items IS NOT NULL) AS is_known
    FROM reporting.activity_counts(app_number, period.starts, period.to_at, cut, filters) c
    GROUP BY 1, 2, 3, 4
  ), summed AS (
    SELECT c.slot, c.kind,
      coalesce(sum(c.items) FILTER (WHERE c.what = 'events'), 0)::bigint AS events,
      coalesce(sum(c.items) FILTER (WHERE c.what = 'duplicates'), 0)::bigint AS duplicates,
      coalesce(sum(c.items) FILTER (WHERE c.what = 'rejected'), 0)::bigint AS rejected,
      coalesce(jsonb_object_agg(c.code, c.items) FILTER (WHERE c.what = 'rejected'), '{}') AS rejected_by_code,
      coalesce(sum(c.items) FILTER (WHERE c.what = 'quarantined'), 0)::bigint AS quarantined,
      coalesce(jsonb_object_agg(c.code, c.items) FILTER (WHERE c.what = 'quarantined'), '{}') AS quarantined_by_code,
      coalesce(sum(c.items) FILTER (WHERE c.what = 'clamped'), 0)::bigint AS clamped,
      CASE WHEN bool_and(c.is_known) THEN coalesce(sum(c.items) FILTER (WHERE c.what = 'repeats'), 0)::bigint END AS repeats
    FROM counted c
    GROUP BY 1, 2
    HAVING bool_or(c.what <> 'repeats')
  )
  SELECT period.labels[s.slot], nullif(s.kind, ''), s.events, s.duplicates, s.rejected, s.rejected_by_code, s.quarantined,
    s.quarantined_by_code, s.clamped, CASE s.kind WHEN 'action_response' THEN s.repeats END, CASE s.kind WHEN 'request' THEN s.repeats END
  FROM summed s
  ORDER BY s.slot, nullif(s.kind, '') COLLATE "C" NULLS LAST;
END $$;
