"""Load by wrk: two threads, the script load/events.lua."""
import os, re, subprocess, sys
from .paths import BENCHMARKS

run_number = 0


def command(port, connections, events, key, seconds, rate=None):
    """What to run, and in which environment. `rate`: events a second, over all; without it, as fast as answers come."""
    global run_number
    run_number += 1
    env = dict(os.environ, EVENTS=str(events), KEY=key, RUN=f"{run_number:03x}")
    if rate:
        env["RATE"] = str(rate / events / 2)
    return ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "--latency", "-s",
            BENCHMARKS + "/load/events.lua", f"http://127.0.0.1:{port}/v1/events"], env


def result(output, events):
    """Events in all and a second, and p50 and p99 of the requests in milliseconds."""
    requests, micros, broken, refused, p50, p99 = map(int, re.search(r"RESULT (.*)", output).group(1).split())
    if broken or refused:
        print(f"  {broken} connection errors, {refused} answers that were not 2xx", file=sys.stderr)
    stored = (requests - refused) * events
    return {"events": stored, "rate": stored / (micros / 1e6), "p50_ms": p50 / 1000, "p99_ms": p99 / 1000,
            "errors": broken + refused}


def wrk(port, connections, events, key, seconds):
    arguments, env = command(port, connections, events, key, seconds)
    return result(subprocess.run(arguments, env=env, check=True, capture_output=True, text=True).stdout, events)


def batches(port, key, seconds):
    """P1's load."""
    return wrk(port, 8, 500, key, seconds)


def singles(port, key, seconds):
    """P2's load."""
    return wrk(port, 64, 1, key, seconds)
