-- The part of an event's `data` that stays when its device is erased: values that numbers are computed from, and nothing
-- about the person. `key` makes the surrogates of ids, including those of Live Activities and orders; without it they are `erased`.
CREATE OR REPLACE FUNCTION log.erased_data(kind text, data jsonb, key bytea) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT kept || coalesce((
      SELECT jsonb_object_agg(id, coalesce(log.surrogate_for(key, kept->>id), 'erased'))
      FROM unnest('{request_identifier,activity_id,order_id}'::text[]) AS i (id) WHERE kept ? id), '{}')
    -- APNs' answer about the token behind FCM's answer, in APNs' own reasons only.
    || CASE WHEN kind = 'push_result' AND data#>>'{attributes,apns_reason}'
        IN ('Unregistered', 'ExpiredToken', 'BadDeviceToken', 'DeviceTokenNotForTopic')
      THEN jsonb_build_object('attributes', jsonb_build_object('apns_reason', data#>'{attributes,apns_reason}')) ELSE '{}' END
    || CASE WHEN kind = 'push_result' AND data#>'{attributes,apns_reason}' IS NULL AND data#>>'{attributes,apns_status}' = '410'
      THEN '{"attributes": {"apns_status": 410}}'::jsonb ELSE '{}' END
  FROM (
    SELECT (data - CASE kind WHEN 'token' THEN '{attributes,text,thread_id,apns_id,error}'
      ELSE '{attributes,text,thread_id,apns_id}' END::text[])
      #- '{push,apns_id}' #- '{trigger,date_components}' #- '{context,device_model}' AS kept
  ) d
$$;
