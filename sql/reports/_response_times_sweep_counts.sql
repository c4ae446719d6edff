-- Whether any sweep found a notification of the app gone: without one, the report response_times cannot tell how many are. One row.
CREATE OR REPLACE FUNCTION reporting.response_times_sweep_counts(app_number integer) RETURNS TABLE (gone_told boolean)
LANGUAGE sql STABLE ROWS 1 SET jit = off AS $$
  SELECT EXISTS (SELECT FROM projection.notification_ending e WHERE e.app_id = app_number AND e.gone_at IS NOT NULL)
$$;
