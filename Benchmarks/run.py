#!/usr/bin/env python3
"""Measures Notilog against its limits and its peers in one run: the bars P1 to P14 of the performance page.

Client, service and database are real processes on this machine; PostgreSQL is private to the run, with
synchronous_commit on. Every figure is the median of --rounds rounds, ours and the other side in turn. Prints a table and
writes Benchmarks/results/<date>.json; exits with 1 where a bar could not be measured (not where one is not met).

  make bench                                                  everything: well over an hour
  python3 Benchmarks/run.py --bars P1,P2 --seconds 5          two bars, a minute
  python3 Benchmarks/run.py --events 100000,1000000 --export-rows 300000 --seconds 3 --sustained 30    every bar on small logs
  python3 Benchmarks/run.py --keep /var/tmp/bench --bars P7,P8    keeps the filled logs for the next run
"""
import argparse, datetime, os, signal, sys, time, traceback
from bars import MODULES
from harness import result
from harness.context import Run
from harness.notilog import version
from harness.paths import BARE_HTTP, NOTILOG, ROOT
from harness.postgres import SETTINGS, Server
from harness.service import Service, free_port

__all__ = ["ROOT", "Server", "Service", "free_port"]   # exports.py takes these from here
BARS = [f"P{n}" for n in range(1, 15)]


def bars(text):
    chosen = text.upper().split(",")
    if unknown := [name for name in chosen if name not in BARS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: bars are {', '.join(BARS)}")
    return chosen


def sizes(text):
    return sorted(int(part.replace("_", "")) for part in text.split(","))


def lanes(text):
    chosen = [int(part) for part in text.split(",")]
    if not {2, 4, 8}.issuperset(chosen):
        raise argparse.ArgumentTypeError("a version of `notification` has 2, 4 or 8 lanes beside the one that they are compared with")
    return chosen


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bars", type=bars, default=BARS, help="which, such as P1,P2 (default: all)")
    parser.add_argument("--events", type=sizes, default=[1_000_000, 20_000_000],
                        help="events of the smallest and the largest log (default: 1000000,20000000)")
    parser.add_argument("--rounds", type=int, default=3, help="of each measure (default: 3)")
    parser.add_argument("--seconds", type=int, default=10, help="of one round of load (default: 10)")
    parser.add_argument("--sustained", type=int, default=300, help="seconds that P5's rate has to hold (default: 300)")
    parser.add_argument("--export-rows", type=int, default=5_000_000, help="events that P9 exports (default: 5000000)")
    parser.add_argument("--lanes", type=lanes, default=[2], help="lanes that P14 compares with one, such as 2,4 (default: 2)")
    parser.add_argument("--keep", metavar="DIR", help="a folder for the database, which a next run takes up with its filled logs")
    parser.add_argument("--no-results", action="store_true", help="print the table only")
    return parser.parse_args()


def measure(run):
    """The rows of the bars that were asked for; what could not be measured has a row that says so."""
    rows, failures = [], 0
    for module in MODULES:
        wanted = [name for name in module.BARS if name in run.options.bars]
        if not wanted:
            continue
        run.say(f"{', '.join(wanted)} …")
        begun = time.monotonic()
        try:
            found = [row for row in module.measure(run) if row.id in wanted]
        except Exception as error:
            traceback.print_exc()
            found = [result.Row(name, "not measured", note=f"{type(error).__name__}: {error}"[:200]) for name in wanted]
            failures += 1
        rows += found
        run.say(result.table(found) + f"\n  ({time.monotonic() - begun:.0f} s)")
    return sorted(rows, key=lambda row: int(row.id[1:])), failures


def main():
    options = arguments()
    for program in (NOTILOG, BARE_HTTP):
        if not os.path.exists(program):
            sys.exit(f"{program} is not there: `make bench` builds it")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))   # so that the database ends with the run
    begun = time.monotonic()
    run = Run(options)
    try:
        rows, failures = measure(run)
        server_version = run.server.version()
    finally:
        run.server.stop()
    print(result.table(rows))
    if not options.no_results:
        print("written to", result.write({
            "at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "took_seconds": round(time.monotonic() - begun), "machine": result.machine(),
            "versions": {"notilog": version(), "postgresql": server_version, "python": sys.version.split()[0], **run.versions},
            "settings": {"postgresql": SETTINGS, **{k: v for k, v in vars(options).items() if k not in ("keep", "no_results")}},
            "rows": [row.record() for row in rows], "details": run.details,
        }))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
