-- Holds erasures off for the rest of the transaction, or (exclusively) everybody who holds them off. Whoever reads events
-- and writes down what device they are of, such as a batch of a projection, passes the gate before it reads: what it has
-- read is then written before an erasure looks for it.
CREATE OR REPLACE FUNCTION log.erasure_gate(exclusively boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF exclusively THEN
    PERFORM pg_advisory_xact_lock(x'4E4F54497374696C'::bigint);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(x'4E4F54497374696C'::bigint);
  END IF;
END $$;
