-- The last refusal of a notification, as reports and verdicts say it: dead_token, or `rejected:` and the provider's reason as it
-- was sent. The claim has a space before the reason.
CREATE OR REPLACE FUNCTION reporting.rejection(claim bytea) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT regexp_replace(projection.claimed(claim), '^rejected: ', 'rejected:')
$$;
