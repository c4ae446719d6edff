#!/usr/bin/env python3
"""Measures one machine's log as it grows, and writes docs/scale.json, the chart and the figures of docs/scale.md.

For each size: the rates of ingest (P1's and P2's load, projections paused), how fast every projection was applied to all
of it, the time of every report over 90 days, and the disk. `make bench-growth`; --keep takes up logs that were filled
before, such as those of run.py.
"""
import argparse, datetime, json, os, signal, subprocess, sys
from bars.full_log import rates
from bars.reports import ours, queries
from compare import newest, rows
from harness import environment
from harness.context import Run
from harness.notilog import version
from harness.paths import BENCHMARKS, ROOT
from harness.result import machine
from harness.service import median

DOCS = ROOT + "/docs"
GUIDE = 0.3   # seconds a report may take


def point(run, size):
    """What is measured at one size."""
    database = run.dataset.database(size)
    facts = run.dataset.facts(size)
    found = rates(run, {"log": database})["log"]
    reports = {name: median(answer["seconds"]) for name, answer in ours(run, size, queries()).items()}
    return {"events": facts["events"], "batch_rate": median(found["batch"]), "single_rate": median(found["single"]),
            "projection_rate": facts["events"] / facts["project_seconds"], "reports": reports,
            **{name: facts[name] for name in ("log_bytes", "identity_bytes", "projection_bytes")}}


def measure(options):
    run = Run(options)
    try:
        points = [point(run, size) for size in options.events]
        return {"at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "machine": machine(),
                "versions": {"notilog": version(), "postgresql": run.server.version()}, "points": points}
    finally:
        run.server.stop()


def short(number):
    return f"{number / 1e6:g} M" if number >= 1e6 else f"{number / 1e3:.0f} k"


def nominal(point):
    """The size as it is spoken of."""
    return short(float(f"{point['events']:.2g}"))


def disk(point):
    return point["log_bytes"] + point["identity_bytes"] + point["projection_bytes"]


def table(points):
    """The figures as a table of Markdown."""
    lines = [("events", *(nominal(p) for p in points))]
    lines.append(("batch ingest, events/s", *(f"{p['batch_rate']:,.0f}" for p in points)))
    lines.append(("single-event ingest, events/s", *(f"{p['single_rate']:,.0f}" for p in points)))
    lines.append(("all projections, events/s", *(f"{p['projection_rate']:,.0f}" for p in points)))
    lines.append(("log, GB", *(f"{p['log_bytes'] / 1e9:.2f}" for p in points)))
    lines.append(("identity table, GB", *(f"{p['identity_bytes'] / 1e9:.2f}" for p in points)))
    lines.append(("projections, GB", *(f"{p['projection_bytes'] / 1e9:.2f}" for p in points)))
    lines.append(("bytes an event, all in", *(f"{disk(p) / p['events']:,.0f}" for p in points)))
    for name in sorted(points[-1]["reports"], key=points[-1]["reports"].get):
        lines.append((f"`{name}`, ms", *(f"{p['reports'][name] * 1000:,.0f}" for p in points)))
    header, *rest = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([header, "| --- |" + " ---: |" * len(points), *rest])


def sustained():
    """P5's rate in the newest result that has one, its name, and those of newer ones in which no rate held; None without any."""
    without = []
    for path in reversed(newest()):
        for (bar, _), row in rows(path).items():
            if bar == "P5" and row["ours"]:
                return row["ours"], os.path.basename(path), without
            if bar == "P5":
                without.append(os.path.basename(path))
    return None


def grows(points, value):
    """How many times a figure is larger at the largest size than at the smallest."""
    return value(points[-1]) / value(points[0])


def conclusions(points):
    """What follows from the figures: what grows how, and which limit is met first."""
    first, last = points[0], points[-1]
    times = last["events"] / first["events"]
    flat = [name for name in last["reports"] if grows(points, lambda p: p["reports"][name]) < times ** 0.5]
    linear = [name for name in last["reports"] if name not in flat]
    lines = [
        f"From {nominal(first)} to {nominal(last)} events, {times:.0f} times as many: batch ingest keeps"
        f" {grows(points, lambda p: p['batch_rate']) * 100:.0f} % of its rate, single events"
        f" {grows(points, lambda p: p['single_rate']) * 100:.0f} %, projections {grows(points, lambda p: p['projection_rate']) * 100:.0f} %;"
        f" disk grows {grows(points, disk):.1f} times.",
        f"Of the reports, these grow less than {times ** 0.5:.1f} times: {', '.join(f'`{name}`' for name in flat) or 'none'};"
        f" these more: {', '.join(f'`{name}`' for name in linear) or 'none'}.",
    ]
    slowest = max(last["reports"], key=last["reports"].get)
    slope = (last["reports"][slowest] - first["reports"][slowest]) / (last["events"] - first["events"])
    if slope > 0:
        reach = last["events"] + (GUIDE - last["reports"][slowest]) / slope
        met = (f"is met {'up to' if reach > last['events'] else 'only below'} some {reach / 1e6:,.0f} M events in the 90 days asked for"
               if reach > first["events"] else "is met at none of these sizes")
        lines.append(f"The slowest report over 90 days is `{slowest}`: {last['reports'][slowest] * 1000:,.0f} ms at {nominal(last)}."
                     f" On its line the guide of {GUIDE * 1000:.0f} ms {met}.")
    each = disk(last) / last["events"]
    lines.append(f"An event takes {each:,.0f} bytes of disk all in: 1 TB holds some {1e12 / each / 1e6:,.0f} M events.")
    if live := sustained():
        rate, source, without = live
        none = f"; in {', '.join(without)} none of the rates tried did" if without else ""
        lines.append(f"With every projection live and no more than 2 s behind, {rate:,.0f} events/s held for five minutes ({source}, P5{none}):"
                     f" {rate * 86400 / 1e6:,.0f} M a day, which fill that 1 TB in {1e12 / each / (rate * 86400):,.1f} days. A steady stream meets"
                     f" the projections' rate first, then the disk; paused projections take {last['batch_rate']:,.0f} events/s.")
    return "\n".join(f"- {line}" for line in lines)


def write(document):
    with open(DOCS + "/scale.json", "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    subprocess.run([environment.python("matplotlib"), BENCHMARKS + "/chart.py", DOCS + "/scale.json", DOCS + "/scale.svg"], check=True)
    with open(DOCS + "/scale.md") as file:
        page = file.read()
    begin, end = "<!-- figures: made by Benchmarks/growth.py -->\n", "<!-- end of figures -->"
    head, rest = page.split(begin)
    tail = rest.split(end)[1]
    about = document["machine"]
    made = (f"Measured {document['at'][:10]} on {about['cores']} cores ({about['processor']}), {about['memory_gib']:.0f} GiB,"
            f" PostgreSQL {document['versions']['postgresql'].split()[0]}.")
    points = document["points"]
    with open(DOCS + "/scale.md", "w") as file:
        file.write(f"{head}{begin}\n{made}\n\n![Rates, report times and disk by the number of events](scale.svg)\n\n{table(points)}\n\n{conclusions(points)}\n\n{end}{tail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=lambda text: sorted(map(int, text.split(","))), default=[1_000_000, 5_000_000, 20_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10, help="of one round of load")
    parser.add_argument("--keep", metavar="DIR", help="a folder for the database, with logs that were filled before")
    parser.add_argument("--page-only", action="store_true", help="make chart and page anew from docs/scale.json")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.page_only:
        with open(DOCS + "/scale.json") as file:
            write(json.load(file))
    else:
        write(measure(options))


if __name__ == "__main__":
    main()
