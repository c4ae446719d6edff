-- oldest service: 21
-- Reports look for the pushes that were requested after their token had ended. `event_token` leads to every event of a token:
-- all but a few are older than its end. Four bytes of the digest tell tokens apart well enough, and the day says which are new:
-- 16 bytes a request.
CREATE INDEX event_request ON log.event (app_id, substring(token, 1, 4), ((received_at AT TIME ZONE 'UTC')::date))
  WHERE kind = 'request' AND token IS NOT NULL;
-- A push that is due later may be requested long before its token ends. These are few, and most logs have none.
CREATE INDEX event_scheduled ON log.event (app_id, token)
  WHERE kind = 'request' AND token IS NOT NULL AND data ? 'scheduled_for';
