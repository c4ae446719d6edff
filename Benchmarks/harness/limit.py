"""The limits of ingest and rebuild: what COPY BINARY puts into the tables of sql/limit.sql."""
import subprocess, time
from .paths import read

EVENT = ("position, received_at, occurred_at, effective_at, sent_at, occurrence, id, app_id, utc_offset, schema_version, time_clamped,"
         " kind, device_id, notification_id, token, data")
IDENTITY = "id, digest, device_hash, position, app_id"


def copy_rate(server, rows=300_000, chunk=5_000):
    """Rows a second that COPY BINARY puts into both tables on two connections, 5,000 rows a commit."""
    folder = server.folder
    server.sql(read("sql/limit.sql"))
    rows = min(rows, server.number("SELECT count(*) FROM log.event") // chunk * chunk)
    chunks = []
    for i in range(rows // chunk):
        server.sql(f"""CREATE TEMP TABLE part AS SELECT {EVENT} FROM log.upcast_event ORDER BY position OFFSET {i * chunk} LIMIT {chunk};
            COPY part TO '{folder}/e{i}' (FORMAT binary);
            COPY (SELECT {IDENTITY} FROM log.identity JOIN (SELECT position FROM part) p USING (position))
              TO '{folder}/i{i}' (FORMAT binary);""")
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
    # A client goes on after an error: a limit of fewer rows would be too high.
    copied = server.number("SELECT least((SELECT count(*) FROM limit_event), (SELECT count(*) FROM limit_identity))")
    if copied != rows:
        raise RuntimeError(f"COPY put {copied} of {rows} rows into the tables of sql/limit.sql")
    server.sql("DROP TABLE limit_event, limit_identity")
    return rows / took


def copy_all_rate(database, events):
    """Events a second that COPY BINARY puts into the log's table on one connection, all that the log holds."""
    path = database.server.folder + "/all"
    database.sql(f"COPY (SELECT {EVENT} FROM log.upcast_event) TO '{path}' (FORMAT binary);" + read("sql/limit.sql"))
    begun = time.monotonic()
    database.sql(f"COPY limit_event FROM '{path}' (FORMAT binary)")
    took = time.monotonic() - begun
    database.sql("DROP TABLE limit_event, limit_identity")
    return events / took
