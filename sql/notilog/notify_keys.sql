-- Tells the services, once the transaction is committed, that apps or keys changed. Not into a queue that a session lets fill: NOTIFY
-- fails when it is full, and the change with it. Services read the keys every few seconds as well.
CREATE OR REPLACE FUNCTION notilog.notify_keys() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_notify('notilog_keys', '') WHERE pg_notification_queue_usage() < 0.5
$$;
