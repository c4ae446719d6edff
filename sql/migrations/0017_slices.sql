-- How far what a version of a group has applied is complete: of an event beyond it slices may be left, of the notifications
-- that a category's change bears on. Null where nothing is left.
ALTER TABLE projection.checkpoint ADD COLUMN unfinished_after bigint;
ALTER TABLE projection.version ADD COLUMN unfinished_after bigint;
