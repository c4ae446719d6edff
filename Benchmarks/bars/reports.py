"""P7 and P8: each report over 90 days by GET /v1/reports/{name}, on the smallest and the largest log, against DuckDB.

DuckDB answers Benchmarks/duckdb/<report>.sql over the same raw events in memory. The head of each of those files says
what to ask of ours, and which columns of both answers have to agree: a comparison of other figures would be none.
"""
import glob, json, os, re, subprocess
from harness import environment
from harness.notilog import key, serve
from harness.paths import BENCHMARKS, read
from harness.result import Row
from harness.service import Client, median

BARS = ("P7", "P8")
NEAR = 0.05   # the error that a percentile may have


def queries():
    return {os.path.basename(path)[:-4]: path for path in sorted(glob.glob(BENCHMARKS + "/duckdb/[a-z]*.sql"))}


def head(path):
    """What the lines `-- word: …` at the top of a query say."""
    with open(path) as file:
        return dict(re.findall(r"^-- (ask|key|same|near): (.*)$", file.read(), re.M))


def listed(text):
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def ours(run, size, wanted):
    """For each report its answer and seconds, over HTTP, on the log of that size."""
    database = run.dataset.database(size)
    begin, end = run.dataset.period
    answers = {}
    reader = key(database, "read")
    with serve(database, projections=True, **{"database.read_timeout_seconds": 600}) as service:
        client = Client(service.port, reader)
        for name in wanted:
            path = f"/v1/reports/{name}?from={begin}&to={end}&" + head(queries()[name]).get("ask", "")
            answer, seconds = client.get(path)
            # A report that takes long is not asked as often as one of milliseconds.
            answer, seconds = client.time(path, run.rounds if seconds > 1 else max(run.rounds, 11))
            answers[name] = {"rows": answer["rows"], "seconds": seconds}
            run.say(f"  {size:,} events: {name} {median(seconds) * 1000:.1f} ms")
    return answers


def duckdb(run, size, wanted):
    """What DuckDB says to the same events."""
    base = run.dataset.base()
    begin, end = run.dataset.period
    path = run.server.folder + "/raw.csv"
    with open(path, "w") as file:
        subprocess.run(["psql", "-XqAt", "-c", "SET timezone = 'UTC'", "-c", read("sql/raw.sql")], env=base.env, check=True, stdout=file)
    try:
        task = {"csv": path, "copies": run.dataset.facts(size)["copies"], "from": begin, "to": end, "rounds": run.rounds,
                "prelude": BENCHMARKS + "/duckdb/_notification.sql", "queries": {name: queries()[name] for name in wanted}}
        done = subprocess.run([environment.python("duckdb"), BENCHMARKS + "/peers/duckdb_reports.py"], input=json.dumps(task),
                              capture_output=True, text=True)
    finally:
        os.remove(path)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    answer = json.loads(done.stdout)
    if answer["events"] != run.dataset.events(size):
        raise RuntimeError(f"DuckDB has {answer['events']} events, the log {run.dataset.events(size)}")
    run.versions["duckdb"] = answer["version"]
    return answer


def compare(name, mine, theirs):
    """What differs between the two answers, as text; empty where they agree."""
    said = head(queries()[name])
    keys, same, near = listed(said.get("key")), listed(said.get("same")), listed(said.get("near"))
    text = lambda value: f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    place = lambda row: tuple(text(row.get(key)) for key in keys)
    left, right = {place(row): row for row in mine}, {place(row): row for row in theirs}
    found = []
    for at in sorted(left.keys() | right.keys()):
        a, b = left.get(at), right.get(at)
        if a is None or b is None:
            # A group in which nothing was counted need not be there.
            if any((a or b).get(column) for column in same + near):
                found.append(f"{at} only in {'ours' if b is None else 'theirs'}")
            continue
        for column in same + near:
            x, y = a.get(column), b.get(column)
            allowed = NEAR if column in near else 1e-9
            if x != y and (x is None or y is None or abs(x - y) > allowed * max(abs(x), abs(y))):
                found.append(f"{at} {column}: ours {x}, DuckDB {y}")
    return found


def measure(run):
    small, large = min(run.sizes), max(run.sizes)
    wanted = [name for name in queries() if ("P7" if name == "engagement" else "P8") in run.options.bars]
    at_large = ours(run, large, wanted)
    at_small = ours(run, small, wanted) if "P7" in run.options.bars else {}
    theirs = duckdb(run, large, wanted)
    run.details["duckdb"] = {k: v for k, v in theirs.items() if k != "reports"}
    rows = []
    for name in wanted:
        mine, peer = at_large[name], theirs["reports"][name]
        if "error" in peer:
            raise RuntimeError(f"duckdb/{name}.sql: {peer['error']}")
        differences = compare(name, mine["rows"], peer["rows"])
        for line in differences[:10]:
            run.say(f"  {name} differs: {line}")
        took, other = median(mine["seconds"]), median(peer["seconds"])
        note = f"{len(differences)} figures differ from DuckDB's" if differences else ""
        rounds = {"ours": mine["seconds"], "peer": peer["seconds"], "differences": differences[:50]}
        if name == "engagement":
            less = median(at_small[name]["seconds"])
            rows += [
                Row("P7", f"engagement by category, 90 days: at {large:,} events ÷ at {small:,}", took * 1000, "ms", limit=less * 1000,
                    ratio=took / less, bar=1.5, at_most=True, rounds={"small": at_small[name]["seconds"]}),
                Row("P7", f"the same at {large:,} events: DuckDB ÷ ours", took * 1000, "ms", peer=other * 1000, ratio=other / took, bar=50,
                    note=note, rounds=rounds),
                Row("P7", f"the same at {large:,} events", took * 1000, "ms", bar=20, at_most=True, guide=True),
            ]
        else:
            rows += [
                Row("P8", f"{name}, 90 days, {large:,} events: DuckDB ÷ ours", took * 1000, "ms", peer=other * 1000, ratio=other / took, bar=3,
                    note=note, rounds=rounds),
                Row("P8", name, took * 1000, "ms", bar=500, at_most=True, guide=True),
            ]
    return rows
