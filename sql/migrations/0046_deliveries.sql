-- oldest service: 33
-- Deliveries of alerts and of digests are claimed, listed and ended by the same functions: those for services that knew alerts alone
-- are dropped.
DROP FUNCTION IF EXISTS notilog.alert_deliveries(integer, integer);
DROP FUNCTION IF EXISTS notilog.claim_alert_deliveries(integer, integer);
DROP FUNCTION IF EXISTS notilog.end_alert_delivery(uuid, text, integer);
DROP FUNCTION IF EXISTS notilog.claim_deliveries(integer, integer, boolean);
