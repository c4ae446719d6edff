-- oldest service: 21
-- The tokens of erased devices in events that are not the device's own, for exports: in a cell that is not the device's there may be
-- no event of it, and retention may have dropped the ones that had the token.
CREATE TABLE log.erased_token (
  app_id    integer          NOT NULL,
  surrogate text COLLATE "C" NOT NULL,
  token     bytea            NOT NULL,
  position  bigint           NOT NULL,
  PRIMARY KEY (app_id, surrogate, token)
);
COMMENT ON TABLE log.erased_token IS 'Tokens of erased devices that events without a device, or of other devices, carry.';
COMMENT ON COLUMN log.erased_token.surrogate IS 'Of the device.';
COMMENT ON COLUMN log.erased_token.token IS 'The surrogate of the digest.';
COMMENT ON COLUMN log.erased_token.position IS 'Of the erasure: retention deletes the row with it.';
