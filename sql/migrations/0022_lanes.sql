-- Lanes: several sessions apply one version of a group of projections side by side, each the events of some of the devices.

-- The number of lanes, for the whole life of a version. Null for a version made before there were lanes: it has one, and its
-- rollups have no column `lane`.
ALTER TABLE projection.version ADD COLUMN lanes smallint CHECK (lanes IN (1, 2, 4, 8));

-- The checkpoint of each lane of a version in use.
ALTER TABLE projection.checkpoint
  ADD COLUMN lane smallint NOT NULL DEFAULT 0,
  DROP CONSTRAINT checkpoint_pkey,
  ADD PRIMARY KEY (name, lane);

-- The same of the versions beside.
CREATE TABLE projection.version_lane (
  schema_name      text     NOT NULL,
  leader           text     NOT NULL,
  lane             smallint NOT NULL,
  position         bigint   NOT NULL DEFAULT 0,   -- applied up to here
  unfinished_after bigint,                        -- null if no slices are left
  PRIMARY KEY (schema_name, leader, lane)
);
INSERT INTO projection.version_lane (schema_name, leader, lane, position, unfinished_after)
SELECT schema_name, leader, 0, position, unfinished_after FROM projection.version
WHERE schema_name NOT IN ('projection', 'baseline');
-- It is made again with the functions.
DROP VIEW IF EXISTS log.reader_position;
ALTER TABLE projection.version DROP COLUMN position, DROP COLUMN unfinished_after, DROP COLUMN target, DROP COLUMN updated_at;

-- Who begins to apply a lane: an event that ends the process of each holder is found by this.
CREATE TABLE projection.holding (
  schema_name text     NOT NULL,
  leader      text     NOT NULL,
  lane        smallint NOT NULL,
  position    bigint   NOT NULL,             -- the checkpoint at which the newest holder began
  began       integer  NOT NULL,             -- how many holders began there, one after another
  alone       bigint,                        -- the event that a holder applied alone
  tries       integer  NOT NULL DEFAULT 0,   -- how many holders did
  PRIMARY KEY (schema_name, leader, lane)
);

-- Each lane sets its own events aside; a registration of categories is one of every lane.
ALTER TABLE projection.set_aside
  ADD COLUMN lane smallint NOT NULL DEFAULT 0,
  DROP CONSTRAINT set_aside_pkey,
  ADD PRIMARY KEY (schema_name, leader, position, lane);

-- The position of each lane when the rows of a dataset were compared.
ALTER TABLE export.feed ADD COLUMN lanes bigint[] NOT NULL DEFAULT '{}';

-- The rollups of dropped events get the column too, as they can't be computed again. The group's baseline is registered again by
-- the next retention, once the group is rebuilt.
DO $$
DECLARE
  rollup record;
BEGIN
  FOR rollup IN
    SELECT format('baseline.%I', c.relname) AS name, quote_ident(k.conname) AS key,
      string_agg(quote_ident(a.attname), ', ' ORDER BY array_position(k.conkey, a.attnum)) AS columns
    FROM pg_class c
    JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
    WHERE c.relnamespace = 'baseline'::regnamespace AND c.relname IN ('engagement', 'engagement_latency', 'cohort_zone',
      'cohort_stage', 'cohort_outcome', 'presence_count', 'repeated', 'category_walk', 'category_change')
    GROUP BY c.relname, k.conname
  LOOP
    EXECUTE format('ALTER TABLE %s ADD COLUMN lane smallint NOT NULL DEFAULT 0, DROP CONSTRAINT %s, ADD PRIMARY KEY (%s, lane)',
      rollup.name, rollup.key, rollup.columns);
    DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
  END LOOP;
END $$;
