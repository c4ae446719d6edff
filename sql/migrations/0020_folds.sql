-- The group of `notification` is applied by a fold (docs/projections.md). A version of an earlier release goes on with its own
-- tables and functions until it is rebuilt.

-- What the report funnel asks of its rows, as the new version has it.
DO $$
BEGIN
  IF EXISTS (
      SELECT FROM pg_attribute
      WHERE attrelid = to_regclass('projection.notification') AND attname = 'first_alerting' AND NOT attisdropped) THEN
    CREATE OR REPLACE FUNCTION projection.is_alerting(n projection.notification) RETURNS boolean
    LANGUAGE sql STABLE AS $f$ SELECT coalesce(projection.claimed(n.first_alerting), 'true') = 'true' $f$;
    UPDATE projection.version SET objects = objects || '{is_alerting}'
    WHERE (schema_name, leader) = ('projection', 'notification');
  END IF;
END $$;

-- The rows of dropped events take the new form at once, as they can't be computed again: what was claims becomes packed facts,
-- in version 0 of the packing. The group's baseline is registered again by the next retention, once the group is rebuilt.
DO $$
DECLARE
  claims text;
BEGIN
  IF NOT EXISTS (
      SELECT FROM pg_attribute
      WHERE attrelid = to_regclass('baseline.notification') AND attname = 'first_alerting' AND NOT attisdropped) THEN
    RETURN;
  END IF;
  SELECT string_agg(format('CASE WHEN n.%1$I IS NULL THEN ''\x00''::bytea ELSE ''\x01'' || substr(n.%1$I, 1, 25) END', c), ' || ' ORDER BY o)
  INTO claims
  FROM unnest('{first_action,first_alerting,first_requested_category,first_category,first_trigger,first_interruption_level,first_campaign,first_variant,first_thread}'::text[])
    WITH ORDINALITY AS x (c, o);
  ALTER TABLE baseline.notification ADD COLUMN alerting boolean, ADD COLUMN facts bytea;
  EXECUTE format(
    'UPDATE baseline.notification n SET '
    '  alerting = coalesce(convert_from(substr(n.first_alerting, 26), ''UTF8'') = ''true'', true), '
    '  facts = ''\x00''::bytea || set_byte(''\x00''::bytea, 0, '
    '      CASE convert_from(substr(n.first_alerting, 26), ''UTF8'') WHEN ''true'' THEN 1 WHEN ''false'' THEN 0 ELSE 2 END '
    '      + CASE WHEN EXISTS (SELECT FROM baseline.notification_action a WHERE a.has_text '
    '          AND (a.app_id, a.device_id, a.notification_id, a.occurrence, a.action_id) '
    '            = (n.app_id, n.device_id, n.notification_id, n.occurrence, n.action_id)) THEN 4 ELSE 0 END) '
    '    || CASE WHEN n.arrived_at IS NULL THEN ''\x00''::bytea ELSE ''\x01'' || timestamptz_send(n.arrived_at) END || %s', claims);
  ALTER TABLE baseline.notification ALTER COLUMN alerting SET NOT NULL, ALTER COLUMN facts SET NOT NULL,
    DROP COLUMN arrived_at, DROP COLUMN first_action, DROP COLUMN first_alerting, DROP COLUMN first_requested_category,
    DROP COLUMN first_category, DROP COLUMN first_trigger, DROP COLUMN first_interruption_level, DROP COLUMN first_campaign,
    DROP COLUMN first_variant, DROP COLUMN first_thread;
  DELETE FROM projection.version WHERE (schema_name, leader) = ('baseline', 'notification');
END $$;
