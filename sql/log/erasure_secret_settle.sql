-- Chooses the key of the ledger's hashes, as long as the ledger is empty: the secret of this session, else a random key in
-- the database.
CREATE OR REPLACE FUNCTION log.erasure_secret_settle() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given text := nullif(current_setting('notilog.erasure_secret', true), '');
BEGIN
  PERFORM FROM log.erasure_secret FOR UPDATE;
  IF EXISTS (SELECT FROM log.erasure) THEN
    RETURN;
  END IF;
  IF given IS NULL THEN
    UPDATE log.erasure_secret SET secret = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), proof = NULL
    WHERE secret IS NULL;
  ELSE
    UPDATE log.erasure_secret SET secret = NULL, proof = sha256(sha256(convert_to(given, 'UTF8')) || '\x50');
  END IF;
END $$;
