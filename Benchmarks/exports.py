#!/usr/bin/env python3
"""P9 and the exporting part of P10: `notilog export events` against COPY of the same columns, in turn, and resident memory.

Ours writes NDJSON to a file, sums it and puts it on disk; the limit is psql's COPY … TO STDOUT into a file. Then the same
over HTTP, with a reader that takes all there is and with many slow ones at once, and the datasets whose rows change.
"""
import argparse, os, re, shutil, statistics, subprocess, tempfile, time
from run import ROOT, Server, Service, free_port

EVENTS = """
SELECT log.ensure_partitions('2026-06-01', timestamptz '2026-06-01' + :rows * interval '8 seconds');
INSERT INTO log.event (position, received_at, occurred_at, effective_at, sent_at, id, app_id, utc_offset, schema_version,
  time_clamped, kind, device_id, notification_id, data_text)
-- As the service stores these kinds: text without white space.
SELECT nextval('log.position'), t, t, t, t, gen_random_uuid(), 1, 120, 1, false,
  (ARRAY['request','delivery','presentation','action_response'])[1 + p % 4],
  md5((p / 4 % 50000)::text)::uuid::text, md5('n' || p / 4)::uuid::text, replace(replace((CASE p % 4
    WHEN 0 THEN jsonb_build_object('origin', 'provider', 'alerting', true, 'trigger', jsonb_build_object('type', 'push'),
      'category_id', 'cat' || p % 12, 'campaign_id', 'spring-' || p % 40, 'push', jsonb_build_object('push_type', 'alert',
      'priority', 10, 'topic', 'com.example.app', 'environment', 'production'))
    WHEN 1 THEN jsonb_build_object('source', 'service_extension', 'category_id', 'cat' || p % 12,
      'extension', jsonb_build_object('outcome', 'modified', 'duration_ms', p % 900))
    WHEN 2 THEN '{"surface": "foreground", "options": ["banner", "list", "sound"], "category_id": "cat1"}'
    ELSE jsonb_build_object('action_id', 'default', 'app_state', 'background', 'delegate', 'did_receive_response',
      'context', jsonb_build_object('platform', 'ios', 'os_version', '26.' || p % 4, 'locale', 'de_DE')) END)::text, ', ', ','), '": ', '":')
FROM generate_series(1, :rows) AS p, LATERAL (SELECT timestamptz '2026-06-01' + p * interval '8.000001 seconds') AS x (t);
CALL log.settle(NULL);
"""
COLUMNS = ("position, id, kind, device_id, notification_id, occurrence, occurred_at, utc_offset, effective_at, sent_at, "
           "received_at, time_clamped, token, schema_version, coalesce(data_text, data::text)")


def peak(process):
    """The highest resident memory of a process, in MiB, as of its end."""
    high = 0.0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                found = re.search(r"VmHWM:\s+(\d+)", status.read())
                high = max(high, int(found.group(1)) / 1024 if found else 0)
        except OSError:
            pass
        time.sleep(0.02)
    return high


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--readers", type=int, default=8, help="slow readers over HTTP")
    options = parser.parse_args()
    notilog = os.environ.get("NOTILOG", ROOT + "/.build/release/notilog")
    server = Server()
    target = tempfile.mkdtemp(prefix="notilog-bench-export-")
    try:
        for arguments in (["migrate"], ["apps", "create", "bench"]):
            subprocess.run([notilog, *arguments], env=server.env, check=True, stdout=subprocess.DEVNULL)
        server.sql(EVENTS.replace(":rows", str(options.rows)) + "VACUUM ANALYZE log.event;")
        ours, limit, zipped, memory = [], [], [], []
        for n in range(options.rounds):
            begun = time.monotonic()
            with open(target + "/copy", "wb") as file:
                subprocess.run(["psql", "-Xqc", f"COPY (SELECT {COLUMNS} FROM log.event WHERE app_id = 1 ORDER BY position) TO STDOUT"],
                               env=server.env, check=True, stdout=file)
            limit.append(options.rows / (time.monotonic() - begun))
            for rates, more in ((ours, []), (zipped, ["--gzip"])):
                folder = f"{target}/{n}{''.join(more)}"
                begun = time.monotonic()
                process = subprocess.Popen([notilog, "export", "events", "--cursor", f"c{n}{len(more)}", "--output", folder, *more],
                                           env=server.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                memory.append(peak(process))
                rates.append(options.rows / (time.monotonic() - begun))
                shutil.rmtree(folder)
        median = statistics.median
        print(f"P9 export as NDJSON {median(ours):,.0f}/s, COPY {median(limit):,.0f}/s, ratio {median(ours) / median(limit):.2f} (bar 0.85); "
              f"with gzip {median(zipped):,.0f}/s", flush=True)
        print(f"   rounds: {[round(a / b, 2) for a, b in zip(ours, limit)]}", flush=True)
        key = subprocess.run([notilog, "keys", "create", "--app", "bench", "--scope", "read"], env=server.env, check=True,
                             capture_output=True, text=True).stdout.strip()
        port = free_port()
        service = Service([notilog, "serve", "--port", str(port), "--set", "projections.enabled=false"], server.env, port)
        begun = time.monotonic()
        subprocess.run(["curl", "-sf", "-o", target + "/http", "-H", f"Authorization: Bearer {key}",
                        f"http://127.0.0.1:{port}/v1/export/events"], check=True)
        http = options.rows / (time.monotonic() - begun)
        served = service.resident("VmHWM")
        # Readers that take 1 MiB a second each, for a while.
        slow = [subprocess.Popen(["curl", "-s", "--limit-rate", "1M", "-m", "20", "-o", "/dev/null", "-H", f"Authorization: Bearer {key}",
                                  f"http://127.0.0.1:{port}/v1/export/events"]) for _ in range(options.readers)]
        for process in slow:
            process.wait()
        crowded = service.resident("VmHWM")
        service.stop()
        lines = int(subprocess.run(["wc", "-l", target + "/http"], capture_output=True, text=True).stdout.split()[0])
        assert lines == options.rows, lines
    finally:
        server.stop()
        shutil.rmtree(target, ignore_errors=True)
    print(f"P10 exporting {options.rows:,} events: command {max(memory):.0f} MiB, service {served:.0f} MiB (bar 120), "
          f"with {options.readers} slow readers {crowded:.0f} MiB; over HTTP {http:,.0f}/s")


if __name__ == "__main__":
    main()
