-- After what time without a registration an active token is stale. The service's sessions have their setting `tokens.stale_days`
-- as `notilog.token_stale_days`; analysts may set it for their own.
CREATE OR REPLACE FUNCTION reporting.stale_after() RETURNS interval
LANGUAGE sql STABLE AS $$
  SELECT make_interval(days => coalesce(nullif(current_setting('notilog.token_stale_days', true), '')::integer, 270))
$$;
