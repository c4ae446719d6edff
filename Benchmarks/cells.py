#!/usr/bin/env python3
"""The same events in one database and in several cells: rates of ingest and of projections, and the time of every report.

All databases are on one server, so what is measured is what cells cost, and what they gain where one session was the bound;
not what further machines add. Prints a table, and writes results/cells-<date>.json.
"""
import argparse, datetime, json, time
from bars.reports import head, queries
from harness import load
from harness.notilog import APP, key, notilog, send, serve
from harness.paths import BENCHMARKS
from harness.postgres import Server
from harness.result import machine
from harness.service import Client, median


def url(database):
    return f"postgresql:///{database.name}?host={database.server.folder}&user=postgres"


def cluster(server, count):
    """So many empty databases with an app, the one that the service is told of first."""
    databases = [server.create(f"cells_{count}_{number}") for number in range(count)]
    if count == 1:
        notilog(databases[0], "migrate")
    else:
        notilog(databases[0], "cluster", "init", *(url(other) for other in databases[1:]))
    notilog(databases[0], "apps", "create", APP)
    return databases


def caught_up(databases):
    """Whether every event is applied, and so are its copies in other cells."""
    return all(database.sql("""
        SELECT s.settled_position >= log.drawn_position() AND coalesce(c.position >= log.drawn_position(), false)
          AND coalesce((SELECT min(applied) FROM log.copied) >= (SELECT coalesce(max(position), 0) FROM log.event), true)
        FROM log.state s, (SELECT count(*) AS groups, min(position) AS position FROM projection.checkpoint) c""") == "t"
               for database in databases)


def measure(server, count, options):
    databases = cluster(server, count)
    provider = key(databases[0], "provider")
    with serve(databases[0], projections=False) as service:
        batches = [load.batches(service.port, provider, options.seconds)["rate"] for _ in range(options.rounds)]
        singles = [load.singles(service.port, provider, options.seconds)["rate"] for _ in range(options.rounds)]

    databases = cluster(server, count)
    end = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=8)   # so long ago that no answer changes while the clusters are asked in turn
    send(databases[0], ["simulate", "--devices", str(options.devices), "--days", "30", "--end", end.isoformat(), "--seed", "7"])
    events = sum(database.number("SELECT count(*) FROM log.event") for database in databases)
    reader = key(databases[0], "read")
    begun = time.monotonic()
    with serve(databases[0], projections=True) as service:
        while not caught_up(databases):
            time.sleep(0.2)
        applied = events / (time.monotonic() - begun)
        client = Client(service.port, reader)
        begin = end - datetime.timedelta(days=30)
        reports, rows = {}, {}
        for name, path in queries().items():
            asked = f"/v1/reports/{name}?from={begin}&to={end}&" + head(path).get("ask", "")
            answer, seconds = client.time(asked, options.report_rounds)
            reports[name], rows[name] = median(seconds), answer["rows"]
        resident = service.resident("VmRSS")
    copies = sum(database.number("SELECT count(*) FROM log.copy") for database in databases)
    return {"cells": count, "batch_rate": sorted(batches)[len(batches) // 2], "single_rate": sorted(singles)[len(singles) // 2],
            "events": events, "projection_rate": applied, "copies": copies, "resident_mib": resident, "reports": reports, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cells", default="1,2,4")
    parser.add_argument("--devices", type=int, default=1500)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report-rounds", type=int, default=7)
    options = parser.parse_args()
    server = Server()
    try:
        points = [measure(server, int(count), options) for count in options.cells.split(",")]
    finally:
        server.stop()
    differing = [f"{name} over {point['cells']} cells" for point in points[1:] for name in point["rows"]
                 if point["rows"][name] != points[0]["rows"][name]]
    lines = [["cells", *(str(p["cells"]) for p in points)],
             ["batch ingest, events/s", *(f"{p['batch_rate']:,.0f}" for p in points)],
             ["single-event ingest, events/s", *(f"{p['single_rate']:,.0f}" for p in points)],
             [f"all projections of {points[0]['events']:,} events, events/s", *(f"{p['projection_rate']:,.0f}" for p in points)],
             ["copies of events in other cells", *(f"{p['copies']:,}" for p in points)],
             ["memory of the service, MiB", *(f"{p['resident_mib']:.0f}" for p in points)]]
    lines += [[f"`{name}`, ms", *(f"{p['reports'][name] * 1000:.1f}" for p in points)] for name in sorted(points[0]["reports"])]
    print("\n".join("| " + " | ".join(line) + " |" for line in [lines[0], ["---"] + ["---:"] * len(points)] + lines[1:]))
    print("reports that differ: " + (", ".join(differing) or "none"))
    for point in points:
        del point["rows"]
    today = datetime.date.today().isoformat()
    with open(f"{BENCHMARKS}/results/cells-{today}.json", "w") as file:
        json.dump({"machine": machine(), "points": points, "differing": differing}, file, indent=1)


main()
