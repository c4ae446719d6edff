"""P1 and P2: durable ingest, projections paused, against COPY BINARY and bare HTTP."""
import subprocess, time
from harness.result import Row
from harness.service import median

BARS = ("P1", "P2")


def copy_limit(server, rows=300_000, chunk=5_000):
    """Rows a second that COPY BINARY puts into the log and the identity table on two connections, 5,000 rows a commit."""
    folder = server.folder
    server.sql("DROP TABLE IF EXISTS limit_event, limit_identity; CREATE TABLE limit_event (LIKE log.event INCLUDING ALL);"
               "CREATE TABLE limit_identity (LIKE log.identity INCLUDING ALL);")
    rows = min(rows, server.number("SELECT count(*) FROM log.event") // chunk * chunk)
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
    took = time.monotonic() - begun
    server.sql("DROP TABLE limit_event, limit_identity")
    return rows / took


def measure(run):
    rounds = run.ingest["rounds"]
    copies = [copy_limit(run.server) for _ in range(run.rounds)]
    p1, p1_limit, p2, p2_limit = run.rate("p1"), median(copies), run.rate("p2"), run.rate("p2_limit")
    return [
        Row("P1", "batch ingest, 500 a request ÷ COPY BINARY, 2 connections", p1, limit=p1_limit, ratio=p1 / p1_limit, bar=0.5,
            rounds={"ours": rounds["p1"], "limit": copies}),
        Row("P2", "single events, 64 connections ÷ bare HTTP", p2, limit=p2_limit, ratio=p2 / p2_limit, bar=0.5,
            rounds={"ours": rounds["p2"], "limit": rounds["p2_limit"]}),
        Row("P2", "p99 of a single event", median(rounds["p2"], "p99_ms"), "ms", bar=15, at_most=True, guide=True),
        Row("P1", "p99 of a batch of 500", median(rounds["p1"], "p99_ms"), "ms"),
    ]
