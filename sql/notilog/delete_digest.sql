-- Deletes a digest of an app, with what is not delivered yet; returns whether there is such a digest.
CREATE OR REPLACE FUNCTION notilog.delete_digest(app integer, digest bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM notilog.digest d WHERE d.app_id = app AND d.digest_id = digest;
  RETURN FOUND;
END $$;
