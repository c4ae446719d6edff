-- Whether a proof is of the secret by which apps hash ids. The first proof given while an app hashes ids becomes that of the
-- secret. So does another one as long as no such app has an event.
CREATE OR REPLACE FUNCTION notilog.id_hash_secret_settle(given bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  settled bytea := (SELECT s.proof FROM notilog.id_hash_secret s);
BEGIN
  IF settled = given OR NOT EXISTS (SELECT FROM notilog.app a WHERE a.hash_ids) THEN
    RETURN true;
  END IF;
  IF settled IS NOT NULL THEN
    IF EXISTS (SELECT FROM notilog.app a WHERE a.hash_ids AND EXISTS (SELECT FROM log.event e WHERE e.app_id = a.app_id)) THEN
      RETURN false;
    END IF;
    DELETE FROM notilog.id_hash_secret s WHERE s.proof = settled;
  END IF;
  INSERT INTO notilog.id_hash_secret (proof) VALUES (given) ON CONFLICT DO NOTHING;
  -- Another service may have been quicker, with another one.
  RETURN (SELECT s.proof = given FROM notilog.id_hash_secret s);
END $$;
