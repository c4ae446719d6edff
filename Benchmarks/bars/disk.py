"""P11: bytes on disk for each event against its own JSON, of the simulator's events, sent over HTTP."""
import subprocess
from harness.dataset import DAYS, sizes
from harness.notilog import prepare, send
from harness.paths import NOTILOG
from harness.result import Row

BARS = ("P11",)
DEVICES = 1000


def measure(run):
    traffic = ["simulate", "--devices", str(DEVICES), "--days", str(DAYS), "--end", run.dataset.manifest["end"], "--seed", "11"]
    json_bytes = events = 0
    with subprocess.Popen([NOTILOG, *traffic], stdout=subprocess.PIPE) as simulator:
        for line in simulator.stdout:
            json_bytes += len(line.rstrip())
            events += bool(line.rstrip())
    database = prepare(run.server.create("disk"))
    send(database, traffic)
    run.dataset.project(database)
    stored = database.number("SELECT count(*) FROM log.event")
    used = sizes(database)
    run.server.drop("disk")
    log_bytes = used["log_bytes"] + used["identity_bytes"]
    log, whole, theirs = log_bytes / stored, (log_bytes + used["projection_bytes"]) / stored, json_bytes / events
    return [
        Row("P11", "disk, log and identity with indexes ÷ the event's JSON", log, "B", limit=theirs, ratio=log / theirs,
            bar=1.2, at_most=True, rounds={"events": stored, **used}),
        Row("P11", "disk, projections too ÷ the event's JSON", whole, "B", limit=theirs, ratio=whole / theirs, bar=1.7, at_most=True),
    ]
