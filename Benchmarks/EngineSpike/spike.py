#!/usr/bin/env python3
"""The spike of the engine: `notification` and `engagement` in three arms over the same log, by processor time.

    today    the SQL of sql/projections
    second   SQL with narrow rows, fixed plans and fewer passes (sql/narrow.sql, sql/second)
    folds    plain Swift (Sources/Folds), the tables of sql/narrow.sql

Needs `swift build -c release` here and notilog (NOTILOG names another than the release build). Writes
../results/engine-spike-<date>.json and prints the table.
"""
import argparse, datetime, json, os, statistics, subprocess, sys
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import compare
from fill import fill
from harness.postgres import Server
from harness.result import machine

SPIKE = HERE + "/.build/release/engine-spike"
SCHEMAS = {"today": "projection", "second": "spike_second", "folds": "spike_folds"}
TABLES = ["notification", "notification_action", "device_extension", "device_period", "category", "category_walk", "category_change",
          "engagement", "engagement_latency"]
SECOND = ["types", "registrations", "device_period", "notification_facts", "notification_write", "notification_apply", "engagement"]


def read(name):
    with open(f"{HERE}/sql/{name}.sql") as file:
        return file.read()


def today(projection, function, changes):
    """Today's function of a projection with changes, each a text that has to be there and what takes its place."""
    with open(f"{os.path.dirname(os.path.dirname(HERE))}/sql/projections/{projection}/apply.sql") as file:
        text = file.read()
    text = text[text.index(f"CREATE OR REPLACE FUNCTION {function}("):]
    for old, new in changes:
        if old not in text:
            raise RuntimeError(f"{function} is another one than this spike was written for")
        text = text.replace(old, new)
    return text


def second():
    """The functions of the second arm. What it has of today's follows today's."""
    torn = today("device_period", "device_period_apply", [
        ("CREATE OR REPLACE FUNCTION device_period_apply", "CREATE FUNCTION torn_apply"),
        ("SELECT r.* FROM device_period_runs(after, upto, false) r;", "TABLE torn_run;")])
    category = today("category", "category_apply", [
        ("CREATE OR REPLACE", "CREATE"), ("category_behaviour(", "projection.category_behaviour("),
        ("SELECT * FROM projection.batch(after, upto) WHERE kind = 'category_registration'\n      UNION ALL\n"
         "      SELECT * FROM log.erased_registrations(after, upto)\n", "SELECT * FROM registrations(after, upto)\n")])
    return torn + "".join(read("second/" + name) for name in SECOND) + category


def reset(database, arm):
    """Empty tables of an arm."""
    schema = SCHEMAS[arm]
    if arm == "today":
        database.sql("TRUNCATE " + ", ".join(f"projection.{table}" for table in TABLES))
    else:
        database.sql(f"SET client_min_messages = warning; DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};"
                     f"SET search_path = {schema}, projection, log, pg_catalog;" + read("narrow")
                     + (second() if arm == "second" else ""))
    database.sql("CHECKPOINT")


