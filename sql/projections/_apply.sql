-- Applies the events at positions after < position <= upto to one version of a group of projections: to the tables in
-- the schema `version`, by the functions in it (where it has none, by those that serve). The one way in which any row of
-- a projection is made, live, beside, or in a baseline; the caller moves the version's checkpoint in the same
-- transaction.
--
--   members          the group's projections in order, unless the version has its own list
--   applied_before   how far the version has been applied, where that is beyond `upto`: for an event set aside earlier
--   received_before  leave out what was received at or after this time
--
-- Erasure, which rewrites rows of projections by other means, holds lock.still exclusively: no batch of any
-- version is under way then. Retention holds it shared: no device is erased meanwhile. A batch that may be long, of a version
-- that is not in use, holds lock.background first: erasure waits for that one while batches of the versions in use go on.
CREATE OR REPLACE FUNCTION projection.apply(
  version text, leader text, members text[], after bigint, upto bigint,
  applied_before bigint DEFAULT NULL, received_before timestamptz DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  own text[];
  member text;
BEGIN
  IF version <> 'projection' AND upto - after > 1000 THEN
    PERFORM lock.shared('background');
  END IF;
  PERFORM lock.shared('still');
  PERFORM set_config('search_path', format('%I, projection, log, pg_catalog, pg_temp', version), true),
    set_config('notilog.projection', leader, true),
    set_config('notilog.applied', coalesce(applied_before::text, ''), true),
    set_config('notilog.received_before', coalesce(received_before::text, ''), true);
  SELECT v.members INTO own FROM projection.version v WHERE (v.schema_name, v.leader) = (version, apply.leader);
  FOREACH member IN ARRAY coalesce(own, members) LOOP
    EXECUTE format('SELECT %I($1, $2)', member || '_apply') USING after, upto;
  END LOOP;
END $$;
