"""Processes that serve, and requests to them."""
import http.client, json, re, signal, socket, statistics, subprocess, sys, tempfile, time
from . import processor


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Service:
    """A process that listens on a port, from its first accepted connection to SIGTERM.

    Without a port it takes one by itself and writes `ready http://…:PORT` to its standard output.
    """

    def __init__(self, command, env, port=None):
        output = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, env=env, stdout=output, stderr=subprocess.DEVNULL)
        self.port = port
        for _ in range(1200):
            if self.process.poll() is not None:
                break
            if self.port is None:
                output.seek(0)
                said = re.search(r"^ready http://\S+:(\d+)", output.read(), re.M)
                self.port = int(said.group(1)) if said else None
            if self.port is not None:
                try:
                    socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                    return
                except OSError:
                    pass
            time.sleep(0.05)
        self.process.kill()
        sys.exit(f"{' '.join(command)} does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def resident(self, field):
        """VmRSS (now) or VmHWM (the highest so far), in MiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(field + r":\s+(\d+)", status.read()).group(1)) / 1024

    def processor(self):
        """Seconds of processor time so far."""
        return processor.of_process(self.process.pid)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(40)


class Client:
    """One connection that stays open, with a key."""

    def __init__(self, port, key):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.headers = {"Authorization": f"Bearer {key}"}

    def get(self, path):
        """The answer as JSON, and the seconds that it took."""
        begun = time.monotonic()
        self.connection.request("GET", path, headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        took = time.monotonic() - begun
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:500].decode(errors='replace')}")
        return json.loads(body), took

    def time(self, path, rounds):
        """The last answer, and the seconds of each of so many requests after a first one that warms up."""
        self.get(path)
        answers = [self.get(path) for _ in range(rounds)]
        return answers[-1][0], [took for _, took in answers]


def median(values, field=None):
    return statistics.median(v[field] if field else v for v in values)
