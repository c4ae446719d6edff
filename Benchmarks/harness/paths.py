"""Where things are."""
import os

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ROOT = os.path.dirname(BENCHMARKS)
NOTILOG = os.environ.get("NOTILOG", ROOT + "/.build/release/notilog")
BARE_HTTP = os.environ.get("BARE_HTTP", BENCHMARKS + "/.build/release/bare-http")
RESULTS = BENCHMARKS + "/results"
# The benchmark's own Python packages; a folder outside the checkout may serve many of them.
ENVIRONMENT = os.environ.get("BENCH_VENV", BENCHMARKS + "/.build/venv")


def read(*parts):
    with open(os.path.join(BENCHMARKS, *parts)) as file:
        return file.read()
