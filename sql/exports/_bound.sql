-- Up to which number a dataset may be read now: the settled position of the log for events, else the last change number,
-- with every change up to now numbered. In a REPEATABLE READ transaction, see export.sync().
CREATE OR REPLACE FUNCTION export.bound(dataset text, app integer) RETURNS bigint
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  IF (SELECT d.keys = '{}' FROM export.dataset d WHERE d.name = dataset) THEN
    RETURN (SELECT s.settled_position FROM log.state s);
  END IF;
  RETURN export.sync(dataset, app);
END $$;
