-- oldest service: 21
-- Reports look for the pushes that were requested after their token had ended. `event_token` leads to every event of a token:
-- all but a few are older than its end. The day says which are new. Eight bytes of the digest tell tokens apart, and are too many
-- for anybody to find tokens that share them.
CREATE INDEX event_request ON log.event (app_id, substring(token, 1, 8), ((received_at AT TIME ZONE 'UTC')::date))
  WHERE kind = 'request' AND token IS NOT NULL;
-- A push that is due later may be requested long before its token ends. These are few, and most logs have none.
CREATE INDEX event_scheduled ON log.event (app_id, token)
  WHERE kind = 'request' AND token IS NOT NULL AND data ? 'scheduled_for';
