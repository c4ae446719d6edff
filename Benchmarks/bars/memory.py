"""P10: the service's resident memory, idle and under load; while exporting, see exports.py."""
from harness.result import Row

BARS = ("P10",)


def measure(run):
    memory = run.ingest
    return [
        Row("P10", "resident memory, idle", memory["idle_mib"], "MiB", bar=40, at_most=True),
        Row("P10", "resident memory at its peak under P1 and P2", memory["peak_mib"], "MiB", bar=120, at_most=True),
    ]
