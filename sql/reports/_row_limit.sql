-- How many keys a report gives rows of their own, checked.
CREATE OR REPLACE FUNCTION reporting.row_limit("limit" integer, most integer DEFAULT 10000) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF "limit" IS NULL OR "limit" NOT BETWEEN 1 AND most THEN
    PERFORM reporting.invalid('limit', format('limit must be a whole number from 1 to %s', most));
  END IF;
  RETURN "limit";
END $$;
