-- Load for wrk: POST /v1/events with EVENTS events a request, each with an id of its own (a UUIDv7 of now).
-- The events of one notification follow each other: request, delivery, presentation, or for every tenth a response.
--
-- Each request is one buffer, made once: between two sends only ids, times and numbers are written into it, at places
-- known in advance, so that the client takes little of the two cores that service and database need.
--
-- RATE: requests a second of each thread; without it, as fast as answers come.
local ffi = require("ffi")
ffi.cdef [[ struct bench_time { long seconds; long nanoseconds; }; int clock_gettime(int, struct bench_time *); ]]

local events = tonumber(os.getenv("EVENTS") or "1")
local rate = tonumber(os.getenv("RATE") or "0")
local key = os.getenv("KEY") or ""
local run = os.getenv("RUN") or "000"   -- three hexadecimal digits, another for each run
local devices = 5000
local threads = 0

function setup(thread)
  thread:set("thread", threads)
  threads = threads + 1
end

local categories = { "news", "event-invite", "promotion", "com.usernotificationstutorial.message" }
local context = '"context":{"platform":"ios","os_version":"18.1","app_version":"4.2.0","locale":"en_US","time_zone":"Europe/Berlin","device_model":"iPhone16,1"}'
local kinds = {
  '"kind":"request","origin":"provider","trigger":{"type":"push"},"mutable_content":true,"campaign_id":"autumn","push":{"push_type":"alert","priority":10,"topic":"com.example.app"}',
  '"kind":"delivery","source":"service_extension","extension":{"outcome":"modified","duration_ms":140}',
  '"kind":"presentation","surface":"foreground","options":["banner","sound","list"]',
  '"kind":"action_response","action_id":"default","app_state":"background","delegate":"did_receive_response"',
}

local digits = ffi.new("uint8_t[16]")
for i = 0, 15 do digits[i] = string.format("%x", i):byte() end

local function hex(buffer, at, width, value)
  for i = at + width - 1, at, -1 do
    local rest = value % 16
    buffer[i] = digits[rest]
    value = (value - rest) / 16
  end
end

-- Requests that take turns: one of many events, or one for each event of ten notifications.
local requests, turn = nil, 0

local function make(first, count)
  local parts, places, length = {}, {}, 0
  local function add(text) parts[#parts + 1] = text; length = length + #text end
  if events > 1 then add("[") end
  for n = first, first + count - 1 do
    local notification, step = math.floor(n / 3), n % 3 + 1
    if step == 3 and notification % 10 == 0 then step = 4 end
    local place = { offset = notification - math.floor(first / 3) }
    if n > first then add(",") end
    add("{" .. kinds[step] .. ',"id":"')
    place.id = length
    add(string.format('00000000-0000-7%03x-8%s-000000000000","occurred_at":"', thread, run))
    place.time = length
    add('2026-01-01T00:00:00.000000Z","device_id":"5b1c9a52-0f3e-4c1a-9d55-0000000')
    place.device = length
    add(string.format('00000","notification_id":"%02x-%s-', thread, run))
    place.notification = length
    add(string.format('00000000","category_id":"%s",%s}', categories[notification % 4 + 1], context))
    places[#places + 1] = place
  end
  if events > 1 then add("]") end
  local head = string.format("POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    .. "Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", key, length)
  local text = head .. table.concat(parts)
  local buffer = ffi.new("uint8_t[?]", #text)
  ffi.copy(buffer, text, #text)
  for _, place in ipairs(places) do
    for name, at in pairs(place) do
      if name ~= "offset" then place[name] = at + #head end
    end
  end
  return { buffer = buffer, length = #text, places = places, notifications = count / 3 }
end

local clock = ffi.new("struct bench_time")
local function now()
  ffi.C.clock_gettime(0, clock)
  return tonumber(clock.seconds) + tonumber(clock.nanoseconds) / 1e9
end

local counter, notifications = 0, 0

function request()
  if not requests then
    requests = {}
    if events > 1 then
      requests[1] = make(0, events)
    else
      for n = 0, 29 do requests[n + 1] = make(n, 1) end
    end
  end
  turn = turn % #requests + 1
  local chosen = requests[turn]
  local buffer = chosen.buffer
  local seconds = now()
  local milliseconds = math.floor(seconds * 1000)
  local time = os.date("!%Y-%m-%dT%H:%M:%S", math.floor(seconds)) .. string.format(".%06dZ", math.floor(seconds % 1 * 1e6))
  local high, low = math.floor(milliseconds / 65536), milliseconds % 65536
  for _, place in ipairs(chosen.places) do
    local id, notification = place.id, notifications + place.offset
    counter = counter + 1
    hex(buffer, id, 8, high)
    hex(buffer, id + 9, 4, low)
    hex(buffer, id + 24, 12, counter)
    ffi.copy(buffer + place.time, time, 27)
    hex(buffer, place.device, 5, (notification * 7919 + thread) % devices)
    hex(buffer, place.notification, 8, notification)
  end
  if events > 1 then
    notifications = notifications + math.ceil(chosen.notifications)
  elseif turn % 3 == 0 then
    notifications = notifications + 1
  end
  return ffi.string(buffer, chosen.length)
end

local due

-- Milliseconds until a connection may send again. A thread that has fallen behind catches up over a second at most.
if rate > 0 then
  function delay()
    local at = now()
    due = math.max(due or at, at - 1) + 1 / rate
    return math.max(0, (due - at) * 1000)
  end
end

function done(summary, latency, requests)
  io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, summary.errors.status,
    latency:percentile(50), latency:percentile(99)))
end
