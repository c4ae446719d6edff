-- Splits a stretch of time into ranges that whole rollup buckets answer and ranges that they don't. No range reaches
-- over any of the cuts, or from one grain into another; adjacent ranges of one grain are joined.
--
-- `grains` says which there are: of day, hour and quarter_hour, the coarser taken first. Grain 'none' is what is left.
CREATE OR REPLACE FUNCTION reporting.rollup_ranges(cuts timestamptz[], grains text[])
RETURNS TABLE (grain text, from_at timestamptz, to_at timestamptz)
LANGUAGE sql STABLE ROWS 100 AS $$
  WITH segment AS (
    SELECT cut AS s, lead(cut) OVER (ORDER BY cut) AS e FROM (SELECT DISTINCT unnest(cuts) AS cut) c
  ), whole AS (
    SELECT s, e,
      date_bin('15 minutes', s + interval '15 minutes' - interval '1 microsecond', 'epoch') AS quarter_s,
      date_bin('15 minutes', e, 'epoch') AS quarter_e,
      date_bin('1 hour', s + interval '1 hour' - interval '1 microsecond', 'epoch') AS hour_s,
      date_bin('1 hour', e, 'epoch') AS hour_e,
      date_bin('1 day', s + interval '24 hours' - interval '1 microsecond', 'epoch') AS day_s,
      date_bin('1 day', e, 'epoch') AS day_e
    FROM segment
    WHERE e IS NOT NULL
  ), covered AS (
    SELECT s, e,
      CASE WHEN 'day' = ANY (grains) AND day_s < day_e THEN tstzrange(day_s, day_e) ELSE 'empty' END AS days,
      CASE WHEN 'hour' = ANY (grains) AND hour_s < hour_e THEN tstzrange(hour_s, hour_e) ELSE 'empty' END AS hours,
      CASE WHEN 'quarter_hour' = ANY (grains) AND quarter_s < quarter_e THEN tstzrange(quarter_s, quarter_e)
        ELSE 'empty' END AS quarters
    FROM whole
  ), ranges AS (
    SELECT range_agg(days) AS days, range_agg(hours) - range_agg(days) AS hours,
      range_agg(quarters) - range_agg(hours) - range_agg(days) AS quarters,
      range_agg(tstzrange(s, e)) - range_agg(quarters) - range_agg(hours) - range_agg(days) AS edges
    FROM covered
  )
  SELECT 'day', lower(r), upper(r) FROM ranges, unnest(days) AS r
  UNION ALL
  SELECT 'hour', lower(r), upper(r) FROM ranges, unnest(hours) AS r
  UNION ALL
  SELECT 'quarter_hour', lower(r), upper(r) FROM ranges, unnest(quarters) AS r
  UNION ALL
  SELECT 'none', lower(r), upper(r) FROM ranges, unnest(edges) AS r
$$;

-- The same ranges in arrays, as parameters of a query.
CREATE OR REPLACE FUNCTION reporting.ranges(
  cuts timestamptz[], wanted text[], OUT grains text[], OUT froms timestamptz[], OUT tos timestamptz[])
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT array_agg(r.grain), array_agg(r.from_at), array_agg(r.to_at) INTO grains, froms, tos
  FROM reporting.rollup_ranges(cuts, wanted) r;
END $$;
