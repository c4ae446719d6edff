"""P14: all projections computed from nothing at once, with two lanes of `notification` against one."""
import time
from concurrent.futures import ThreadPoolExecutor
from harness.notilog import groups, notilog
from harness.result import Row
from harness.service import median

BARS = ("P14",)


def rebuild(database, lanes):
    """Seconds until every group is rebuilt, all at the same time."""
    def command(leader):
        more = ("--lanes", str(lanes)) if leader == "notification" else ()
        notilog(database, "projections", "rebuild", leader, *more)

    begun = time.monotonic()
    with ThreadPoolExecutor() as pool:
        list(pool.map(command, groups(database)))
    return time.monotonic() - begun


def measure(run):
    size = min(run.sizes)
    database = run.dataset.database(size)
    events = run.dataset.events(size)
    rates = {1: [], 2: []}
    for _ in range(run.rounds):
        for lanes, found in rates.items():
            found.append(events / rebuild(database, lanes))
        run.say("  lanes: " + ", ".join(f"{lanes}: {found[-1]:,.0f} events/s" for lanes, found in rates.items()))
    one, two = median(rates[1]), median(rates[2])
    return [Row("P14", "all projections at once, 2 lanes ÷ 1", two, limit=one, ratio=two / one, bar=1.6,
                rounds={f"lanes_{lanes}": found for lanes, found in rates.items()})]
