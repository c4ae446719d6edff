#!/usr/bin/env python3
"""Compares the newest result with the one before it, or two that are named: `make bench-compare`.

The rates of two runs are not alike on a shared machine; what has moved is the ratio. Exits with 1 where a bar that was met
is not met any more.
"""
import argparse, glob, json, os, re, sys
from harness.paths import RESULTS
from harness.result import figure


def newest():
    """The results by date and number, the newest last."""
    def order(path):
        day, number = re.match(r"(\d{4}-\d\d-\d\d)(?:-(\d+))?\.json$", os.path.basename(path)).groups()
        return day, int(number or 1)
    return sorted((path for path in glob.glob(RESULTS + "/*.json") if re.match(r"\d{4}-\d\d-\d\d(-\d+)?\.json$", os.path.basename(path))), key=order)


def rows(path):
    """What was measured, by bar and what; nothing of a result of the older form, without rows."""
    with open(path) as file:
        return {(row["id"], row["what"]): row for row in json.load(file).get("rows", [])}


def value(row):
    return row["ours"] if row["ratio"] is None else row["ratio"]


def shown(row):
    return figure(row["ours"], row["unit"]) if row["ratio"] is None else f"{row['ratio']:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="*", help="two files, the older first (default: the two newest)")
    chosen = parser.parse_args().results or newest()[-2:]
    if len(chosen) != 2:
        sys.exit("two results are needed: `make bench` writes one")
    before, after = map(rows, chosen)
    print(f"{os.path.basename(chosen[0])} → {os.path.basename(chosen[1])}")
    lost = []
    for key, row in after.items():
        old = before.get(key)
        if old is None or value(old) is None or value(row) is None:
            print(f"{row['id']:<5}{row['what']:<80}{'':>14}{shown(row) if value(row) is not None else row['note'][:14]:>14}")
            continue
        change = (value(row) / value(old) - 1) * 100 if value(old) else 0.0
        word = "" if old["met"] == row["met"] else "  met now" if row["met"] else "  NO LONGER MET"
        if old["met"] and row["met"] is False and not row["guide"]:
            lost.append(key)
        print(f"{row['id']:<5}{row['what'][:78]:<80}{shown(old):>14}{shown(row):>14}{change:>+8.0f} %{word}")
    for key in before.keys() - after.keys():
        print(f"{key[0]:<5}{key[1]:<80}not measured")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
