-- oldest service: 39
-- Cells that move to other servers.

ALTER TABLE log.state ADD COLUMN move uuid, ADD COLUMN target text, ADD COLUMN sealed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN log.state.closed IS 'Whether another database takes over: no event is stored here any more.';
COMMENT ON COLUMN log.state.move IS 'The move of this cell for which it is closed; null if it is not closed, or for an import.';
COMMENT ON COLUMN log.state.target IS 'Where that move goes: a URL of libpq. A coordinator that was set back may not know it.';
COMMENT ON COLUMN log.state.sealed IS 'Whether all that anybody was told of is written: a standby that shows it lacks nothing.';

ALTER TABLE notilog.cell ADD COLUMN move uuid, ADD COLUMN target text;
COMMENT ON COLUMN notilog.cell.move IS 'The move of the cell that has not ended; null for none.';
COMMENT ON COLUMN notilog.cell.target IS 'Where the cell is to be; null once the cell is there, and its new database is to be opened.';
