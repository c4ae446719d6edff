-- oldest service: 21
-- A late snapshot of settings inside a period of another value asks for those next to it: without this index, for all events of
-- its device. Settings are few among events.
CREATE INDEX event_settings ON log.event (app_id, device_id, effective_at) WHERE kind = 'settings';
