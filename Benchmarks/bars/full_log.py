"""P3: P1 and P2 on a log that holds the largest number of events, against an empty one, in turn."""
import contextlib
from harness import load
from harness.notilog import key, prepare, serve
from harness.result import Row
from harness.service import median

BARS = ("P3",)


def rates(run, databases):
    """P1's and P2's rates on each of some databases, in turn, and the logs as they were before."""
    found = {name: {"batch": [], "single": []} for name in databases}
    before = {name: database.number("SELECT last_value FROM log.position") for name, database in databases.items()}
    keys = {name: key(database, "provider") for name, database in databases.items()}
    try:
        with contextlib.ExitStack() as stack:
            services = {name: stack.enter_context(serve(database, projections=False)) for name, database in databases.items()}
            for _ in range(run.rounds):
                for what, send in (("batch", load.batches), ("single", load.singles)):
                    for name, service in services.items():
                        found[name][what].append(send(service.port, keys[name], run.seconds)["rate"])
    finally:
        for name, database in databases.items():
            database.sql(f"DELETE FROM log.event WHERE position > {before[name]}; DELETE FROM log.identity WHERE position > {before[name]};"
                         "VACUUM log.event; VACUUM log.identity;")
    return found


def measure(run):
    size = max(run.sizes)
    try:
        found = rates(run, {"empty": prepare(run.server.create("empty")), "full": run.dataset.database(size)})
    finally:
        run.server.drop("empty")
    rows = []
    for what, name in (("batch", "batch ingest"), ("single", "single events")):
        ours, theirs = median(found["full"][what]), median(found["empty"][what])
        rows.append(Row("P3", f"{name} on a log of {size:,} events ÷ on an empty one", ours, limit=theirs, ratio=ours / theirs, bar=0.9,
                        rounds={"full": found["full"][what], "empty": found["empty"][what]}))
    return rows
