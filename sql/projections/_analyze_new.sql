-- Runs ANALYZE on tables of a version without statistics that are no longer small. A plan made for an empty table uses an
-- arbitrary index, and is kept until there are statistics. A small sample is enough to choose the index; autovacuum does the
-- rest.
CREATE OR REPLACE FUNCTION projection.analyze_new(version text, leader text) RETURNS void
LANGUAGE plpgsql SET default_statistics_target = 10 AS $$
DECLARE
  relation oid;
BEGIN
  FOR relation IN
    SELECT c.oid
    FROM projection.version v
    JOIN pg_class c ON c.relname = ANY (v.objects) AND c.relnamespace = v.schema_name::regnamespace
    WHERE (v.schema_name, v.leader) = (version, analyze_new.leader) AND c.relkind = 'r' AND c.reltuples < 0
    ORDER BY c.relname
  LOOP
    -- Not asked of tables of other groups, which may be locked for a swap.
    IF pg_relation_size(relation) > 256 * 1024 THEN
      EXECUTE format('ANALYZE %s', relation::regclass);
    END IF;
  END LOOP;
END $$;
