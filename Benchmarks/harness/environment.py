"""The benchmark's own Python packages: the peers, and what draws charts. Installed once, from PyPI."""
import os, subprocess, sys
from .paths import ENVIRONMENT

PACKAGES = {"duckdb": "duckdb", "chdb": "chdb", "eventsourcing": "eventsourcing[postgres]", "psycopg": "psycopg[binary]", "matplotlib": "matplotlib"}


def python(*names):
    """The interpreter that has these packages."""
    interpreter = ENVIRONMENT + "/bin/python"
    if not os.path.exists(interpreter):
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    if subprocess.run([interpreter, "-c", "import " + ", ".join(names)], capture_output=True).returncode:
        subprocess.run([interpreter, "-m", "pip", "install", "-q", *(PACKAGES[name] for name in names)], check=True)
    return interpreter


def versions(*names):
    code = "import importlib.metadata as m, sys; print(' '.join(m.version(n) for n in sys.argv[1:]))"
    out = subprocess.run([python(*names), "-c", code, *names], capture_output=True, text=True, check=True).stdout
    return dict(zip(names, out.split()))
