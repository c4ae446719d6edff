"""The limit of durable ingest: what COPY BINARY puts into the same tables."""
import subprocess, time


def copy_rate(server, rows=300_000, chunk=5_000):
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
