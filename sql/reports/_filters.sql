-- Gives filters such as {"category": ["news", null]} back where their dimensions are accepted; else refuses them.
CREATE OR REPLACE FUNCTION reporting.filters(filters jsonb, accepted text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
DECLARE
  dimension text;
  "values"  jsonb;
BEGIN
  IF jsonb_typeof(filters) IS DISTINCT FROM 'object' THEN
    PERFORM reporting.invalid('filters', 'filters must be an object of arrays, such as {"category": ["news", null]}');
  END IF;
  FOR dimension, "values" IN SELECT * FROM jsonb_each(filters) ORDER BY key LOOP
    IF dimension <> ALL (accepted) THEN
      PERFORM reporting.invalid(dimension,
        format('there is no filter "%s"; accepted: %s', dimension, array_to_string(accepted, ', ')));
    END IF;
    IF jsonb_typeof("values") <> 'array'
      OR jsonb_path_exists("values", '$[*] ? (@.type() != "string" && @ != null)') THEN
      PERFORM reporting.invalid(dimension, format('the filter "%s" must be an array of strings and nulls', dimension));
    END IF;
  END LOOP;
  RETURN filters;
END $$;
