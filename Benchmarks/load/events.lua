-- Load for wrk: POST /v1/events with EVENTS events a request, each with an id of its own.
-- The events of one notification follow each other: request, delivery, presentation, then for every tenth a response.
local events = tonumber(os.getenv("EVENTS") or "1")
local key = os.getenv("KEY") or ""
local run = os.getenv("RUN") or "0"
local threads = 0

function setup(thread)
  thread:set("thread", threads)
  threads = threads + 1
end

local n = 0
local milliseconds = os.time() * 1000
local day = os.date("!%Y-%m-%dT")
local devices = 5000
local categories = { "news", "event-invite", "promotion", "com.usernotificationstutorial.message" }
local context = '"context":{"platform":"ios","os_version":"18.1","app_version":"4.2.0","locale":"en_US","time_zone":"Europe/Berlin","device_model":"iPhone16,1"}'
local kinds = {
  '"kind":"request","origin":"provider","trigger":{"type":"push"},"mutable_content":true,"campaign_id":"autumn","push":{"push_type":"alert","priority":10,"topic":"com.example.app"}',
  '"kind":"delivery","source":"service_extension","extension":{"outcome":"modified","duration_ms":140}',
  '"kind":"presentation","surface":"foreground","options":["banner","sound","list"]',
  '"kind":"action_response","action_id":"default","app_state":"background","delegate":"did_receive_response"',
}

local function event()
  n = n + 1
  local notification = math.floor(n / 3)
  local step = n % 3 + 1
  if step == 3 and notification % 10 == 0 then step = 4 end
  -- UUIDv7: the time in milliseconds, then the run, the thread and a counter.
  local time = string.format("%012x", milliseconds + math.floor(n / 20))
  local id = string.format("%s-%s-7%03x-8%s-%02x%010x", time:sub(1, 8), time:sub(9, 12), thread, run, thread, n)
  local second = n % 60
  return string.format(
    '{%s,"id":"%s","occurred_at":"%s00:%02d:%02d.%06dZ","device_id":"5b1c9a52-0f3e-4c1a-9d55-%012d","notification_id":"%02x-%08x-%s","category_id":"%s",%s}',
    kinds[step], id, day, math.floor(n / 60) % 60, second, n % 1000000, (notification * 7919 + thread) % devices, thread, notification, run,
    categories[notification % 4 + 1], context)
end

function request()
  local body
  if events == 1 then
    body = event()
  else
    local list = {}
    for i = 1, events do list[i] = event() end
    body = "[" .. table.concat(list, ",") .. "]"
  end
  return wrk.format("POST", "/v1/events", { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. key }, body)
end

function done(summary, latency, requests)
  io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, summary.errors.status,
    latency:percentile(50), latency:percentile(99)))
end
