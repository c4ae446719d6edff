"""The service that the page is of: started, asked, killed and started again."""

import json
import os
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request


class Service:
    """`notilog serve` on a database, on one port for as long as the test runs."""

    def __init__(self, command, database, keys, app):
        self.command = command
        self.database = database
        self.keys = keys
        self.app = app
        self.port = 0
        self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("NOTILOG_", "PG"))}
        environment["NOTILOG_DATABASE_URL"] = self.database
        self.process = subprocess.Popen(
            [self.command, "serve", "--port", str(self.port)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        line = self.process.stdout.readline()
        if not line.startswith("ready http"):
            raise RuntimeError(f"the service did not start: {line!r}")
        self.port = int(line.strip().rsplit(":", 1)[1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def get(self, path, parameters=None, accept="application/json"):
        query = "?" + urllib.parse.urlencode(parameters, doseq=True) if parameters else ""
        request = urllib.request.Request(
            self.url + path + query, headers={"Authorization": f"Bearer {self.keys['read']}", "Accept": accept}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            body = answer.read()
        return json.loads(body) if accept == "application/json" else body

    def rows(self, report, **parameters):
        return self.get(f"/v1/reports/{report}", parameters)["rows"]

    def post(self, body, scope="write", path="/v1/events", method="POST"):
        request = urllib.request.Request(
            self.url + path,
            data=json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {self.keys[scope]}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())

    def simulate(self, devices, days):
        subprocess.run(
            [
                self.command, "simulate", "--devices", str(devices), "--days", str(days), "--url", self.url,
                "--key", self.keys["write"], "--provider-key", self.keys["provider"],
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )
