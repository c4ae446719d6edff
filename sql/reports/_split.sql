-- The variants and weights of a split such as `control:2,a:1,b:1`; none for `equal`.
CREATE OR REPLACE FUNCTION reporting.split(split text) RETURNS TABLE (variant text, weight double precision)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF split = 'equal' THEN
    RETURN;
  END IF;
  IF split IS NULL OR split !~ '^[^:,]+:[0-9]{1,9}(\.[0-9]{1,9})?(,[^:,]+:[0-9]{1,9}(\.[0-9]{1,9})?)*$' THEN
    PERFORM reporting.invalid('split', format(
      'split is %s; accepted: equal, or the weight of each variant, such as control:2,a:1,b:1',
      coalesce('"' || split || '"', 'null')));
  END IF;
  RETURN QUERY
  SELECT split_part(part, ':', 1), split_part(part, ':', 2)::double precision
  FROM unnest(string_to_array(split, ',')) AS part;
  IF (SELECT count(DISTINCT split_part(part, ':', 1)) < count(*) OR bool_or(split_part(part, ':', 2)::double precision = 0)
    FROM unnest(string_to_array(split, ',')) AS part) THEN
    PERFORM reporting.invalid('split', 'split must name each variant once, with a weight above 0');
  END IF;
END $$;
