#!/usr/bin/env python3
"""Measures Notilog against its limits in one run: P1, P2, P6, P10 and P11 of the performance bars.

Client, service and database are real processes on this machine; PostgreSQL is private to the run, with
synchronous_commit on. Every figure is the median of --rounds rounds, ours and the limit in turn. Prints a table and
writes Benchmarks/results/<date>.json. Needs wrk and PostgreSQL's server binaries (Debian: wrk, postgresql).
"""
import argparse, datetime, glob, json, os, pwd, re, shutil, signal, socket, statistics, subprocess, sys, tempfile, time
import urllib.request

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "synchronous_commit": "on", "listen_addresses": "''"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A private PostgreSQL that ends with the run."""

    def __init__(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        self.bin = os.path.dirname(found[-1]) if found else os.path.dirname(shutil.which("initdb") or sys.exit("install postgresql"))
        self.folder = tempfile.mkdtemp(prefix="notilog-bench-")
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "-D", self.folder + "/data", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "postgres")
        options = " ".join(f"-c {k}={v}" for k, v in SETTINGS.items()) + f" -c unix_socket_directories={self.folder}"
        self.run("pg_ctl", "-D", self.folder + "/data", "-l", self.folder + "/log", "-w", "-o", options, "start")
        self.env = dict(os.environ, PGHOST=self.folder, PGUSER="postgres", PGDATABASE="bench")
        subprocess.run(["createdb", "bench"], env=self.env, check=True)

    def run(self, program, *arguments):
        command = [f"{self.bin}/{program}", *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")

    def sql(self, text):
        done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], input=text, env=self.env, check=True,
                              capture_output=True, text=True)
        return done.stdout.strip()

    def stop(self):
        self.run("pg_ctl", "-D", self.folder + "/data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Service:
    def __init__(self, command, env, port):
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.port = port
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 0.2).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"{command[0]} does not answer on port {port}")

    def resident(self, field):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(field + r":\s+(\d+)", status.read()).group(1)) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(40)


run_number = 0


def wrk(port, connections, events, key, seconds):
    """Requests a second, events a second, and p50 and p99 in milliseconds."""
    global run_number
    run_number += 1
    env = dict(os.environ, EVENTS=str(events), KEY=key, RUN=f"{run_number:03x}")
    out = subprocess.run(["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", HERE + "/load/events.lua",
                          f"http://127.0.0.1:{port}/v1/events"], env=env, check=True, capture_output=True, text=True).stdout
    requests, micros, broken, refused, p50, p99 = map(int, re.search(r"RESULT (.*)", out).group(1).split())
    if broken or refused:
        print(f"  {broken} connection errors, {refused} answers that were not 2xx", file=sys.stderr)
    return {"rate": (requests - refused) * events / (micros / 1e6), "p50_ms": p50 / 1000, "p99_ms": p99 / 1000}


def copy_limit(server, rows=300_000, chunk=5_000):
    """Rows a second that COPY BINARY puts into the log and the identity table on two connections, 5,000 rows a commit."""
    folder = server.folder
    server.sql("DROP TABLE IF EXISTS limit_event, limit_identity; CREATE TABLE limit_event (LIKE log.event INCLUDING ALL);"
               "CREATE TABLE limit_identity (LIKE log.identity INCLUDING ALL);")
    chunks = []
    for i in range(rows // chunk):
        server.sql(f"""CREATE TEMP TABLE part AS SELECT * FROM log.event ORDER BY position OFFSET {i * chunk} LIMIT {chunk};
            COPY part TO '{folder}/e{i}' (FORMAT binary);
            COPY (SELECT i.* FROM log.identity i JOIN part USING (position)) TO '{folder}/i{i}' (FORMAT binary);""")
        chunks.append(f"BEGIN; COPY limit_event FROM '{folder}/e{i}' (FORMAT binary);"
                      f" COPY limit_identity FROM '{folder}/i{i}' (FORMAT binary); COMMIT;")
    begun = time.monotonic()
    clients = [subprocess.Popen(["psql", "-Xq"], stdin=subprocess.PIPE, env=server.env, text=True) for _ in range(2)]
    for n, client in enumerate(clients):
        client.stdin.write("\n".join(chunks[n::2]))
        client.stdin.close()
    for client in clients:
        client.wait()
    return rows / (time.monotonic() - begun)


def rebuild(server):
    """Events a second that each group of projections is computed at from nothing, and COPY of the same events on one connection."""
    last = int(server.sql("SELECT max(position) FROM log.event"))
    rows = int(server.sql("SELECT count(*) FROM log.event"))
    path = server.folder + "/all"
    server.sql(f"COPY (SELECT * FROM log.event) TO '{path}' (FORMAT binary); DROP TABLE IF EXISTS limit_all; CREATE TABLE limit_all (LIKE log.event INCLUDING ALL)")
    begun = time.monotonic()
    server.sql(f"COPY limit_all FROM '{path}' (FORMAT binary)")
    copied = rows / (time.monotonic() - begun)
    server.sql("DROP TABLE limit_all")
    server.sql("""SELECT format('TRUNCATE projection.%I', c.relname) FROM pg_class c
        WHERE c.relnamespace = 'projection'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('checkpoint', 'version', 'set_aside') \\gexec""")
    took = {"engagement": 0.0, "device_token": 0.0}
    groups = {"engagement": ["device_period", "category", "notification", "engagement"], "device_token": ["device_token"]}
    for name, functions in groups.items():
        script = "SET search_path = projection, log; SET timezone = 'UTC'; SET work_mem = '256MB'; SET temp_buffers = '128MB';\n"
        for after in range(0, last, 100_000):
            script += "BEGIN; " + " ".join(f"SELECT {f}_apply({after}, {min(after + 100_000, last)});" for f in functions) + " COMMIT;\n"
        begun = time.monotonic()
        server.sql(script)
        took[name] = time.monotonic() - begun
    return {"copy": copied, "engagement": rows / took["engagement"], "all": rows / sum(took.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    notilog = ROOT + "/.build/release/notilog"
    bare = HERE + "/.build/release/bare-http"
    server = Server()
    try:
        env = dict(server.env)
        subprocess.run([notilog, "migrate"], env=env, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([notilog, "apps", "create", "bench"], env=env, check=True, stdout=subprocess.DEVNULL)
        created = subprocess.run([notilog, "keys", "create", "--app", "bench", "--scope", "provider", "--json"], env=env,
                                 check=True, capture_output=True, text=True).stdout
        key = json.loads(created)["key"]
        port, bare_port = free_port(), free_port()
        limit_server = Service([bare, str(bare_port)], os.environ, bare_port)
        service = Service([notilog, "serve", "--port", str(port), "--set", "projections.enabled=false"], env, port)
        time.sleep(3)
        idle = service.resident("VmRSS")
        rounds = {"p1": [], "p2": [], "p2_limit": []}
        for n in range(options.rounds):
            rounds["p2_limit"].append(wrk(bare_port, 64, 1, key, options.seconds))
            rounds["p2"].append(wrk(port, 64, 1, key, options.seconds))
            rounds["p1"].append(wrk(port, 8, 500, key, options.seconds))
            print(f"round {n + 1}: single {rounds['p2'][-1]}, bare {rounds['p2_limit'][-1]}, batch {rounds['p1'][-1]}", file=sys.stderr)
        peak = service.resident("VmHWM")
        service.stop()
        limit_server.stop()
        copies = [copy_limit(server) for _ in range(options.rounds)]
        sizes = server.sql("""SELECT (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'log.event'::regclass)
            + pg_total_relation_size('log.identity'), count(*) FROM log.event""").split("|")
        rebuilt = rebuild(server)
    finally:
        server.stop()

    median = lambda list_, field: statistics.median(x[field] for x in list_)
    p1, p1_limit = median(rounds["p1"], "rate"), statistics.median(copies)
    p2, p2_limit = median(rounds["p2"], "rate"), median(rounds["p2_limit"], "rate")
    table = [
        ("P1 batch ingest, 500 a request", p1, "COPY BINARY, 2 connections", p1_limit, p1 / p1_limit, 0.50),
        ("P2 single events, 64 connections", p2, "bare HTTP", p2_limit, p2 / p2_limit, 0.50),
        ("P6 rebuild notification + engagement", rebuilt["engagement"], "COPY BINARY, 1 connection", rebuilt["copy"], rebuilt["engagement"] / rebuilt["copy"], 0.50),
        ("P6 rebuild of all projections", rebuilt["all"], "COPY BINARY, 1 connection", rebuilt["copy"], rebuilt["all"] / rebuilt["copy"], 0.20),
    ]
    print(f"{'bar':<38}{'ours/s':>10}  {'limit':<27}{'limit/s':>10}{'ratio':>7}{'bar':>6}")
    for name, ours, limit, theirs, ratio, bar in table:
        print(f"{name:<38}{ours:>10,.0f}  {limit:<27}{theirs:>10,.0f}{ratio:>7.2f}{bar:>6.2f}")
    print(f"P1 request p50 {median(rounds['p1'], 'p50_ms'):.1f} ms, p99 {median(rounds['p1'], 'p99_ms'):.1f} ms;"
          f" P2 p50 {median(rounds['p2'], 'p50_ms'):.1f} ms, p99 {median(rounds['p2'], 'p99_ms'):.1f} ms (guide: p99 15 ms)")
    print(f"P10 resident memory: idle {idle:.0f} MiB (bar 40), peak under P1 and P2 {peak:.0f} MiB (bar 120)")
    print(f"P11 disk: {int(sizes[0]) / int(sizes[1]):.0f} bytes an event, log and identity with indexes")
    results = {"at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "cores": os.cpu_count(),
               "postgresql": SETTINGS, "seconds": options.seconds, "rounds": rounds, "copy_limit": copies, "rebuild": rebuilt,
               "resident_mib": {"idle": idle, "peak": peak}, "bytes_per_event": int(sizes[0]) / int(sizes[1]),
               "ratios": {name: ratio for name, _, _, _, ratio, _ in table}}
    path = f"{HERE}/results/{datetime.date.today()}.json"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(results, file, indent=2)
    print("written to", os.path.relpath(path, ROOT))


if __name__ == "__main__":
    main()
