#!/usr/bin/env python3
"""Counts instructions of what must not slip, and holds them against thresholds in files: `make bench-micro`.

Instructions, by valgrind's callgrind: they are the same on a busy machine as on a quiet one. Of the service: decoding an
event by itself and in a batch, encoding a batch for PostgreSQL, and folding it (Microbenchmarks/). Of PostgreSQL, in single-user
mode: log.append of a batch of the simulator's events. Exits with 1 where one takes more than its threshold and the file's
margin.

  make bench-micro                                    all of them: some minutes
  python3 Benchmarks/micro.py --only decode,append
  python3 Benchmarks/micro.py --accept                writes what was counted as the new thresholds
"""
import argparse, json, os, subprocess, sys, tempfile
from harness.callgrind import counted, counted_parts
from harness.dataset import DAYS
from harness.notilog import prepare, send
from harness.paths import BENCHMARKS, NOTILOG, ROOT, read
from harness.postgres import Server

PROGRAM = os.environ.get("MICROBENCHMARKS", ROOT + "/.build/release/microbenchmarks")
TRAFFIC = ["simulate", "--devices", "60", "--days", str(DAYS), "--end", "2026-11-01", "--seed", "3"]
BATCH = 3_000       # half of the positions that the log begins with
ROUNDS = (2, 6)     # of the service's steps: what the second takes more than the first is the step alone
MARGIN = 0.05       # by which a new threshold file lets a step be slower


def service_steps(only):
    """Instructions an event of each step of the service."""
    counts, steps = {}, [step for step in ("decode", "decode-batch", "encode", "fold") if step in only]
    if not steps:
        return counts
    with tempfile.TemporaryDirectory(prefix="notilog-micro-") as folder:
        lines = subprocess.run([NOTILOG, *TRAFFIC], check=True, capture_output=True).stdout.split(b"\n")[:500]
        with open(folder + "/events", "wb") as file:
            file.write(b"\n".join(lines))
        # valgrind cannot read what Swift says to debuggers.
        subprocess.run(["objcopy", "-g", PROGRAM, folder + "/program"], check=True)
        for step in steps:
            few, many = (counted([folder + "/program", step, folder + "/events", str(rounds)]) for rounds in ROUNDS)
            counts[step] = (many[0] - few[0]) / (int(many[1]) - int(few[1]))
    return counts


def single_user(server, database, statements):
    """Instructions of each statement in a PostgreSQL in single-user mode: one process, which executes nothing else."""
    command = [f"{server.bin}/postgres", "--single", "-j", "-D", server.data, "-c", "jit=off", "-c", "shared_buffers=256MB",
               "-c", "synchronous_commit=off", database]
    before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    # It says that it is ready before each statement, and at the end.
    parts, output = counted_parts(command, "ReadyForQuery", before, input="".join(f"{text};\n\n" for text in statements), cwd="/")
    if "ERROR:" in output or len(parts) < len(statements) + 1:
        raise RuntimeError(f"{len(parts)} parts of {len(statements)} statements: {output[-2000:]}")
    return parts[1:]


def database_steps():
    """Instructions an event of log.append."""
    server = Server()
    try:
        prepare(server)
        send(server, TRAFFIC)
        server.sql(read("sql/micro.sql"), batch=BATCH)
        server.run("pg_ctl", "-D", server.data, "-m", "fast", "-w", "stop")
        # The last one counts: those before it make plans.
        return {"append": single_user(server, "bench", [f"SELECT micro.append({n})" for n in range(3)])[-1] / 500}
    finally:
        server.remove()


def check(counts, path, accept):
    """Prints each count beside its threshold; gives those that slipped."""
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            known = json.load(file)
    if accept:
        known = {"unit": "instructions an event", "margin": known.get("margin", MARGIN),
                 "steps": known.get("steps", {}) | {name: round(count) for name, count in sorted(counts.items())}}
        with open(path, "w") as file:
            json.dump(known, file, indent=2)
            file.write("\n")
    slipped = []
    for name, count in counts.items():
        threshold = known.get("steps", {}).get(name)
        change = f"{(count / threshold - 1) * 100:+.1f} %" if threshold else "no threshold"
        late = threshold is None or count > threshold * (1 + known.get("margin", MARGIN))
        slipped += [name] if late else []
        print(f"{name:<32}{count:>12,.0f}{threshold or 0:>12,}{change:>14}{'  SLIPPED' if late else ''}")
    return slipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=["decode", "decode-batch", "encode", "fold", "append"])
    parser.add_argument("--accept", action="store_true", help="take what is counted as the new thresholds")
    options = parser.parse_args()
    print(f"{'instructions an event':<32}{'now':>12}{'threshold':>12}")
    slipped = check(service_steps(options.only), BENCHMARKS + "/thresholds/service.json", options.accept)
    if "append" in options.only:
        slipped += check(database_steps(), BENCHMARKS + "/thresholds/postgresql.json", options.accept)
    if slipped:
        sys.exit(f"more instructions than the threshold and its margin: {', '.join(slipped)}")


if __name__ == "__main__":
    main()
