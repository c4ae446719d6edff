-- The CTE that numbers the keys of a report's rows: `key` has each key of the CTE `source`, and as `key` its rank by the
-- sum of `counted` over the whole range, ties by the key itself (null last). All beyond the limit, which the parameter
-- `placeholder` of the query has, come under one number, the limit plus one; so what is made of rows has few groups,
-- however many keys clients make up. Only the keys within the limit are sorted: texts compare slowly.
--
-- `names` are the columns of a key, texts in which '' stands for null; `counted` is an expression of columns of `source`.
CREATE OR REPLACE FUNCTION reporting.keys(source text, names text[], counted text, placeholder text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT format($query$key AS MATERIALIZED (
      WITH summed AS MATERIALIZED (
        SELECT %2$s, sum(%3$s) AS total FROM %1$s GROUP BY %2$s
      ), ranked AS MATERIALIZED (
        SELECT %2$s, row_number() OVER (ORDER BY total DESC NULLS LAST, %5$s) AS rank
        FROM (SELECT * FROM summed ORDER BY total DESC NULLS LAST, %5$s LIMIT %4$s::integer) highest
      )
      SELECT %2$s, coalesce(rank, %4$s::integer + 1)::integer AS key FROM summed LEFT JOIN ranked USING (%2$s)
    )$query$, source, string_agg(format('%I', name), ', '), counted, placeholder,
    string_agg(format('nullif(%I, '''') COLLATE "C" NULLS LAST', name), ', '))
  FROM unnest(names) WITH ORDINALITY AS n (name, ordinal)
$$;
