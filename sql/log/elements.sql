-- The elements of an array that another one, as long, says true of.
CREATE OR REPLACE FUNCTION log.elements(list anyarray, are_wanted boolean[]) RETURNS anyarray
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT array_agg(u.value ORDER BY u.ordinal)
    FROM unnest(list, are_wanted) WITH ORDINALITY AS u (value, is_wanted, ordinal)
    WHERE u.is_wanted);
END $$;
