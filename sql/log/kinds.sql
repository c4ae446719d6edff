-- The kinds of events, by name: those of EventKind.all, which a test compares with these.
CREATE OR REPLACE FUNCTION log.kinds() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '{request, delivery, presentation, action_response, dismissal, removal, authorization_request, open_settings,
    settings, token, push_result, category_registration, app_open, conversion, holdout, permission_prompt,
    live_activity}'::text[]
$$;
