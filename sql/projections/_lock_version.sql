-- The name of the lock of a lane of a version of a group.
CREATE OR REPLACE FUNCTION projection.lane_lock(version text, leader text, lane integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT format('version %s %s', version, leader) || CASE WHEN lane > 0 THEN ' ' || lane ELSE '' END
$$;

-- Takes the lock of a lane for the rest of the transaction. A batch of the lane holds it. Take it before any other lock.
CREATE OR REPLACE FUNCTION projection.lock_lane(version text, leader text, lane smallint) RETURNS void
LANGUAGE sql AS $$ SELECT lock.named(projection.lane_lock(version, leader, lane)) $$;

-- Takes it if no session holds it; returns whether it did.
CREATE OR REPLACE FUNCTION projection.try_lock_lane(version text, leader text, lane smallint) RETURNS boolean
LANGUAGE sql AS $$ SELECT lock.try_named(projection.lane_lock(version, leader, lane)) $$;

-- Takes the locks of all lanes of a version, the first lane's first: a swap holds those of the version in use, so the number of
-- lanes stays what it is from then on.
CREATE OR REPLACE FUNCTION projection.lock_version(version text, leader text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock.named(projection.lane_lock(version, leader, 0));
  FOR lane IN 1..(SELECT l.lanes - 1 FROM projection.lanes(version, leader) l) LOOP
    PERFORM lock.named(projection.lane_lock(version, leader, lane));
  END LOOP;
END $$;
