"""P12: from starting the process on a migrated database until /readyz says that it is ready."""
import http.client, subprocess, time
from harness.notilog import prepare
from harness.paths import NOTILOG
from harness.result import Row
from harness.service import free_port, median

BARS = ("P12",)


def start(database):
    """Milliseconds; the database has no connection of the service before, the program's pages may be in memory."""
    port = free_port()
    begun = time.monotonic()
    process = subprocess.Popen([NOTILOG, "serve", "--port", str(port), "--log-level", "error"], env=database.env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while time.monotonic() - begun < 30:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return (time.monotonic() - begun) * 1000
            except OSError:
                pass
            time.sleep(0.002)
        raise RuntimeError("not ready after 30 s")
    finally:
        process.terminate()
        process.wait(40)


def measure(run):
    database = prepare(run.server.create("start"))
    times = [start(database) for _ in range(max(5, run.rounds))]
    run.server.drop("start")
    return [Row("P12", "cold start of `notilog serve` to ready", median(times), "ms", bar=200, at_most=True, guide=True,
                rounds={"ms": times})]
