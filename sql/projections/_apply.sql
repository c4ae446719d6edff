-- Applies the events at positions after < position <= upto to one version of a group of projections: to the tables in
-- the schema `version`, by the functions in it (where it has none, by those that serve): live, beside, or in a baseline. The
-- caller moves the version's checkpoint in the same transaction. Groups that a fold applies begin with
-- projection.begin_fold.
--
--   members          the group's projections in order, unless the version has its own list
--   applied_before   how far the version has been applied, where that is beyond `upto`: for an event set aside earlier
--   received_before  leave out what was received at or after this time
CREATE OR REPLACE FUNCTION projection.apply(
  version text, leader text, members text[], after bigint, upto bigint,
  applied_before bigint DEFAULT NULL, received_before timestamptz DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  own text[];
  member text;
BEGIN
  PERFORM projection.enter(version, leader, upto - after, applied_before, received_before);
  SELECT v.members INTO own FROM projection.version v WHERE (v.schema_name, v.leader) = (version, apply.leader);
  FOREACH member IN ARRAY coalesce(own, members) LOOP
    EXECUTE format('SELECT %I($1, $2)', member || '_apply') USING after, upto;
  END LOOP;
END $$;
