-- oldest service: 21
-- Most events keep their other fields as text: to make jsonb of them, and text of it again for the folds, takes PostgreSQL a fourth
-- of the time of an append, and most of that of reading. Stored events stay as they are.
ALTER TABLE log.event ADD COLUMN data_text text;
ALTER TABLE log.event ALTER COLUMN data DROP NOT NULL;
ALTER TABLE log.event ADD CONSTRAINT event_data CHECK ((data IS NULL) <> (data_text IS NULL)) NOT VALID;
-- JSON text behind the byte with which jsonb begins in binary: who reads it cannot tell one from the other, and PostgreSQL need not make
-- jsonb of the text first.
CREATE DOMAIN export.sent_jsonb AS text;
