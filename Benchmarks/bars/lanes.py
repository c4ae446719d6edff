"""P14: all projections computed from nothing at once, with two lanes of `notification` against one; and `notification` alone."""
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
    rates = {1: [], 2: []}
    for _ in range(run.rounds):
        for lanes, found in rates.items():
            found.append(events / rebuild(database, leaders, lanes))
        run.say(f"  {what}: " + ", ".join(f"{lanes}: {found[-1]:,.0f} events/s" for lanes, found in rates.items()))
    one, two = median(rates[1]), median(rates[2])
    return Row("P14", f"{what}, 2 lanes ÷ 1", two, limit=one, ratio=two / one, bar=bar,
               rounds={f"lanes_{lanes}": found for lanes, found in rates.items()})


def measure(run):
    size = min(run.sizes)
    database = run.dataset.database(size)
    events = run.dataset.events(size)
    return [
        compare(run, database, events, "all projections at once", groups(database), 1.6),
        # Beside it the other groups, which have one lane, keep a core of two busy.
        compare(run, database, events, "notification and its group alone", ["notification"]),
    ]
