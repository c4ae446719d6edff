"""P5: the highest paced rate that ingest sustains while every projection is live and no more than 2 seconds behind."""
import subprocess, threading, time
from harness import load
from harness.notilog import key, prepare, serve
from harness.result import Row
from harness.service import median

BARS = ("P5",)
LAG = 2.0
PROBE = 20          # seconds of a try
SETTLE = 5          # seconds at the beginning in which lag is not held against a rate: the first batches make plans
FRACTIONS = (0.1, 0.9)   # of P1's rate, between which the rate is looked for
SHARE = 0.55        # of P1's limit, that the rate is divided by: so it does not move with P1's own rate


class Watch:
    """How far the slowest projection is behind, in seconds, as seen from outside: the time since the log was last as short
    as what is projected. One connection of psql, asked ten times a second."""

    QUERY = ("SELECT (SELECT last_value FROM log.position), coalesce(min(coalesce(c.position, 0)), 0) FROM projection.version v"
             " LEFT JOIN projection.checkpoint c ON c.name = v.leader WHERE v.schema_name = 'projection';\n")

    def __init__(self, database):
        self.psql = subprocess.Popen(["psql", "-XqAt"], env=database.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.heads, self.lags, self.ended = [], [], threading.Event()
        self.begun = time.monotonic()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.ended.wait(0.1):
            self.psql.stdin.write(self.QUERY)
            self.psql.stdin.flush()
            drawn, projected = map(int, self.psql.stdout.readline().split("|"))
            now = time.monotonic()
            self.heads.append((now, drawn))
            # The last moment at which nothing was in the log that is not projected now.
            while len(self.heads) > 1 and self.heads[1][1] <= projected:
                self.heads.pop(0)
            self.lags.append((now - self.begun, now - self.heads[0][0] if drawn > projected else 0.0))

    @property
    def lag(self):
        """The longest, after the beginning."""
        return max((lag for at, lag in self.lags if at >= SETTLE), default=0.0)

    def stop(self):
        self.ended.set()
        self.thread.join()
        self.psql.stdin.close()
        self.psql.wait()


def attempt(run, fraction, seconds):
    """What came of a rate: a log of its own, so that one try does not weigh on the next."""
    wanted = fraction * run.rate("p1")
    database = prepare(run.server.create("sustained"))
    provider = key(database, "provider")
    with serve(database, projections=True) as service:
        arguments, env = load.command(service.port, 8, 500, provider, seconds, rate=wanted)
        watch = Watch(database)
        client = subprocess.Popen(arguments, env=env, stdout=subprocess.PIPE, text=True)
        try:
            while client.poll() is None:
                if watch.lag > 2 * LAG:   # it is not going to hold any more
                    client.terminate()
                    client.wait()
                    break
                time.sleep(0.2)
        finally:
            watch.stop()
    run.server.drop("sustained")
    output = client.stdout.read()
    result = load.result(output, 500) if "RESULT" in output else {"rate": 0.0, "errors": 0}
    held = watch.lag <= LAG and not result["errors"] and result["rate"] >= 0.97 * wanted
    run.say(f"  {fraction:.2f} of P1, {wanted:,.0f}/s for {seconds} s: {result['rate']:,.0f}/s, lag at most {watch.lag:.1f} s"
            + ("" if held else ", not held"))
    return {"fraction": fraction, "seconds": seconds, "wanted": wanted, **result, "lag": watch.lag, "held": held,
            "lags": watch.lags[:: max(1, len(watch.lags) // 300)]}


def measure(run):
    seconds = run.options.sustained
    low, high = FRACTIONS
    tries = []
    while high - low > 0.04:
        middle = (low + high) / 2
        tries.append(attempt(run, middle, min(PROBE, seconds)))
        low, high = (middle, high) if tries[-1]["held"] else (low, middle)
    # What holds for a moment may not hold for long; no more than three long tries.
    best = None
    for fraction in (low, low * 0.9, low * 0.75):
        tries.append(attempt(run, fraction, seconds))
        if tries[-1]["held"]:
            best = tries[-1]
            break
    run.details["sustained"] = tries
    rate = best["rate"] if best else 0.0
    note = "" if best else "none of the rates tried held"
    limit = SHARE * median(run.copies)
    return [Row("P5", f"ingest for {seconds} s, every projection live and ≤ 2 s behind ÷ {SHARE} of P1's limit", rate, limit=limit,
                ratio=rate / limit, bar=0.4, note=note, rounds={"tries": [{k: v for k, v in t.items() if k != "lags"} for t in tries]})]
