"""The log that the arms read: the simulator's traffic, with latecomers and changes (sql/log.sql)."""
import datetime, os, sys
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from harness.notilog import prepare, send
from harness.postgres import Database


def fill(server, devices, days):
    """The database `events_spike`, filled unless a run before has filled it."""
    database = Database(server, "events_spike")
    filled = f"{devices} devices, {days} days"
    if server.sql("SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = 'events_spike'") == filled:
        return database
    prepare(server.create(database.name))
    end = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=4)
    send(database, ["simulate", "--devices", str(devices), "--days", str(days), "--end", end.isoformat(), "--seed", "7"])
    with open(HERE + "/sql/log.sql") as file:
        database.sql("SET jit = off; SET work_mem = '256MB'; SET timezone = 'UTC';" + file.read())
    server.sql(f"COMMENT ON DATABASE events_spike IS '{filled}'")
    return database
