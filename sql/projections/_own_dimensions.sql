-- The own dimensions by which the version that is applied counts events of a range: of each the app, the key of `attributes`, and
-- after and up to which position. The baseline takes in what the version in use counted.
CREATE OR REPLACE FUNCTION projection.own_dimensions(after bigint, upto bigint)
RETURNS TABLE (app_id integer, key text, after_position bigint, upto_position bigint)
LANGUAGE sql STABLE AS $$
  SELECT d.app_id, d.key, d.after_position, coalesce(d.upto_position, 9223372036854775807)
  FROM projection.version v
  JOIN notilog.dimension d USING (version_id)
  WHERE v.schema_name = CASE current_schema() WHEN 'baseline' THEN 'projection' ELSE current_schema() END
    AND v.leader = 'notification' AND d.after_position < upto AND coalesce(d.upto_position > after, true)
$$;
