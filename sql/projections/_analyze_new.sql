-- Runs ANALYZE on tables of a version that are no longer small, and without statistics or with those of an empty table. A plan
-- made for an empty table uses an arbitrary index, or reads all of it for each batch, and is kept until there are statistics. A
-- small sample is enough to choose the index; autovacuum does the rest.
CREATE OR REPLACE FUNCTION projection.analyze_new(version text, leader text) RETURNS void
LANGUAGE plpgsql SET default_statistics_target = 10 AS $$
DECLARE
  relation record;
BEGIN
  FOR relation IN
    SELECT c.oid, c.relpages * current_setting('block_size')::bigint AS analyzed_size
    FROM projection.version v
    JOIN pg_class c ON c.relname = ANY (v.objects) AND c.relnamespace = v.schema_name::regnamespace
    WHERE (v.schema_name, v.leader) = (version, analyze_new.leader) AND c.relkind = 'r' AND c.reltuples <= 0
    ORDER BY c.relname
  LOOP
    -- Not asked of tables of other groups, which may be locked for a swap.
    IF pg_relation_size(relation.oid) > greatest(256 * 1024, relation.analyzed_size) THEN
      EXECUTE format('ANALYZE %s', relation.oid::regclass);
    END IF;
  END LOOP;
END $$;
