"""What the bars of one run share: server, settings, and measures that several of them quote."""
import functools, os, subprocess, sys
from . import load
from .dataset import Dataset
from .limit import copy_rate
from .notilog import key, prepare, serve
from .paths import BARE_HTTP
from .postgres import Server
from .processor import measured
from .service import Service, free_port, median


class Run:
    def __init__(self, options):
        self.options = options
        self.server = Server(options.keep)
        self.sizes = options.events
        self.rounds, self.seconds = options.rounds, options.seconds
        self.peer_seconds = min(5, options.seconds)   # of each of a peer's many measures
        self.details = {}
        self.versions = {}   # of what took part beside Notilog and PostgreSQL

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    @functools.cached_property
    def dataset(self):
        return Dataset(self.server, min(self.sizes))

    @functools.cached_property
    def ingest(self):
        """P1 and P2 on a log of their own, and bare HTTP in turn with them; the service's memory."""
        database = prepare(self.server)
        provider = key(database, "provider")
        rounds = {"p1": [], "p2": [], "p2_limit": []}
        port = free_port()
        with Service([BARE_HTTP, str(port)], os.environ, port) as bare, serve(database, projections=False) as service:
            idle = idle_memory(service)
            ours = {"service": service.processor, "database": self.server.processor}
            for n in range(self.rounds):
                rounds["p2_limit"].append(
                    measured({"service": bare.processor}, lambda: load.singles(port, provider, self.seconds)))
                rounds["p2"].append(measured(ours, lambda: load.singles(service.port, provider, self.seconds)))
                rounds["p1"].append(measured(ours, lambda: load.batches(service.port, provider, self.seconds)))
                self.say(f"  round {n + 1}: " + ", ".join(f"{k} {v[-1]['rate']:,.0f}/s" for k, v in rounds.items()))
            peak = service.resident("VmHWM")
        self.details["ingest"] = {"rounds": rounds, "idle_mib": idle, "peak_mib": peak}
        return self.details["ingest"]

    @functools.cached_property
    def copies(self):
        """P1's limit: rates of COPY BINARY of what P1 and P2 have put into the log."""
        self.ingest
        return [copy_rate(self.server) for _ in range(self.rounds)]

    def rate(self, what):
        """The median rate of p1, p2 or p2_limit."""
        return median(self.ingest["rounds"][what], "rate")


def idle_memory(service, seconds=3):
    """Resident memory of a service that nobody has asked anything, once it has stood still for a while."""
    try:
        service.process.wait(seconds)
    except subprocess.TimeoutExpired:
        return service.resident("VmRSS")
    raise RuntimeError("the service ended by itself")
