-- Whether a cell that is not the device's own has anything of it: its rows, its tokens, or rejected items that may be of it. Where there
-- is nothing, an erasure stops no batch.
CREATE OR REPLACE FUNCTION log.erasure_concerns(app integer, device text, tokens bytea[]) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  "table" record;
  found   boolean;
BEGIN
  IF EXISTS (SELECT FROM log.quarantine q WHERE q.app_id = app) OR EXISTS (
    SELECT FROM unnest(tokens) AS t (token) CROSS JOIN LATERAL (SELECT FROM log.event e WHERE (e.app_id, e.token) = (app, t.token) LIMIT 1) e)
  THEN
    RETURN true;
  END IF;
  FOR "table" IN SELECT * FROM log.erasure_tables() LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$s WHERE app_id = $1 AND device_id = $2) %2$s', "table".name,
      CASE WHEN "table".has_token THEN format('OR EXISTS (SELECT FROM %s WHERE app_id = $1 AND token = ANY ($3))', "table".name) ELSE '' END)
    INTO found USING app, device, tokens;
    IF found THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $$;