def run(database, arm, batch, cache, events):
    """What one run of an arm cost, in microseconds by part."""
    reset(database, arm)
    done = subprocess.run([SPIKE, "fold" if arm == "folds" else "sql", SCHEMAS[arm], str(batch), str(cache), str(events)], env=database.env,
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{arm}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def cost(found):
    """Microseconds an event, of both processes."""
    return sum(part["own"] + part["server"] for part in found["parts"].values()) / found["events"]


def sizes(database, arm):
    """Bytes of the notifications' table and of its indexes, and rows."""
    schema = SCHEMAS[arm]
    heap, indexes, rows, hot, updates = database.sql(
        f"SELECT pg_relation_size('{schema}.notification'), pg_indexes_size('{schema}.notification'), (SELECT count(*) FROM {schema}.notification),"
        f"pg_stat_get_tuples_hot_updated('{schema}.notification'::regclass), pg_stat_get_tuples_updated('{schema}.notification'::regclass)").split("|")
    return {"heap": int(heap), "indexes": int(indexes), "rows": int(rows), "hot": int(hot), "updated": int(updates)}


def variants(options):
    """What is run: the arm, the batch, what folds hold from batch to batch."""
    for batch in options.batches:
        yield "today", batch, "cold"
        yield "second", batch, "cold"
        for cache in options.caches:
            yield "folds", batch, cache


def measure(options, path):
    server = Server(options.keep)
    try:
        database = fill(server, options.devices, options.days)
        events = min(options.events or sys.maxsize, database.number("SELECT max(position) FROM log.event"))
        runs, differences, bytes_of = {}, {}, {}
        for round in range(options.rounds):
            for arm, batch, cache in variants(options):
                name = f"{arm}, {batch}" + (f", {cache}" if arm == "folds" else "")
                found = run(database, arm, batch, cache, events)
                runs.setdefault(name, []).append(found)
                print(f"  round {round + 1}: {name}: {cost(found):.1f} µs an event", file=sys.stderr, flush=True)
                if round == 0:
                    bytes_of[name] = sizes(database, arm)
                    if arm != "today":
                        differences[name] = compare.differences(database, SCHEMAS["today"], SCHEMAS[arm])
                        print("    " + ", ".join(f"{table}: {found['rows']:,} rows, {found['differing']:,} differ"
                                               for table, found in differences[name].items()), file=sys.stderr, flush=True)
            document = {"at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "machine": machine(),
                        "postgresql": server.version(), "events": events,
                        "devices": database.number("SELECT count(DISTINCT device_id) FROM log.event"),
                        "runs": runs, "differences": differences, "notification": bytes_of}
            write(document, path)   # what is there so far
        return document
    finally:
        server.stop()


def medians(found):
    """Of each part, this process's and the server's microseconds an event."""
    parts = sorted({part for one in found for part in one["parts"]})
    return {part: tuple(statistics.median(one["parts"].get(part, {"own": 0, "server": 0})[side] / one["events"] for one in found)
                        for side in ("own", "server")) for part in parts}


def table(document):
    lines = ["| arm, batch, held | Swift | PostgreSQL | sum | of today's | by part: Swift + PostgreSQL |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    for name, found in document["runs"].items():
        own, server = (statistics.median(sum(p[side] for p in one["parts"].values()) / one["events"] for one in found) for side in ("own", "server"))
        total = statistics.median(map(cost, found))
        today = statistics.median(map(cost, document["runs"][f"today, {name.split(', ')[1]}"]))
        parts = "; ".join(f"{part} {mine:.1f} + {theirs:.1f}" for part, (mine, theirs) in medians(found).items())
        lines.append(f"| {name} | {own:.1f} | {server:.1f} | {total:.1f} | {total / today:.2f} | {parts} |")
    return "\n".join(lines)


def free_path():
    """The file of a run of today; a second one gets a number."""
    name = f"{os.path.dirname(HERE)}/results/engine-spike-{datetime.date.today().isoformat()}"
    return next(path for path in (name + end for end in [".json", *(f"-{n}.json" for n in range(2, 1000))]) if not os.path.exists(path))


def write(document, path):
    with open(path, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, default=50_000)
    parser.add_argument("--days", type=int, default=4)
    parser.add_argument("--events", type=int, help="no more than so many of the log")
    parser.add_argument("--batches", type=lambda text: [int(n) for n in text.split(",")], default=[2_000, 100_000])
    parser.add_argument("--caches", type=lambda text: text.split(","), default=["cold", "16000000", "1000000000"],
                        help="what folds hold from batch to batch: cold, or bytes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", metavar="DIR", help="a folder for the database, which a next run takes up")
    options = parser.parse_args()
    path = free_path()
    document = measure(options, path)
    print(table(document))
    alike = all(not found["differing"] for of in document["differences"].values() for found in of.values())
    print("rows: the same in every arm" if alike else "rows differ: " + json.dumps(
        {name: {t: f for t, f in of.items() if f["differing"]} for name, of in document["differences"].items()}))
    print(path)
    return 0 if alike else 1


if __name__ == "__main__":
    sys.exit(main())
