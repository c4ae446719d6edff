-- report: push_results
-- purpose: The answers of push providers: one row per provider, status and reason, and per interval if requested. It counts
--   answers, so a push sent again after an error counts each time. Parts of quarter hours are read from the log, as far back
--   as it goes. A row `other` sums everything beyond `limit`.
-- reads: push_result, log
--
-- parameter: interval
-- parameter: from | Answers at or after this time
-- parameter: to | Answers before this time
-- parameter: tz
-- parameter: limit | How many combinations of provider, status and reason have rows of their own: the most frequent ones over
--   the whole range; all others share one row, `other`
-- filters: provider, status, reason, type, environment, topic
-- table: interval_start, provider, status, reason, results, share, verdict, first_at, last_at
--
-- column: interval_start | timestamptz | | Start of the interval, in tz; only with interval
-- column: provider | text | | apns or fcm; null if unknown
-- column: status | integer | | HTTP status; null if unknown
-- column: reason | text | | The provider's own reason; null if it gave none
-- column: other | boolean | | True in the row of all answers beyond `limit`
-- column: verdict | text | | What the answer means for the token: accepted, dead, misdirected; null for nothing, as for
--   errors about the provider's keys or the message
-- column: results | bigint | events | Answers
-- column: share | double precision | fraction | Share of all answers of the provider in the interval that pass the filters;
--   null in `other`
-- column: first_at | timestamptz | | The earliest of them in the interval
-- column: last_at | timestamptz | | The latest of them in the interval
CREATE OR REPLACE FUNCTION report.push_results(
  app text, "interval" text DEFAULT 'none', "from" text DEFAULT NULL, "to" text DEFAULT NULL,
  tz text DEFAULT 'UTC', filters jsonb DEFAULT '{}', "limit" integer DEFAULT 1000, as_of timestamptz DEFAULT now())
RETURNS TABLE (
  interval_start timestamptz, provider text, status integer, reason text, other boolean, verdict text, results bigint,
  share double precision, first_at timestamptz, last_at timestamptz, rows_total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off AS $$
DECLARE
  app_number integer := reporting.app_id(app);
  period     record;
BEGIN
  PERFORM reporting.row_limit("limit");
  period := reporting.divided_period("interval", "from", "to", tz, as_of);
  PERFORM reporting.filters(filters, '{provider,status,reason,type,environment,topic}');
  IF period.starts IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY EXECUTE format($query$
    WITH counted AS MATERIALIZED (
      SELECT slot, provider, status, reason, sum(results) AS results,
        sum(sum(results)) OVER (PARTITION BY slot, provider) AS answered, min(first_at) AS first_at, max(last_at) AS last_at
      FROM reporting.push_results_counts($1, $2, $3, $4)
      GROUP BY 1, 2, 3, 4
    ), %s, folded AS (
      SELECT slot, provider, status, reason, false AS other, results, results / answered AS share, first_at, last_at
      FROM counted
      JOIN key k USING (provider, status, reason)
      WHERE k.key <= $6
      UNION ALL
      SELECT slot, NULL, NULL, NULL, true, sum(results), NULL, min(first_at), max(last_at)
      FROM counted
      JOIN key k USING (provider, status, reason)
      WHERE k.key > $6
      GROUP BY slot
    )
    SELECT $5[slot], nullif(provider, ''), nullif(status, '')::integer, nullif(reason, ''), other,
      CASE WHEN NOT other THEN projection.push_verdict(provider, nullif(status, ''), nullif(reason, '')) END, results::bigint,
      share::double precision, first_at, last_at, (SELECT count(*) FROM key)
    FROM folded
    ORDER BY slot, other, nullif(provider, '') COLLATE "C" NULLS LAST, nullif(status, '')::integer NULLS LAST, nullif(reason, '') COLLATE "C" NULLS FIRST
  $query$, reporting.keys('counted', '{provider,status,reason}', 'results', '$6'))
  USING app_number, period.starts, period.to_at, filters, period.labels, "limit";
END $$;
