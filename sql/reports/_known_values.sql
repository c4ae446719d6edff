-- The values that a dimension of a closed vocabulary can have (docs/events.md); null for the other dimensions. The settings in
-- force are never null: what no snapshot tells is `unknown`.
CREATE OR REPLACE FUNCTION reporting.known_values(dimension text) RETURNS text[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE dimension
    WHEN 'platform' THEN '{ios,ipados,tvos,watchos,macos,visionos,android,web,other}'
    WHEN 'trigger' THEN '{push,time_interval,calendar,location,none}'
    WHEN 'interruption_level' THEN '{passive,active,time_sensitive,critical}'
    WHEN 'provider' THEN '{apns,fcm}'
    WHEN 'environment' THEN '{sandbox,production}'
    ELSE (SELECT s.words FROM reporting.settings_in_force() s WHERE s.name = dimension)
  END
$$;
