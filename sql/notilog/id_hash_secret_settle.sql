-- Whether a proof is of the secret by which apps hash ids. The first proof that is given becomes that of the secret, and stays.
CREATE OR REPLACE FUNCTION notilog.id_hash_secret_settle(given bytea) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM notilog.id_hash_secret) THEN
    -- Another service may be quicker, with another one.
    INSERT INTO notilog.id_hash_secret (proof) VALUES (given) ON CONFLICT DO NOTHING;
  END IF;
  RETURN (SELECT s.proof = given FROM notilog.id_hash_secret s);
END $$;
