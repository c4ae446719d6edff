-- Writes a digest that was due: what is to be delivered, and when it is due next, in one transaction. What fell due meanwhile is not
-- made up for. Returns whether it did: not where another service made it before, it is gone, or another store has taken over.
CREATE OR REPLACE FUNCTION notilog.finish_digest(digest bigint, due timestamptz, first_day date, message jsonb) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this notilog.digest;
  next timestamptz;
BEGIN
  SELECT * INTO this FROM notilog.digest d WHERE d.digest_id = digest AND d.due_at = due FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  -- Under the lock of the epoch: who takes over has waited for it before the digest is read there, to be made, too.
  IF (log.enter_epoch()).closed THEN
    RETURN false;
  END IF;
  SELECT notilog.digest_due(greatest(now(), due), this.weekday, this.at, notilog.view_tz(v.parameters)) INTO next
  FROM notilog.saved_view v
  WHERE (v.app_id, v.name) = (this.app_id, this.view);
  INSERT INTO notilog.delivery (digest_id, app_id, day, receiver, message)
  VALUES (digest, this.app_id, first_day, this.receiver, message);
  UPDATE notilog.digest d SET due_at = next, try_at = next, made_at = now(), last_error = NULL WHERE d.digest_id = digest;
  RETURN true;
END $$;
