-- The number of devices and tokens of each app beyond the bound of device_token, which have no state.
CREATE OR REPLACE FUNCTION projection.excess() RETURNS TABLE (app_id integer, devices bigint, tokens bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- A version that an earlier release made has no bound.
  IF to_regclass('projection.device_excess') IS NOT NULL AND to_regclass('projection.token_excess') IS NOT NULL THEN
    RETURN QUERY
    SELECT e.app_id, count(*) FILTER (WHERE e.is_device), count(*) FILTER (WHERE NOT e.is_device)
    FROM (
      SELECT d.app_id, true AS is_device FROM projection.device_excess d
      UNION ALL
      SELECT t.app_id, false FROM projection.token_excess t
    ) e
    GROUP BY e.app_id
    ORDER BY e.app_id;
  END IF;
END $$;
