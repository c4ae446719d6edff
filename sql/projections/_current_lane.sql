-- The lane that the session applies (projection.enter).
CREATE OR REPLACE FUNCTION projection.current_lane() RETURNS smallint
LANGUAGE sql STABLE AS $$ SELECT coalesce(nullif(current_setting('notilog.lane', true), ''), '0')::smallint $$;

-- The number of lanes of the version that it applies.
CREATE OR REPLACE FUNCTION projection.current_lanes() RETURNS smallint
LANGUAGE sql STABLE AS $$ SELECT greatest(coalesce(nullif(current_setting('notilog.lanes', true), ''), '1')::smallint, 1::smallint) $$;
