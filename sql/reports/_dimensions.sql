-- The dimensions of a report's rows, none to two; refuses dimensions that are not accepted.
CREATE OR REPLACE FUNCTION reporting.dimensions("by" text[], accepted text[]) RETURNS text[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF "by" = '{none}' THEN
    RETURN '{}';
  END IF;
  IF "by" IS NULL OR cardinality("by") NOT BETWEEN 1 AND 2 OR NOT "by" <@ accepted OR "by"[1] = "by"[2] THEN
    PERFORM reporting.invalid('by', format('by is "%s"; accepted: none, or one or two different ones of %s',
      array_to_string("by", ','), array_to_string(accepted, ', ')));
  END IF;
  RETURN "by";
END $$;
