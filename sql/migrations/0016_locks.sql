-- What Notilog locks by. A lock is a table here, or a row of one: only who may name and change them can take them, and no
-- role but the service's may even look into this schema. Advisory locks are anybody's who can connect.
CREATE SCHEMA lock;

-- Appends hold the table of their epoch, the two by turns (log.append, log.drain_appends).
CREATE TABLE lock.epoch_0 ();
CREATE TABLE lock.epoch_1 ();
-- One at a time closes an epoch, or waits for the appends of one.
CREATE TABLE lock.drain ();
-- Every batch of every version of every projection holds it shared; held exclusively, none is under way.
CREATE TABLE lock.still ();
-- Whoever reads or writes the baseline as a whole.
CREATE TABLE lock.baseline ();
-- Whoever makes partitions of the log.
CREATE TABLE lock.partitions ();
-- Locks with a name, for the length of a transaction that writes: rows, as they take a transaction id.
CREATE TABLE lock.key (
  name text COLLATE "C" PRIMARY KEY   -- what is locked
);
