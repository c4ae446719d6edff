"""P3: P1 and P2 on a log that holds the largest number of events, against an empty one, in turn."""
from harness import load
from harness.notilog import key, prepare, serve
from harness.result import Row
from harness.service import median

BARS = ("P3",)


def measure(run):
    size = max(run.sizes)
    full = run.dataset.database(size)
    before = full.number("SELECT last_value FROM log.position")
    rates = {"empty P1": [], "empty P2": [], "full P1": [], "full P2": []}
    try:
        empty = prepare(run.server.create("empty"))
        keys = key(empty, "provider"), key(full, "provider")
        with serve(empty, projections=False) as on_empty, serve(full, projections=False) as on_full:
            sides = (("empty", on_empty, keys[0]), ("full", on_full, keys[1]))
            for _ in range(run.rounds):
                for name, service, provider in sides:
                    rates[name + " P1"].append(load.batches(service.port, provider, run.seconds)["rate"])
                for name, service, provider in sides:
                    rates[name + " P2"].append(load.singles(service.port, provider, run.seconds)["rate"])
    finally:
        run.server.drop("empty")
        # The log goes back to what it was, for the next run to find.
        full.sql(f"DELETE FROM log.event WHERE position > {before}; DELETE FROM log.identity WHERE position > {before};"
                 "VACUUM log.event; VACUUM log.identity;")
    rows = []
    for what, name in (("P1", "batch ingest"), ("P2", "single events")):
        ours, theirs = median(rates["full " + what]), median(rates["empty " + what])
        rows.append(Row("P3", f"{name} on a log of {size:,} events ÷ on an empty one", ours, limit=theirs, ratio=ours / theirs, bar=0.8,
                        rounds=rates))
    return rows
