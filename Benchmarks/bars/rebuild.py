"""P6: projections computed from nothing, each group on one connection, against COPY BINARY of the same events on one
connection. All of them are rebuilt one group after another, for the bar, and two at a time."""
import time
from harness.limit import copy_all_rate
from harness.notilog import groups, notilog
from harness.result import Row
from harness.service import median

BARS = ("P6",)


def rebuild(database, *which):
    """Seconds that `notilog projections rebuild` takes for groups of projections: built beside, and swapped."""
    begun = time.monotonic()
    notilog(database, "projections", "rebuild", *which)
    return time.monotonic() - begun


def measure(run):
    size = min(run.sizes)
    database = run.dataset.database(size)
    events = run.dataset.events(size)
    copies, engagement, one_by_one, side_by_side, each = [], [], [], [], []
    for _ in range(run.rounds):
        copies.append(copy_all_rate(database, events))
        took = {leader: rebuild(database, leader) for leader in groups(database)}
        one_by_one.append(events / sum(took.values()))
        took["all"] = rebuild(database, "--all", "--at-once", "2")
        run.say("  rebuild: " + ", ".join(f"{which} {seconds:.1f} s" for which, seconds in took.items()))
        each.append(took)
        engagement.append(events / took["notification"])
        side_by_side.append(events / took["all"])
    limit = median(copies)
    rows = [(median(engagement), "notification + engagement", 0.6), (median(one_by_one), "all projections", 0.4),
            (median(side_by_side), "all projections, two groups at a time", None)]
    return [Row("P6", f"rebuild of {what} ÷ COPY BINARY, 1 connection", rate, limit=limit, ratio=rate / limit, bar=bar,
                rounds={"seconds": each, "copy": copies}) for rate, what, bar in rows]
