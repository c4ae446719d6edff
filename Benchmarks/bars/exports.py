"""P9: export of events as NDJSON against COPY of the same columns, and P10 meanwhile; by Benchmarks/exports.py."""
import re, subprocess, sys
from harness.paths import BENCHMARKS
from harness.result import Row

BARS = ("P9", "P10")


def export(run, rows):
    """What exports.py says of so many events, on a server of its own."""
    command = [sys.executable, BENCHMARKS + "/exports.py", "--rounds", str(run.rounds), "--rows", str(rows)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    run.say(done.stdout.rstrip())
    return done.stdout


def measure(run):
    if not run.server.kept:
        run.dataset.drop()   # there is not room for everything at once on every disk
    rows = run.options.export_rows
    output = export(run, rows)
    number = lambda pattern: float(re.search(pattern, output).group(1).replace(",", ""))
    memory = lambda what, pattern: Row("P10", f"resident memory, {what} {rows:,} events", number(pattern), "MiB", bar=120, at_most=True)
    return [
        Row("P9", f"export of {rows:,} events as NDJSON ÷ COPY … TO STDOUT", number(r"P9 export as NDJSON ([\d,.]+)/s"),
            limit=number(r"COPY ([\d,.]+)/s"), ratio=number(r"P9.*?ratio ([\d.]+)"), bar=0.85, rounds={"output": output}),
        memory("the service exporting", r"service ([\d.]+) MiB"), memory("the same with slow readers of", r"readers ([\d.]+) MiB"),
        memory("the command exporting", r"command ([\d.]+) MiB"),
    ]
