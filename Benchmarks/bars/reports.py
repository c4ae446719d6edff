"""P7 and P8: each report over 90 days by GET /v1/reports/{name}, on the smallest and the largest log, against DuckDB and ClickHouse.

Both answer the same queries, duckdb/<report>.sql and clickhouse/<report>.sql, over the same raw events in memory; the faster one
counts. The head of each of DuckDB's files says what to ask of ours, and which columns of all answers have to agree: a comparison of
other figures would be none.
"""
import glob, json, os, re, subprocess
from harness import environment
from harness.notilog import key, serve
from harness.paths import BENCHMARKS, read
from harness.result import Row
from harness.service import Client, median

BARS = ("P7", "P8")
NEAR = 0.05   # the error that a percentile may have
PEERS = {"DuckDB": "duckdb", "ClickHouse": "chdb"}   # by name, and their packages


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


def peers(run, size, wanted):
    """What each peer says to the same events."""
    base = run.dataset.base()
    begin, end = run.dataset.period
    path = run.server.folder + "/raw.csv"
    with open(path, "w") as file:
        subprocess.run(["psql", "-XqAt", "-c", "SET timezone = 'UTC'", "-c", read("sql/raw.sql")], env=base.env, check=True, stdout=file)
    try:
        task = {"csv": path, "copies": run.dataset.facts(size)["copies"], "from": begin, "to": end, "rounds": run.rounds, "spill": run.server.folder,
                "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2}
        answers = {}
        for peer, package in PEERS.items():
            try:
                answers[peer] = ask(run, size, peer, package, task, wanted)
            except RuntimeError as error:
                if not is_of_memory(str(error)):
                    raise
                run.say(f"  {error}")
                answers[peer] = {name: {"error": str(error)} for name in wanted}
        return answers
    finally:
        os.remove(path)


def is_of_memory(error):
    """Whether a peer failed as the events, or what it makes of them, do not fit into its memory: then it has no answer, and is not wrong."""
    return "memory" in error.lower()


def ask(run, size, peer, package, task, wanted):
    """One peer's answers, in a process of its own, which ends before the next one's begins."""
    folder = f"{BENCHMARKS}/{peer.lower()}"
    task = {**task, "prelude": folder + "/_notification.sql", "queries": {name: f"{folder}/{name}.sql" for name in wanted}}
    done = subprocess.run([environment.python(package), f"{BENCHMARKS}/peers/{peer.lower()}_reports.py"], input=json.dumps(task),
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{peer}: {done.stderr[-2000:]}")
    answer = json.loads(done.stdout)
    if answer["events"] != run.dataset.events(size):
        raise RuntimeError(f"{peer} has {answer['events']} events, the log {run.dataset.events(size)}")
    for name, said in answer["reports"].items():
        if "error" in said:
            if not is_of_memory(said["error"]):
                raise RuntimeError(f"{folder}/{name}.sql: {said['error']}")
            run.say(f"  {folder}/{name}.sql: {said['error']}")
    run.versions[package] = answer["version"]
    run.details[peer.lower()] = {k: v for k, v in answer.items() if k != "reports"}
    return answer["reports"]


def compare(name, mine, theirs, peer):
    """What differs between our answer and a peer's, as text; empty where they agree."""
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
                found.append(f"{at} only in {'ours' if b is None else peer}")
            continue
        for column in same + near:
            x, y = a.get(column), b.get(column)
            allowed = NEAR if column in near else 1e-9
            if x != y and (x is None or y is None or abs(x - y) > allowed * max(abs(x), abs(y))):
                found.append(f"{at} {column}: ours {x}, {peer} {y}")
    return found


def measure(run):
    small, large = min(run.sizes), max(run.sizes)
    wanted = [name for name in queries() if ("P7" if name == "engagement" else "P8") in run.options.bars]
    at_large = ours(run, large, wanted)
    at_small = ours(run, small, wanted)
    theirs = peers(run, large, wanted)
    rows = []
    for name in wanted:
        mine = at_large[name]
        said = {peer: answers[name] for peer, answers in theirs.items() if "error" not in answers[name]}
        if not said:
            raise RuntimeError(f"no peer answers {name}")
        differences = [line for peer in said for line in compare(name, mine["rows"], said[peer]["rows"], peer)]
        for line in differences[:10]:
            run.say(f"  {name} differs: {line}")
        faster = min(said, key=lambda peer: median(said[peer]["seconds"]))
        took, other = median(mine["seconds"]), median(said[faster]["seconds"])
        notes = [f"{peer} could not answer" for peer in theirs.keys() - said.keys()]
        note = "; ".join(notes + ([f"{len(differences)} figures differ from the peers'"] if differences else []))
        less = median(at_small[name]["seconds"])
        rounds = {"ours": mine["seconds"], **{peer: said[peer]["seconds"] for peer in said}, "differences": differences[:50]}
        if name == "engagement":
            rows += [
                Row("P7", f"engagement by category, 90 days: at {large:,} events ÷ at {small:,}", took * 1000, "ms", limit=less * 1000,
                    ratio=took / less, bar=1.5, at_most=True, rounds={"small": at_small[name]["seconds"]}),
                Row("P7", f"the same at {large:,} events: {faster} ÷ ours", took * 1000, "ms", peer=other * 1000, ratio=other / took, bar=100,
                    note=note, rounds=rounds),
                Row("P7", f"the same at {large:,} events", took * 1000, "ms", bar=20, at_most=True, guide=True),
            ]
        else:
            rows += [
                Row("P8", f"{name}, 90 days, {large:,} events: {faster} ÷ ours", took * 1000, "ms", peer=other * 1000, ratio=other / took, bar=3,
                    note=note, rounds=rounds),
                Row("P8", f"{name}, the same: at {large:,} events ÷ at {small:,}", took * 1000, "ms", limit=less * 1000, ratio=took / less, bar=2,
                    at_most=True, rounds={"small": at_small[name]["seconds"]}),
                Row("P8", f"{name}, the same", took * 1000, "ms", bar=300, at_most=True, guide=True),
            ]
    return rows
