"""P1 and P2: durable ingest, projections paused, against COPY BINARY and bare HTTP."""
from harness.result import Row
from harness.service import median

BARS = ("P1", "P2")


def measure(run):
    rounds = run.ingest["rounds"]
    p1, p1_limit, p2, p2_limit = run.rate("p1"), median(run.copies), run.rate("p2"), run.rate("p2_limit")
    return [
        Row("P1", "batch ingest, 500 a request ÷ COPY BINARY, 2 connections", p1, limit=p1_limit, ratio=p1 / p1_limit, bar=0.7,
            rounds={"ours": rounds["p1"], "limit": run.copies}),
        Row("P2", "single events, 64 connections ÷ bare HTTP", p2, limit=p2_limit, ratio=p2 / p2_limit, bar=0.5,
            rounds={"ours": rounds["p2"], "limit": rounds["p2_limit"]}),
        Row("P2", "p99 of a single event", median(rounds["p2"], "p99_ms"), "ms", bar=15, at_most=True, guide=True),
        Row("P1", "p99 of a batch of 500", median(rounds["p1"], "p99_ms"), "ms"),
    ]
