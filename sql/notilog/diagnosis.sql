-- Facts about the log for `notilog doctor`, as one object. Sessions of other roles are visible as far as the role's
-- privileges go (pg_monitor sees all).
CREATE OR REPLACE FUNCTION notilog.diagnosis() RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
  SELECT jsonb_build_object(
    'log', (
      SELECT jsonb_build_object(
        'drawn', log.drawn_position(), 'settled', s.settled_position,
        'highest', (SELECT coalesce(max(position), 0) FROM log.event),
        'open_epochs', s.epoch - 1 - s.drained_epoch,
        'unsettled_seconds', (
          SELECT extract(epoch FROM clock_timestamp() - e.received_at)
          FROM log.event e WHERE e.position > s.settled_position ORDER BY e.position LIMIT 1))
      FROM log.state s),
    'partitions', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('name', c.relname,
        'is_default', pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT',
        'from_seconds', extract(epoch FROM (regexp_match(pg_get_expr(c.relpartbound, c.oid), $re$FROM \('(.+)'\) TO$re$))[1]::timestamptz),
        'to_seconds', extract(epoch FROM (regexp_match(pg_get_expr(c.relpartbound, c.oid), $re$TO \('(.+)'\)$re$))[1]::timestamptz),
        'bytes', pg_table_size(c.oid)) ORDER BY c.relname), '[]')
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'log.event'::regclass),
    'quarantine', (
      SELECT jsonb_build_object('items', count(*), 'last_day', count(*) FILTER (WHERE received_at > now() - interval '1 day'),
        'oldest_days', extract(epoch FROM now() - min(received_at)) / 86400,
        'apps', (
          SELECT coalesce(jsonb_agg(jsonb_build_object('name', u.name, 'items', u.items, 'bytes', u.bytes) ORDER BY u.name), '[]')
          FROM (
            SELECT a.name, sum(u.items) AS items, sum(u.bytes) AS bytes
            FROM log.quarantine_usage u
            JOIN notilog.app a USING (app_id)
            GROUP BY a.name
          ) u))
      FROM log.quarantine),
    'pending_erasures', (SELECT count(*) FROM log.erasure_pending),
    'apps', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'hash_ids', a.hash_ids, 'scopes', (
        SELECT coalesce(jsonb_agg(DISTINCT k.scope), '[]') FROM notilog.api_key k
        WHERE k.app_id = a.app_id AND k.revoked_at IS NULL)) ORDER BY a.name), '[]')
      FROM notilog.app a),
    'checkpoints', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'position', position) ORDER BY name), '[]')
      FROM (SELECT name, min(position) AS position FROM projection.checkpoint GROUP BY name) c),
    'set_aside', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('name', leader, 'events', events, 'first_position', first_position,
        'error', error) ORDER BY leader), '[]')
      FROM notilog.set_aside_events()),
    'readers', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('role', g.role_name, 'exists', r.oid IS NOT NULL,
        'is_unbound', coalesce(r.rolsuper OR r.rolbypassrls, false)
          OR EXISTS (SELECT FROM pg_roles s WHERE s.rolname IN ('notilog_owner', 'notilog_writer', 'notilog_projector')
            AND pg_has_role(r.oid, s.oid, 'MEMBER'))) ORDER BY g.role_name), '[]')
      FROM (SELECT DISTINCT role_name FROM notilog.reader_app) g
      LEFT JOIN pg_roles r ON r.rolname = g.role_name),
    'receivers', (
      SELECT jsonb_build_object('all', count(*), 'mails', count(*) FILTER (WHERE r LIKE 'mailto:%'),
        'webhooks', count(*) FILTER (WHERE r ILIKE 'http%'),
        'failing', (SELECT count(*) FROM notilog.delivery d WHERE d.state = 'pending' AND d.attempts > 0),
        'given_up', (SELECT count(*) FROM notilog.delivery d WHERE d.state = 'failed' AND d.ended_at > now() - interval '7 days'),
        'unjudged', (SELECT count(*) FROM notilog.alert_rule r WHERE r.last_error IS NOT NULL),
        'unmade', (SELECT count(*) FROM notilog.digest d WHERE d.last_error IS NOT NULL))
      FROM (SELECT unnest(receivers) FROM notilog.alert_rule UNION ALL SELECT receiver FROM notilog.digest) AS receiver (r)),
    'readers_store', (SELECT coalesce(bool_or(has_function_privilege(r.oid, f.routine, 'EXECUTE')), false)
      FROM pg_roles r, notilog.storing_functions() AS f (routine) WHERE r.rolname = 'notilog_reader'),
    'missing_rights', (SELECT coalesce(jsonb_agg(missing ORDER BY missing), '[]') FROM notilog.missing_rights() AS missing),
    'superfluous_rights', (SELECT coalesce(jsonb_agg(too_much ORDER BY too_much), '[]') FROM notilog.superfluous_rights() AS too_much)
  )
$$;
