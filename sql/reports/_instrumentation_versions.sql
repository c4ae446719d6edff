-- The versions of the app that devices were heard of on in a range, the ones on most devices first, and what the report instrumentation
-- compares each with: arrays, with an element for each version.
--
-- `keys` are the versions' numbers, `limit` + 1 for all beyond it. `firsts` are when each was first seen, `devices` how many were ever
-- heard of on it. `befores` are the versions that they are compared with, null where there is none, with the same of these; `earliers`
-- those that these are compared with.
CREATE OR REPLACE FUNCTION reporting.instrumentation_versions(
  app_number integer, from_at timestamptz, to_at timestamptz, filters jsonb, "limit" integer,
  OUT versions text[], OUT keys integer[], OUT firsts timestamptz[], OUT befores text[], OUT before_firsts timestamptz[],
  OUT earliers text[], OUT devices bigint[], OUT before_devices bigint[], OUT total bigint)
LANGUAGE plpgsql STABLE SET jit = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
DECLARE
  in_thousand integer;   -- of so many devices the first times are asked for
  is_certain  boolean;
BEGIN
  -- One device in a thousand tells when a version was first seen. Of a few the time is asked for, and of all where databases differ so
  -- much that these may not have it.
  FOREACH in_thousand IN ARRAY '{4,1000}'::integer[] LOOP
    EXECUTE $query$
      WITH counts AS MATERIALIZED (
        SELECT * FROM reporting.instrumentation_version_counts($1, $2, $3, $5, $6)
      ), version AS MATERIALIZED (   -- the first, as percentile_disc(0.001) has it
        SELECT version, devices, here, (array_agg(f.at ORDER BY f.at))[ceil(0.001::double precision * devices)::integer] AS first_at
        FROM (
          SELECT version COLLATE "C" AS version, (sum(devices) OVER version)::bigint AS devices, (sum(here) OVER version)::bigint AS here, firsts
          FROM counts
          WINDOW version AS (PARTITION BY version)
        ) c
        CROSS JOIN LATERAL unnest(firsts) AS f (at)
        GROUP BY version, devices, here
      ), ranked AS (
        SELECT *, row_number() OVER (ORDER BY here DESC, devices DESC, nullif(version, '') COLLATE "C" NULLS LAST) AS rank
        FROM version
      ), known AS MATERIALIZED (   -- those that are compared, and those of them that others are compared with
        SELECT version, first_at, devices, devices * 10 >= most AS is_common
        FROM (SELECT *, max(devices) FILTER (WHERE version <> '') OVER () AS most FROM ranked) r
        WHERE rank <= $4 AND version <> '' AND devices * 1000 >= most
      ), followed AS (
        SELECT k.version, b.version AS before, b.first_at AS before_at, b.devices AS before_devices
        FROM known k
        CROSS JOIN LATERAL (
          SELECT b.version, b.first_at, b.devices
          FROM known b
          WHERE b.is_common AND (b.first_at, b.version COLLATE "C") < (k.first_at, k.version COLLATE "C")
          ORDER BY b.first_at DESC, b.version COLLATE "C" DESC
          LIMIT 1
        ) b
      ), compared AS (
        SELECT f.*, e.before AS earlier FROM followed f LEFT JOIN followed e ON e.version = f.before
      )
      SELECT array_agg(version ORDER BY rank) AS versions, array_agg(least(rank, $4 + 1)::integer ORDER BY rank) AS keys,
        array_agg(first_at ORDER BY rank) AS firsts, array_agg(before ORDER BY rank) AS befores,
        array_agg(before_at ORDER BY rank) AS before_firsts, array_agg(earlier ORDER BY rank) AS earliers,
        array_agg(devices ORDER BY rank) AS devices, array_agg(before_devices ORDER BY rank) AS before_devices, count(*) AS total,
        (   -- no time that was left out can be earlier
          SELECT bool_and(cardinality(c.firsts) = c.devices OR c.firsts[cardinality(c.firsts)] >= v.first_at)
          FROM counts c
          JOIN version v USING (version)) IS NOT FALSE AS is_certain
      FROM ranked
      LEFT JOIN compared USING (version)
      WHERE here > 0
    $query$ INTO versions, keys, firsts, befores, before_firsts, earliers, devices, before_devices, total, is_certain
    USING app_number, from_at, to_at, "limit", filters, in_thousand;
    EXIT WHEN is_certain;
  END LOOP;
END $$;
