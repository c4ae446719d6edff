-- Tokens of Live Activities have the type activity_update, under which folds count those that were sent as live_activity.
DO $$
DECLARE
  stored record;
BEGIN
  FOR stored IN
    SELECT format('%I.%I', n.nspname, c.relname) AS name
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.relname IN ('token_event', 'device_token', 'push_result')
      AND n.nspname ~ '^(baseline|projection.*)$'
  LOOP
    EXECUTE format('UPDATE %s SET type = %L WHERE type = %L', stored.name, 'activity_update', 'live_activity');
  END LOOP;
END $$;
