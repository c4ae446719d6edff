-- What decides on the lane of a device's events, from 0 to 7: taken modulo the number of lanes of a version. It never changes: rows
-- of projections are stored by it. A surrogate has that of the device it stands for (log.surrogate), so an erasure moves no
-- device to another lane; what belongs to no device is of the first lane.
CREATE OR REPLACE FUNCTION log.lane(device text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN device = '' THEN 0
    WHEN starts_with(device, 'erased-') THEN strpos('0123456789abcdef', right(device, 1)) - 1 & 7
    ELSE strpos('0123456789abcdef', left(md5(device), 1)) - 1 & 7 END
$$;

-- A random surrogate for a device, of the device's lane. Nothing else links the two.
CREATE OR REPLACE FUNCTION log.surrogate(device text) RETURNS text
LANGUAGE sql VOLATILE AS $$
  SELECT 'erased-' || left(gen_random_uuid()::text, 35) || to_hex(log.lane(device))
$$;
