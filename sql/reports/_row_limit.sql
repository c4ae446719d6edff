-- How many keys a report gives rows of their own, checked.
CREATE OR REPLACE FUNCTION reporting.row_limit("limit" integer) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF "limit" IS NULL OR "limit" NOT BETWEEN 1 AND 10000 THEN
    PERFORM reporting.invalid('limit', 'limit must be a whole number from 1 to 10000');
  END IF;
  RETURN "limit";
END $$;
