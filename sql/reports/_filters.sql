-- Gives filters such as {"category": ["news", null]} back where their dimensions are accepted; else refuses them, as values outside of a closed vocabulary.
CREATE OR REPLACE FUNCTION reporting.filters(filters jsonb, accepted text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
DECLARE
  dimension text;
  "values"  jsonb;
  known     text[];
  wrong     text;
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
    known := reporting.known_values(dimension);
    CONTINUE WHEN known IS NULL;
    SELECT v.value INTO wrong FROM jsonb_array_elements_text("values") AS v (value) WHERE v.value <> '' AND v.value <> ALL (known) LIMIT 1;
    IF FOUND THEN
      PERFORM reporting.invalid(dimension, format('the filter "%s" does not take "%s"; accepted: %s', dimension, left(wrong, 64), array_to_string(known, ', ')));
    END IF;
  END LOOP;
  RETURN filters;
END $$;
