-- Category registrations to reconsider: devices registered at the same time, so their ids broke the tie, and one of them was
-- erased in a range of the log. Only events given to the version that is being applied, as always.
CREATE OR REPLACE FUNCTION log.erased_registrations(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE plpgsql STABLE AS $$
DECLARE
  instant record;
BEGIN
  FOR instant IN
    SELECT r.app_id, r.effective_at
    FROM log.erased_between(after, upto) d
    JOIN log.event r ON r.app_id = d.app_id AND r.device_id = d.device_id
    WHERE r.kind = 'category_registration'
    UNION
    SELECT r.app_id, r.effective_at
    FROM log.erased_copies_between(after, upto) d
    JOIN log.copy r ON r.app_id = d.app_id AND r.device_id = d.device_id
    WHERE r.kind = 'category_registration'
  LOOP
    RETURN QUERY
    SELECT e.* FROM projection.applied(upto) e
    WHERE e.app_id = instant.app_id AND e.effective_at = instant.effective_at AND e.kind = 'category_registration'
    UNION ALL
    SELECT e.* FROM projection.copies_applied(upto) e
    WHERE e.app_id = instant.app_id AND e.effective_at = instant.effective_at AND e.kind = 'category_registration';
  END LOOP;
END $$;
