"""P10: the service's resident memory, idle, under load and in two lanes; while exporting, see exports.py."""
from harness.notilog import notilog
from harness.result import Row

BARS = ("P10",)


def lanes(run):
    """The most that the service takes while it applies the smallest log from its beginning, `notification` in two lanes."""
    database = run.server.create("two_lanes", template=run.dataset.base().name)
    try:
        notilog(database, "migrate")
        notilog(database, "projections", "rebuild", "notification", "--lanes", "2")
        run.dataset.fill(database, 1)
        return run.dataset.project(database)["peak_mib"]
    finally:
        run.server.drop("two_lanes")


def measure(run):
    memory = run.ingest
    return [
        Row("P10", "resident memory, idle", memory["idle_mib"], "MiB", bar=40, at_most=True),
        Row("P10", "resident memory at its peak under P1 and P2", memory["peak_mib"], "MiB", bar=120, at_most=True),
        Row("P10", "resident memory at its peak, two lanes applying full batches", lanes(run), "MiB", bar=200, at_most=True),
    ]
