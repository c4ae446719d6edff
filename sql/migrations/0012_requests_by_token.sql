-- Where the events of a token are, requests to it among them: what was still sent to one that had died is looked for by
-- reports, which by device would read all that the log holds of it.
DROP INDEX log.event_token;
CREATE INDEX event_token ON log.event (app_id, token) WHERE token IS NOT NULL;
