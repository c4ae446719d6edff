"""Databases that hold 1 M, 5 M, 20 M events of 90 days, with every projection applied.

The simulator's people send some 1 M events over HTTP, once; larger logs hold copies of them with people of their own
(sql/fill.sql). With --keep a next run takes the databases up as they are, unless the schema's SQL has changed since.
"""
import datetime, hashlib, json, os, sys, time
from .notilog import notilog, prepare, send, serve
from .paths import ROOT, read
from .postgres import Database

EVENTS_PER_DEVICE = 265   # about what one of the simulator's people sends in 90 days
DAYS = 90


def say(text):
    print(text, file=sys.stderr, flush=True)


def fingerprint():
    """Of the SQL that makes tables and projections: another one means that data are made anew."""
    digest = hashlib.sha256(read("sql/base.sql").encode() + read("sql/fill.sql").encode())
    for folder in ("migrations", "log", "projections"):
        for path, folders, files in sorted(os.walk(f"{ROOT}/sql/{folder}")):
            for file in sorted(files):
                with open(os.path.join(path, file), "rb") as sql:
                    digest.update(file.encode() + sql.read())
    return digest.hexdigest()


class Dataset:
    def __init__(self, server, base_events):
        self.server, self.base_events = server, base_events
        self.manifest_path = server.folder + "/dataset.json"
        self.manifest = {}
        if os.path.exists(self.manifest_path):
            with open(self.manifest_path) as file:
                self.manifest = json.load(file)
        if (self.manifest.get("fingerprint"), self.manifest.get("base_events")) != (fingerprint(), base_events):
            end = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=4)
            self.manifest = {"fingerprint": fingerprint(), "base_events": base_events, "end": end.isoformat(), "sizes": {}}

    @property
    def period(self):
        """The 90 days, as two dates."""
        end = datetime.date.fromisoformat(self.manifest["end"])
        return (end - datetime.timedelta(days=DAYS)).isoformat(), end.isoformat()

    def save(self):
        with open(self.manifest_path, "w") as file:
            json.dump(self.manifest, file, indent=1)

    def base(self):
        """The database with the simulator's events in bench.base, an empty log, and an app."""
        if "base" not in self.manifest:
            say(f"simulating some {self.base_events:,} events over HTTP")
            database = prepare(self.server.create("events_base"))
            devices = max(1, self.base_events // EVENTS_PER_DEVICE)
            begun = time.monotonic()
            send(database, ["simulate", "--devices", str(devices), "--days", str(DAYS), "--end", self.manifest["end"], "--seed", "7"])
            took = time.monotonic() - begun
            database.sql(read("sql/base.sql"))
            events = database.number("SELECT count(*) FROM bench.base")
            self.manifest["base"] = {"devices": devices, "events": events, "seconds": took}
            self.save()
        return Database(self.server, "events_base")

    def events(self, size):
        """How many events the database of a nominal size holds."""
        return self.manifest["sizes"][str(size)]["events"]

    def facts(self, size):
        """What was measured as it was filled."""
        return self.manifest["sizes"][str(size)]

    def database(self, size):
        """The database with about `size` events; made where it is not there yet."""
        database = Database(self.server, f"events_{size}")
        if str(size) in self.manifest["sizes"]:
            notilog(database, "migrate")
            return database
        self.base()
        self.server.create(database.name, template="events_base")
        notilog(database, "migrate")
        facts = {"copies": max(1, round(size / self.base_events))}
        facts |= self.fill(database, facts["copies"])
        facts |= self.project(database)
        database.sql("DROP TABLE bench.base; VACUUM ANALYZE;")
        facts |= sizes(database)
        self.manifest["sizes"][str(size)] = facts
        self.save()
        return database

    def drop(self):
        """Takes every database away."""
        for name in [f"events_{size}" for size in self.manifest["sizes"]] + ["events_base"]:
            self.server.drop(name)
        self.manifest |= {"sizes": {}}
        self.manifest.pop("base", None)
        self.save()

    def fill(self, database, copies):
        say(f"filling {database.name}")
        begun = time.monotonic()
        first, last = database.sql("SELECT min(received_at)::date, max(received_at)::date FROM bench.base").split("|")
        first, last = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)
        database.sql(f"SELECT log.ensure_partitions('{first}', '{last + datetime.timedelta(days=2)}'::timestamptz)")
        for n in range((last - first).days + 1):
            day = first + datetime.timedelta(days=n)
            database.sql("SET timezone = 'UTC'; SET synchronous_commit = off; SET work_mem = '512MB'; SET jit = off;" + read("sql/fill.sql"),
                         copies=copies, **{"from": day, "to": day + datetime.timedelta(days=1)})
        database.sql("VACUUM ANALYZE log.event; VACUUM ANALYZE log.identity;")
        events = database.number("SELECT count(*) FROM log.identity")
        took = time.monotonic() - begun
        say(f"  {events:,} events in {took:.0f} s, {events / took:,.0f} a second")
        return {"events": events, "fill_seconds": took}

    def project(self, database):
        """Lets the service apply every projection to the whole log; the time until each has caught up."""
        begun = time.monotonic()
        reached = {}
        with serve(database, projections=True) as service:
            end = wait_settled(database)
            while True:
                for row in database.sql("SELECT name, min(position) FROM projection.checkpoint GROUP BY name").split("\n"):
                    name, position = (row.split("|") + ["0"])[:2]
                    if name and int(position) >= end and name not in reached:
                        reached[name] = time.monotonic() - begun
                names = database.number("SELECT count(*) FROM projection.version WHERE schema_name = 'projection'")
                if len(reached) >= names:
                    break
                time.sleep(0.5)
            peak = service.resident("VmHWM")
        say(f"  projections applied in {max(reached.values()):.0f} s")
        return {"project_seconds": max(reached.values()), "projections": reached, "peak_mib": peak}


def wait_settled(database, seconds=120):
    """Waits until every position that was drawn is settled, by whoever settles; gives the last one."""
    end = database.number("SELECT last_value FROM log.position")
    until = time.monotonic() + seconds
    while database.number("SELECT settled_position FROM log.state") < end:
        if time.monotonic() > until:
            raise RuntimeError(f"{database.name} is not settled up to {end}")
        time.sleep(0.2)
    return end


def sizes(database):
    """Bytes of log, identity and projections, with their indexes."""
    log, identity, projections = database.sql("""
        SELECT sum(pg_total_relation_size(c.oid)) FILTER (WHERE n.nspname = 'log' AND c.relname LIKE 'event%'),
          sum(pg_total_relation_size(c.oid)) FILTER (WHERE n.nspname = 'log' AND c.relname = 'identity'),
          sum(pg_total_relation_size(c.oid)) FILTER (WHERE n.nspname = 'projection')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'""").split("|")
    return {"log_bytes": int(log), "identity_bytes": int(identity), "projection_bytes": int(projections)}
