"""Grafana's files, held against its schema, a database and a Prometheus that scraped the service.

There is no Grafana in Debian: its macros and variables are expanded here as its documentation says.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import alerts
import own
import yaml
from grafana_foundation_sdk.cog import encoder, plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "dashboards/grafana"
# Before the name of a query, among rows.
MARK = "\x02"
TYPES = {"notilog-postgresql": "grafana-postgresql-datasource", "notilog-prometheus": "prometheus"}


def boards():
    return {path.stem: json.loads(path.read_text()) for path in sorted((FOLDER / "dashboards").glob("*.json"))}


def provisioned(name):
    return yaml.safe_load((FOLDER / f"provisioning/{name}/notilog.yaml").read_text())


def rules():
    return [rule for group in provisioned("alerting")["groups"] for rule in group["rules"]]


def lost(given, kept, at=""):
    """What of a document its schema does not know: it went lost on the way through."""
    if isinstance(given, dict):
        for key, value in given.items():
            # What is empty or false need not be written.
            if not isinstance(kept, dict) or key not in kept:
                if value not in ({}, [], "", None, False, 0):
                    yield f"{at}.{key}"
            else:
                yield from lost(value, kept[key], f"{at}.{key}")
    elif isinstance(given, list):
        if not isinstance(kept, list) or len(kept) != len(given):
            yield at
        else:
            for index, value in enumerate(given):
                yield from lost(value, kept[index], f"{at}[{index}]")
    elif given != kept:
        yield f"{at}: {given!r} is {kept!r}"


class Grafana:
    CHECKS = [
        "is_what_grafana_knows", "alerts_when_it_should", "shows_every_report", "gives_rows_for_every_query", "gives_series_for_every_expression",
    ]

    def __init__(self, service, app):
        self.service = service
        self.app = app

    def is_what_grafana_knows(self):
        plugins.register_default_plugins()
        found = boards()
        assert set(found) == {"engagement", "devices", "operations"}, found.keys()
        for name, board in found.items():
            for one in board["annotations"]["list"]:
                # A query of its data source, which the schema leaves open.
                assert TYPES[one["datasource"]["uid"]] == one["datasource"]["type"] and one.pop("target")["rawSql"]
            kept = json.loads(encoder.JSONEncoder(sort_keys=True).encode(Dashboard.from_json(json.loads(json.dumps(board)))))
            gone = list(lost(board, kept))
            assert not gone, f"{name}: Grafana's schema does not know {gone[:8]}"
            ids = [panel["id"] for panel in board["panels"]]
            assert len(set(ids)) == len(ids) and board["uid"] == f"notilog-{name}"
            places = set()
            for panel in board["panels"]:
                place = panel["gridPos"]
                assert place["x"] + place["w"] <= 24, f"{name}, {panel['title']} is too wide"
                cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
                assert not cells & places, f"{name}, {panel['title']} lies on another"
                places |= cells
                for source in [panel["datasource"], *(target["datasource"] for target in panel["targets"])]:
                    assert TYPES[source["uid"]] == source["type"]
        sources = {source["uid"]: source["type"] for source in provisioned("datasources")["datasources"]}
        assert sources == TYPES, sources
        assert provisioned("dashboards")["providers"][0]["type"] == "file"
        assert len({rule["uid"] for rule in rules()}) == len(rules()) >= 4
        for rule in rules():
            assert rule["condition"] in [part["refId"] for part in rule["data"]] and rule["annotations"]["summary"]
            assert {part["datasourceUid"] for part in rule["data"]} <= {*TYPES, "__expr__"}

    def alerts_when_it_should(self):
        checked = alerts.check(rules())
        self.gave("alerts", [(title, 1) for title in checked])

    def gave(self, what, found):
        """Records how much each panel, variable and alert was given."""
        print(json.dumps({"gave": what, "counts": dict(found)}), flush=True)
        if os.environ.get("NOTILOG_DASHBOARD_VERBOSE"):
            width = max(len(name) for name, _ in found)
            print("\n".join([f"{what}:", *(f"  {name:<{width}} {count:>6}" for name, count in found)]), file=sys.stderr)

    def shows_every_report(self):
        text = "".join(json.dumps(board) for board in boards().values())
        missing = [r["name"] for r in self.service.get("/v1/reports")["reports"] if f"report.{r['name']}(" not in text]
        assert not missing, f"in no panel: {missing}"

    def gives_rows_for_every_query(self):
        role = f"grafana_{os.getpid()}"
        self.psql(f"CREATE ROLE {role};")
        try:
            self.psql("SELECT notilog.grant_reader(:'app', :'role');", app=self.app, role=role)
            queries = [(f"{name}, {where}", sql) for name, board in boards().items() for where, sql in self.sql(board)]
            queries += [
                (rule["title"], part["model"]["rawSql"]) for rule in rules() for part in rule["data"] if "rawSql" in part["model"]
            ]
            assert len(queries) > 30
            section = f"attribute.{own.SIMULATED}"
            for category, dimension, value in (("'*'", section, "'*'"), ("'news','promotion'", section, "'*'"), ("'*'", "none", "'*'"), ("'*'", section, "'sport','world'")):
                # In one session, each behind a line that tells whose rows come next.
                text = "".join(f"\\echo {MARK}{name}\n{self.expanded(sql, category, dimension, value)};\n" for name, sql in queries)
                answers = self.psql(f"SET ROLE {role};\n{text}").split(MARK)[1:]
                assert len(answers) == len(queries)
                found = [(answer.splitlines()[0].strip(), len(answer.strip().splitlines()) - 1) for answer in answers]
                self.gave(f"rows, category {category}, {dimension} {value}", found)
                # Without a dimension it has no values; of the news of two sections nobody made experiments.
                may_be_empty = ["variable value"] if dimension == "none" else ["Experiments"] if value != "'*'" else []
                empty = [name for name, rows in found if not rows and not name.endswith(tuple(may_be_empty))]
                assert not empty, f"no row from {empty}"
        finally:
            self.psql(f"DELETE FROM notilog.reader_app WHERE role_name = '{role}'; DROP OWNED BY {role}; DROP ROLE {role};")

    def sql(self, board):
        for variable in board["templating"]["list"]:
            if variable["type"] == "query" and isinstance(variable["query"], str):
                yield f"variable {variable['name']}", variable["query"]
        for panel in board["panels"]:
            for target in panel["targets"]:
                if "rawSql" in target:
                    yield panel["title"], target["rawSql"]
        for one in board["annotations"]["list"]:
            yield one["name"], one["target"]["rawSql"]

    def expanded(self, sql, category="'*'", dimension="none", value="'*'", interval="day", tz="UTC", split="equal", days=30):
        now = time.time()
        stamp = lambda moment: time.strftime("'%Y-%m-%dT%H:%M:%SZ'", time.gmtime(moment))
        values = {
            "$__timeFrom()": stamp(now - days * 86_400), "$__timeTo()": stamp(now), "${category:sqlstring}": category, "${value:sqlstring}": value,
            "${conversion:sqlstring}": "'*'", "$currencies": "apart",
            "${split:sqlstring}": f"'{split}'", "${control:sqlstring}": "'control'", "$app": self.app, "$dimension": dimension,
            "$interval": interval, "$tz": tz,
        }
        for name, value in values.items():
            sql = sql.replace(name, value)
        assert "$" not in sql, f"not expanded: {sql}"
        return sql

    def psql(self, text, **values):
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.service.database]
        for name, value in values.items():
            command += ["-v", f"{name}={value}"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{done.stderr} after {done.stdout.split(MARK)[-1][:200]}"
        return done.stdout

    def gives_series_for_every_expression(self):
        with tempfile.TemporaryDirectory() as folder, Prometheus(folder, self.service.port) as prometheus:
            # Something in every series that counts: rejections have none until the first.
            try:
                self.service.post([{"kind": "settings", "device_id": "d", "occurred_at": "yesterday"}])
            except urllib.error.HTTPError as refused:
                assert refused.code == 422
            prometheus.wait("notilog_events_rejected_total")
            # A rate is of two scrapes at least.
            prometheus.wait("rate(notilog_events_rejected_total[1m])")
            expressions = [
                (f"{name}, {panel['title']}", target["expr"])
                for name, board in boards().items() for panel in board["panels"] for target in panel["targets"] if "expr" in target
            ]
            expressions += [(rule["title"], part["model"]["expr"]) for rule in rules() for part in rule["data"] if "expr" in part["model"]]
            assert len(expressions) > 20
            found = []
            for name, expression in expressions:
                for variable, value in {"$__rate_interval": "1m", "$job": "notilog"}.items():
                    expression = expression.replace(variable, value)
                assert "$" not in expression, expression
                found.append((name, len(prometheus.query(expression))))
            self.gave("series", found)
            empty = [name for name, series in found if not series]
            assert not empty, f"no series from {empty}"


class Prometheus:
    """Debian's, scraping the service every half a second."""

    def __init__(self, folder, target):
        self.folder = pathlib.Path(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (self.folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms"},
            "scrape_configs": [{"job_name": "notilog", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}],
        }))

    def __enter__(self):
        program = shutil.which("prometheus")
        assert program, "prometheus is missing: run .ci/dependencies tests"
        self.process = subprocess.Popen(
            [
                program, f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=error",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    def query(self, expression):
        url = f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.loads(answer.read())["data"]["result"]
        except urllib.error.HTTPError as error:
            if error.code == 503:   # it listens before it is ready
                raise ConnectionError(f"{expression}: not ready") from None
            raise AssertionError(f"{expression}: {error.read().decode()}") from None

    def wait(self, expression, seconds=40):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if self.query(expression):
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"nothing in Prometheus for {expression}")
