-- Devices by what they said of their version of the app: what the report instrumentation counts of devices.
--
-- `parts` are the versions that a row of the report, a key, counts: its own on side 0, and the one before on side 1, whose times
-- count as later by `shift`. `fallen` are the versions whose devices might have fallen silent as that of the key, on side 1 the
-- one before it, came out. Slots are numbers of intervals, which begin at `starts`.
--
-- There are rows of three sorts. With a slot: how many more devices were on the version of the key than in the slot before. With
-- a version: a device to sample on it, of the first `share` by a hash of their ids, for keys up to `limit`. Else: devices by
-- whether they fell silent, `own` on side 0 and `other` on side 1, null where they were not on that version.
CREATE OR REPLACE FUNCTION reporting.instrumentation_device_counts(
  app_number integer, from_at timestamptz, to_at timestamptz, filters jsonb, "limit" integer, parts jsonb, fallen jsonb,
  starts timestamptz[], share integer)
RETURNS TABLE (key integer, slot integer, own boolean, other boolean, devices bigint, version text, device_id text)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
    WITH part AS MATERIALIZED (
      SELECT key, version COLLATE "C" AS version, side, shift
      FROM jsonb_to_recordset($6) AS p (key integer, version text, side integer, shift interval)
    ), %s, stay AS (   -- intervals that a device was on a version in, each once
      SELECT k.key, greatest(s.since, lag(s.until, 1, 0) OVER device + 1) AS since, s.until
      FROM (
        SELECT h.version, h.device_id, h.first_at, h.last_at, width_bucket(greatest(h.first_at, $2), $8) AS since,
          width_bucket(least(h.last_at, $3 - interval '1 microsecond'), $8) AS until
        FROM heard h
        WHERE h.first_at < $3 AND h.last_at >= $2
      ) s
      JOIN part k USING (version)
      WHERE k.side = 0
      WINDOW device AS (PARTITION BY s.version, s.device_id ORDER BY s.first_at, s.last_at)
    ), step AS (
      SELECT key, slot, sum(change) AS change
      FROM (
        SELECT key, since AS slot, 1 AS change FROM stay WHERE since <= until
        UNION ALL
        SELECT key, until + 1, -1 FROM stay WHERE since <= until
      ) s
      GROUP BY key, slot
    )
    SELECT key, slot, NULL::boolean, NULL::boolean, change, NULL, NULL FROM step
    UNION ALL
    SELECT key, NULL, own, other, count(*), NULL, NULL
    FROM (
      SELECT key, bool_or(is_silent) FILTER (WHERE side = 0) AS own, bool_or(is_silent) FILTER (WHERE side = 1) AS other
      FROM (
        SELECT f.key, f.side, s.device_id,
          s.last_at < f.until AND (s.next_at > s.last_at + interval '720 hours') IS NOT FALSE AS is_silent
        FROM jsonb_to_recordset($7) AS f (key integer, side integer, version text, from_at timestamptz, until timestamptz)
        JOIN spell s USING (version)
        WHERE s.last_at >= f.from_at AND s.first_at < f.until
      ) s
      GROUP BY key, device_id
    ) s
    GROUP BY key, own, other
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, version, device_id
    FROM (
      SELECT version, device_id, row_number() OVER (PARTITION BY version ORDER BY hashtextextended(device_id, 0), device_id) AS number
      FROM (
        SELECT DISTINCT h.version, h.device_id
        FROM heard h
        JOIN part p USING (version)
        WHERE p.key <= $5 AND h.version <> '' AND h.first_at + p.shift < $3 AND h.last_at + p.shift >= $2
      ) h
    ) h
    WHERE number <= $9
  $query$, reporting.instrumentation_heard())
  USING app_number, from_at, to_at, filters, "limit", parts, fallen, starts, share;
END $$;
