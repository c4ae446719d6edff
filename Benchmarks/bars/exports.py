"""P9: export of events as NDJSON against COPY of the same columns; measured by Benchmarks/exports.py."""
from harness.result import Row

BARS = ("P9",)


def measure(run):
    exports = run.exports
    return [Row("P9", f"export of {max(run.sizes):,} events as NDJSON ÷ COPY … TO STDOUT", exports["ours"], limit=exports["copy"],
                ratio=exports["ratio"], bar=0.6, rounds={"output": exports["output"]})]
