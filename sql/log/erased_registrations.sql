-- Category registrations that are to be looked at again, as between devices of one instant their ids decide, and one of them
-- was erased in a range of the log. Of what the version now being applied has been given, as always.
CREATE OR REPLACE FUNCTION log.erased_registrations(after bigint, upto bigint) RETURNS SETOF log.event
LANGUAGE plpgsql STABLE AS $$
DECLARE
  instant record;
BEGIN
  FOR instant IN
    SELECT DISTINCT r.app_id, r.effective_at
    FROM log.erased_between(after, upto) d
    JOIN log.event r ON r.app_id = d.app_id AND r.device_id = d.device_id
    WHERE r.kind = 'category_registration'
  LOOP
    RETURN QUERY SELECT e.* FROM projection.applied(upto) e
    WHERE e.app_id = instant.app_id AND e.effective_at = instant.effective_at AND e.kind = 'category_registration';
  END LOOP;
END $$;
