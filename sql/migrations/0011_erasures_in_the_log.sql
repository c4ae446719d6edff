-- Which devices were erased in a range of the log: from the events that record it. The ledger knows of a device erased twice
-- only the second time.
CREATE INDEX event_erasure ON log.event (position) WHERE kind = 'erasure';
