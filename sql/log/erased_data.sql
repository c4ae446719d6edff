-- What of an event's `data` is left when its device is erased: what a number is computed from, and nothing that tells of
-- the person. `notifications` maps ids to their surrogates.
CREATE OR REPLACE FUNCTION log.erased_data(kind text, data jsonb, notifications jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN kept ? 'request_identifier'
    THEN kept || jsonb_build_object('request_identifier', coalesce(notifications->>(kept->>'request_identifier'), 'erased'))
    ELSE kept END
  FROM (
    SELECT (data - CASE kind WHEN 'token' THEN '{attributes,text,thread_id,apns_id,error}'
      ELSE '{attributes,text,thread_id,apns_id}' END::text[])
      #- '{push,apns_id}' #- '{trigger,date_components}' #- '{context,device_model}' AS kept
  ) d
$$;
