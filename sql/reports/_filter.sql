-- An SQL condition for filters such as {"category": ["news", null]}: any of the values, null where there is none.
--
-- `columns` gives, for each dimension that is accepted, the expression to compare, in which '' stands for null.
CREATE OR REPLACE FUNCTION reporting.filter(filters jsonb, columns jsonb) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
  condition text := 'true';
  dimension text;
  accepted  jsonb;
BEGIN
  IF jsonb_typeof(filters) IS DISTINCT FROM 'object' THEN
    PERFORM reporting.invalid('filters', 'filters must be an object of arrays, such as {"category": ["news", null]}');
  END IF;
  FOR dimension, accepted IN SELECT * FROM jsonb_each(filters) ORDER BY key LOOP
    IF NOT columns ? dimension THEN
      PERFORM reporting.invalid(dimension, format('there is no filter "%s"; accepted: %s', dimension,
        coalesce((SELECT string_agg(key, ', ' ORDER BY ordinal)
          FROM jsonb_object_keys(columns) WITH ORDINALITY AS k (key, ordinal)), 'none')));
    END IF;
    IF jsonb_typeof(accepted) <> 'array' OR jsonb_path_exists(accepted, '$[*] ? (@.type() != "string" && @ != null)') THEN
      PERFORM reporting.invalid(dimension, format('the filter "%s" must be an array of strings and nulls', dimension));
    END IF;
    condition := condition || format(' AND %s = ANY (%L::text[])', columns->>dimension,
      (SELECT array_agg(coalesce(value, '')) FROM jsonb_array_elements_text(accepted) AS value));
  END LOOP;
  RETURN condition;
END $$;
