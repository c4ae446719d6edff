-- The CTE that numbers the keys of a report's rows: `key` has each key of the CTE `source`, and as `key` its rank by the
-- sum of `counted` over the whole range, ties by the key itself (null last). All beyond the limit, which the parameter
-- `placeholder` of the query has, come under one number, the limit plus one; so what is made of rows has few groups,
-- however many keys clients make up.
--
-- `names` are the columns of a key, texts in which '' stands for null; `counted` is an expression of columns of `source`.
CREATE OR REPLACE FUNCTION reporting.keys(source text, names text[], counted text, placeholder text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT format($query$key AS MATERIALIZED (
      SELECT %2$s, least(rank, %4$s::integer + 1)::integer AS key
      FROM (
        SELECT %2$s, row_number() OVER (ORDER BY sum(%3$s) DESC NULLS LAST, %5$s) AS rank
        FROM %1$s
        GROUP BY %2$s
      ) ranked
    )$query$, source, string_agg(format('%I', name), ', '), counted, placeholder,
    string_agg(format('nullif(%I, '''') COLLATE "C" NULLS LAST', name), ', '))
  FROM unnest(names) WITH ORDINALITY AS n (name, ordinal)
$$;
