"""The command under test, on a database."""
import json, subprocess
from .paths import NOTILOG
from .service import Service

APP = "bench"


def notilog(database, *arguments, text=True):
    """Runs a command of notilog on a database; gives its standard output."""
    done = subprocess.run([NOTILOG, *arguments], env=database.env, capture_output=True, text=text)
    if done.returncode:
        raise RuntimeError(f"notilog {' '.join(arguments[:2])}: {done.stderr[-2000:]}")
    return done.stdout


def prepare(database):
    """The schema, and an app."""
    notilog(database, "migrate")
    notilog(database, "apps", "create", APP)
    return database


def key(database, scope):
    return json.loads(notilog(database, "keys", "create", "--app", APP, "--scope", scope, "--json"))["key"]


def serve(database, projections, **settings):
    """The service on a free port; projections live, or paused."""
    chosen = {"projections.enabled": str(projections).lower(), **settings}
    more = [argument for name, value in chosen.items() for argument in ("--set", f"{name}={value}")]
    return Service([NOTILOG, "serve", "--port", "0", "--log-level", "error", *more], database.env)


def send(database, simulate):
    """Sends the simulator's traffic over HTTP, projections paused."""
    keys = {"--key": key(database, "write"), "--provider-key": key(database, "provider")}
    with serve(database, projections=False) as service:
        notilog(database, *simulate, "--url", f"http://127.0.0.1:{service.port}", *(part for pair in keys.items() for part in pair))


def version():
    return subprocess.run([NOTILOG, "--version"], capture_output=True, text=True).stdout.strip()


def groups(database):
    """The projections that share a checkpoint, by their leader."""
    rows = database.sql("SELECT leader || ' ' || array_to_string(members, ',') FROM projection.version WHERE schema_name = 'projection'")
    return {leader: members.split(",") for leader, members in (row.split(" ") for row in rows.split("\n"))}
