"""P10: the service's resident memory."""
from harness.result import Row

BARS = ("P10",)


def measure(run):
    memory = run.ingest
    rows = [
        Row("P10", "resident memory, idle", memory["idle_mib"], "MiB", bar=40, at_most=True),
        Row("P10", "resident memory at its peak under P1 and P2", memory["peak_mib"], "MiB", bar=120, at_most=True),
    ]
    if "P9" in run.options.bars:
        exports = run.exports
        of = f"exporting {max(run.sizes):,} events"
        rows += [
            Row("P10", f"resident memory, {of} over HTTP", exports["service_mib"], "MiB", bar=120, at_most=True),
            Row("P10", "the same with many slow readers", exports["crowded_mib"], "MiB", bar=120, at_most=True),
            Row("P10", f"the command's, {of}", exports["command_mib"], "MiB", bar=120, at_most=True),
        ]
    return rows
