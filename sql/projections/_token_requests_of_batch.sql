-- The most requests that a batch reads of the log for all of its tokens that come to an end. Of a version of whatever release.
CREATE OR REPLACE FUNCTION projection.token_requests_of_batch() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('notilog.batch_token_requests', true), '')::bigint, 200000)
$$;
