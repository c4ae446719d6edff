"""P4: ingest against other event stores on the same PostgreSQL: eventsourcing (Python), message-db."""
import json, subprocess
from harness import environment
from harness.paths import BENCHMARKS
from harness.result import Row
from peers import message_db

BARS = ("P4",)


def eventsourcing(run):
    database = run.server.create("eventsourcing")
    try:
        done = subprocess.run([environment.python("eventsourcing", "psycopg"), BENCHMARKS + "/peers/eventsourcing_peer.py",
                               str(run.peer_seconds)], env=database.env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        return json.loads(done.stdout)
    finally:
        run.server.drop(database.name)


def best(rates, prefix):
    return max((rate for name, rate in rates.items() if name.startswith(prefix)), default=None)


def measure(run):
    peers = {"eventsourcing": eventsourcing(run)}
    if message_db.installer():
        peers["message-db"] = message_db.measure(run.server, run.peer_seconds)
    run.details["peers"] = peers
    batched = {name: best(rates, "500 ") for name, rates in peers.items()}
    name = max(batched, key=batched.get)
    rows = [Row("P4", f"batch ingest ÷ {name}, 500 in one call", run.rate("p1"), peer=batched[name], ratio=run.rate("p1") / batched[name],
                bar=3, rounds=peers)]
    for name in ("message-db", "eventsourcing"):
        bar = 5 if name == "message-db" else None
        if name in peers:
            rate = best(peers[name], "single")
            rows.append(Row("P4", f"single events ÷ {name}, single", run.rate("p2"), peer=rate, ratio=run.rate("p2") / rate, bar=bar))
        else:
            rows.append(Row("P4", f"single events ÷ {name}, single", run.rate("p2"), bar=None,
                            note=f"skipped: MESSAGE_DB_DIR names no checkout of {name}"))
    return rows
