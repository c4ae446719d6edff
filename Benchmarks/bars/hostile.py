"""P13: what names that clients make up cost: some 10⁶ categories and campaigns in 2 M events, against the simulator's own."""
from bars.rebuild import rebuild
from harness.dataset import sizes
from harness.notilog import groups, key, serve
from harness.paths import read
from harness.result import Row
from harness.service import Client, median

BARS = ("P13",)
COPIES = 2   # of the smallest log


def rate(database, events):
    """Events a second of all projections, each group rebuilt on one connection."""
    return events / sum(rebuild(database, leader) for leader in groups(database))


def reports(run, database):
    """Seconds of every report over the 90 days, all else as it is by default, and the service's resident memory at its peak."""
    begin, end = run.dataset.period
    reader = key(database, "read")
    with serve(database, projections=True, **{"database.read_timeout_seconds": 600}) as service:
        client = Client(service.port, reader)
        names = [report["name"] for report in client.get("/v1/reports")[0]["reports"]]
        seconds = {name: median(client.time(f"/v1/reports/{name}?from={begin}&to={end}", run.rounds)[1]) for name in names}
        return seconds, service.resident("VmHWM")


def measure(run):
    size = COPIES * min(run.sizes)
    plain = run.dataset.database(size)
    events = run.dataset.events(size)
    hostile = run.server.create("hostile", template=plain.name)
    try:
        run.say("making names up")
        hostile.sql(read("sql/hostile.sql"))
        names = sum(hostile.number(f"SELECT count(DISTINCT data->>'{name}') FROM log.upcast_event") for name in ("category_id", "campaign_id"))
        rates = {"plain": [], "hostile": []}
        for _ in range(run.rounds):
            rates["plain"].append(rate(plain, events))
            rates["hostile"].append(rate(hostile, events))
        more = sizes(hostile)["projection_bytes"] - sizes(plain)["projection_bytes"]
        hostile.sql("VACUUM ANALYZE")
        seconds, memory = reports(run, hostile)
    finally:
        run.server.drop("hostile")
    ours, theirs = median(rates["hostile"]), median(rates["plain"])
    slowest = max(seconds, key=seconds.get)
    return [
        Row("P13", f"all projections, {names:,} names in {events:,} events ÷ the simulator's names", ours, limit=theirs, ratio=ours / theirs,
            bar=0.7, rounds={"rates": rates, "names": names}),
        Row("P13", "disk of all projections beyond that of the simulator's names, a made-up name", more / names, "B"),
        Row("P13", f"the slowest report by default, {slowest}, 90 days", seconds[slowest] * 1000, "ms", bar=1000, at_most=True,
            rounds={"seconds": seconds}),
        Row("P13", "the service's resident memory at its peak meanwhile", memory, "MiB", bar=160, at_most=True),
    ]
