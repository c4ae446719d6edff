"""P14: all projections computed from nothing at once, with several lanes of `notification` against one; and `notification` alone."""
import time
from concurrent.futures import ThreadPoolExecutor
from harness.notilog import groups, notilog
from harness.result import Row
from harness.service import median

BARS = ("P14",)


def rebuild(database, leaders, lanes):
    """Seconds until groups are rebuilt, all at the same time."""
    def command(leader):
        more = ("--lanes", str(lanes)) if leader == "notification" else ()
        notilog(database, "projections", "rebuild", leader, *more)

    begun = time.monotonic()
    with ThreadPoolExecutor() as pool:
        list(pool.map(command, leaders))
    return time.monotonic() - begun


def compare(run, database, events, what, leaders, bar=None):
    rates = {lanes: [] for lanes in sorted({1, *run.options.lanes})}
    for _ in range(run.rounds):
        for lanes, found in rates.items():
            found.append(events / rebuild(database, leaders, lanes))
        run.say(f"  {what}: " + ", ".join(f"{lanes}: {found[-1]:,.0f} events/s" for lanes, found in rates.items()))
    one = median(rates[1])
    return [Row("P14", f"{what}, {lanes} lanes ÷ 1", median(found), limit=one, ratio=median(found) / one, bar=bar if lanes == 2 else None,
                rounds={"lanes_1": rates[1], f"lanes_{lanes}": found}) for lanes, found in rates.items() if lanes > 1]


def measure(run):
    size = min(run.sizes)
    database = run.dataset.database(size)
    events = run.dataset.events(size)
    # Beside `notification` the other groups, which have one lane, keep a core of two busy.
    return (compare(run, database, events, "all projections at once", groups(database), 1.6)
            + compare(run, database, events, "notification and its group alone", ["notification"]))
