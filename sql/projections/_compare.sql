-- Compares a table in use with the same table of another version, row by row, without columns whose comment begins with
-- `book-keeping`. Keys are returned as digests, because they contain device ids. Of a rollup the sums of all lanes are compared:
-- which lane counted something is no part of what the table says.
CREATE OR REPLACE FUNCTION projection.compare(
  version text, name text,
  OUT rows_served bigint, OUT missing bigint, OUT extra bigint, OUT different bigint, OUT columns text[], OUT keys text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
  key text[];
  other text[];
  rows_of text := 'SELECT * FROM %I.%I';
  -- Each lane says all in these, and nothing is added up. They are named here rather than marked where they are declared: the
  -- version in use may be of an earlier release, without the mark.
  apart constant text[] := '{lane_category,category_versions,category_walk,category_change}';
BEGIN
  SELECT array_agg(c.attname ORDER BY c.attnum) FILTER (WHERE c.attnum = ANY (i.indkey)),
    coalesce(array_agg(c.attname ORDER BY c.attnum) FILTER (WHERE c.attnum <> ALL (i.indkey)), '{}')
  INTO key, other
  FROM pg_index i
  JOIN pg_attribute c ON c.attrelid = i.indrelid AND c.attnum > 0 AND NOT c.attisdropped
  WHERE i.indrelid = format('projection.%I', name)::regclass AND i.indisprimary
    AND coalesce(col_description(c.attrelid, c.attnum), '') NOT LIKE 'book-keeping%';
  -- What they lack is looked for in the log; and what the log is about to drop, a version that begins from the baseline lacks.
  IF name IN ('token_end', 'token_request') THEN
    rows_of := format(
      'SELECT * FROM %%I.%%I r WHERE NOT EXISTS (SELECT FROM projection.token_end e WHERE NOT e.is_whole'
      '    AND (e.app_id, e.device_id, e.token) = (r.app_id, r.device_id, r.token))'
      '  AND NOT EXISTS (SELECT FROM %I.token_end e WHERE NOT e.is_whole'
      '    AND (e.app_id, e.device_id, e.token) = (r.app_id, r.device_id, r.token))%s',
      version, CASE name WHEN 'token_request' THEN ' AND r.received_at >= (SELECT s.floor FROM log.state s)' ELSE '' END);
  END IF;
  -- Of devices beyond a bound reports look for the changes: which batch met one there is no part of what the tables say.
  IF name = 'setting_change' THEN
    rows_of := format(
      'SELECT * FROM %%I.%%I r WHERE NOT EXISTS (SELECT FROM projection.setting_excess e WHERE (e.app_id, e.device_id) = (r.app_id, r.device_id))'
      '  AND NOT EXISTS (SELECT FROM %I.setting_excess e WHERE (e.app_id, e.device_id) = (r.app_id, r.device_id))', version);
  ELSIF name = 'setting_excess' THEN
    rows_of := 'SELECT * FROM %I.%I WHERE false';
  END IF;
  IF 'lane' = ANY (key) AND name <> ALL (apart) THEN
    key := array_remove(key, 'lane');
    rows_of := format('SELECT %1$s, %2$s FROM %%I.%%I GROUP BY %1$s HAVING %3$s',
      (SELECT string_agg(quote_ident(c), ', ') FROM unnest(key) c),
      (SELECT string_agg(format('sum(%1$I) AS %1$I', c), ', ') FROM unnest(other) c),
      (SELECT string_agg(format('sum(%I) <> 0', c), ' OR ') FROM unnest(other) c));
  END IF;
  EXECUTE (
    SELECT format(
      'WITH pair AS MATERIALIZED ('
      '  SELECT s.%1$s IS NOT NULL AS served, o.%1$s IS NOT NULL AS rebuilt, ARRAY[%2$s]::text[] AS differs,'
      '    left(encode(sha256(convert_to(jsonb_build_array(%3$s)::text, ''UTF8'')), ''hex''), 12) AS key'
      '  FROM (%4$s) s FULL JOIN (%5$s) o USING (%3$s)'
      '  WHERE s.%1$s IS NULL OR o.%1$s IS NULL OR (%6$s))'
      ' SELECT (SELECT count(*) FROM (%4$s) s), count(*) FILTER (WHERE NOT served),'
      '   count(*) FILTER (WHERE NOT rebuilt), count(*) FILTER (WHERE served AND rebuilt),'
      '   (SELECT coalesce(array_agg(DISTINCT c ORDER BY c), ''{}'') FROM pair, unnest(differs) c WHERE c IS NOT NULL AND served AND rebuilt),'
      '   coalesce((array_agg(key ORDER BY key))[1:5], ''{}'') FROM pair',
      quote_ident(key[1]),
      (SELECT coalesce(string_agg(format('CASE WHEN s.%1$I IS DISTINCT FROM o.%1$I THEN %1$L END', c), ', '), '') FROM unnest(other) c),
      (SELECT string_agg(quote_ident(c), ', ') FROM unnest(key) c),
      format(rows_of, 'projection', name), format(rows_of, version, name),
      (SELECT coalesce(string_agg(format('s.%1$I IS DISTINCT FROM o.%1$I', c), ' OR '), 'false') FROM unnest(other) c)))
  INTO rows_served, missing, extra, different, columns, keys;
END $$;
