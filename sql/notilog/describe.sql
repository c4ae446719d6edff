-- Stores the descriptions in SQL files as comments on objects: kinds are function and relation, columns '' for the object
-- itself, texts '' without a description. Missing objects are skipped, unchanged comments are not touched. A column gets the meaning of
-- its name in its table (notilog.column_meaning), else its description in its file, else the meaning of its name.
--
-- A comment that begins with book-keeping stays: it excludes the column from comparisons of projections.
CREATE OR REPLACE FUNCTION notilog.describe(kinds text[], names text[], columns text[], texts text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  statement text;
BEGIN
  FOR statement IN
    WITH given AS (
      SELECT *, CASE kind WHEN 'relation' THEN to_regclass(name) END::oid AS relation
      FROM unnest(kinds, names, columns, texts) WITH ORDINALITY AS g (kind, name, column_name, comment, ordinal)
    ), wanted AS (
      SELECT format('%s %s', CASE prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, oid::regprocedure) AS object, comment,
        obj_description(oid, 'pg_proc') AS present
      FROM (
        SELECT DISTINCT ON (p.oid) p.oid, p.prokind, g.comment
        FROM given g
        JOIN pg_proc p ON format('%s.%s', p.pronamespace::regnamespace, p.proname) = g.name
        WHERE g.kind = 'function'
        ORDER BY p.oid, g.comment = '', g.ordinal
      ) routine
      UNION ALL
      SELECT format('%s %s', CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass), g.comment,
        obj_description(c.oid, 'pg_class')
      FROM given g
      JOIN pg_class c ON c.oid = g.relation
      WHERE g.column_name = ''
      UNION ALL
      SELECT format('COLUMN %s.%I', r.relation::regclass, a.attname),
        coalesce(notilog.column_meaning(format('%s.%s', c.relname, a.attname)::name), g.comment, notilog.column_meaning(a.attname)),
        col_description(r.relation, a.attnum)
      FROM (SELECT DISTINCT relation FROM given WHERE column_name = '') r
      JOIN pg_class c ON c.oid = r.relation
      JOIN pg_attribute a ON a.attrelid = r.relation AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN given g ON g.relation = r.relation AND g.column_name = a.attname
    )
    SELECT format('COMMENT ON %s IS %L', object, comment)
    FROM wanted
    WHERE comment <> '' AND comment IS DISTINCT FROM present AND coalesce(present, '') NOT LIKE 'book-keeping%'
  LOOP
    EXECUTE statement;
  END LOOP;
END $$;
