"""Checks the description of the API as those who make clients of it take it: valid, with examples, and good for a client.

Asked by Tests/Integration/OpenAPI, which gives it a running service and keys in NOTILOG_OPENAPI_TEST. Writes a line of JSON
for each check: {"check", "failure", "seconds"}, failure null where it passed.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

import yaml
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate

FILE = pathlib.Path(__file__).parents[2] / "docs/openapi.yaml"
# What openapi-python-client leaves out: bodies without a schema, and this document itself.
LEFT_OUT = ["POST /v1/events", "POST /v1/events", "POST /v1/events", "GET /v1/openapi.yaml"]


class Description:
    def __init__(self, given, folder):
        self.given = given
        self.folder = pathlib.Path(folder)
        with urllib.request.urlopen(given["url"] + "/v1/openapi.yaml") as answer:
            self.text = answer.read().decode()
        self.document = yaml.safe_load(self.text)

    def is_valid_as_it_lies(self):
        validate(yaml.safe_load(FILE.read_text()))

    def is_valid_as_served(self):
        validate(self.document)

    def has_an_example_of_every_answer(self):
        count = 0
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method == "parameters":
                    continue
                for status, answer in operation["responses"].items():
                    if not status.startswith("2"):
                        continue
                    for type, media in answer["content"].items():
                        # A report's other formats are the same rows, written otherwise.
                        if "example" not in media and path.startswith("/v1/reports/") and type != "application/json":
                            continue
                        if "example" not in media and path in ("/v1/notifications", "/v1/views/{name}/report") and type != "application/json":
                            continue
                        where = f"{method} {path} {status} {type}"
                        assert "example" in media, f"{where} has no example"
                        schema = {**media["schema"], "components": self.document["components"]}
                        problem = next(OAS31Validator(schema).iter_errors(media["example"]), None)
                        assert problem is None, f"{where}: {problem.message} at {list(problem.absolute_path)}"
                        count += 1
        assert count > 30, count

    def has_the_reports_own_columns_in_examples(self):
        for path, item in self.document["paths"].items():
            if not path.startswith("/v1/reports/"):
                continue
            content = item["get"]["responses"]["200"]["content"]["application/json"]
            example = content["example"]
            described = content["schema"]["allOf"][1]["properties"]["rows"]["items"]["properties"]
            names = [column["name"] for column in example["columns"]]
            # Of the dimensions those that `by` names are columns; an app's own are not known here.
            items = next((p["schema"]["items"] for p in item["get"]["parameters"] if p.get("name") == "by" and "items" in p["schema"]), {})
            dimensions = ["attribute.KEY", *next((each["enum"] for each in [items, *items.get("anyOf", [])] if "enum" in each), [])]
            assert set(described) - set(dimensions) <= set(names) <= set(described), path
            assert set(example["rows"][0]) == set(names), path

    def makes_a_client(self):
        (self.folder / "served.yaml").write_text(self.text)
        (self.folder / "settings.yaml").write_text("post_hooks: []\n")
        run = subprocess.run(
            [sys.executable, "-m", "openapi_python_client", "generate", "--path", "served.yaml", "--config", "settings.yaml",
             "--meta", "none", "--output-path", "made"],
            cwd=self.folder, capture_output=True, text=True)
        said = run.stdout + run.stderr
        assert run.returncode == 0, said
        warnings = [line.split(" parsing ")[1].split(" within ")[0] for line in said.splitlines() if "WARNING" in line]
        assert warnings == LEFT_OUT and "Unable to process" not in said, said

    def is_a_client_that_works(self):
        sys.path.insert(0, str(self.folder))
        from made import AuthenticatedClient, models
        from made.api.devices import erase_device, list_device_events, list_notifications, show_device
        from made.api.events import send_events
        from made.api.exports import export_dataset
        from made.api.operation import check_readiness
        from made.api.reports import list_reports, report_engagement

        def client(scope):
            return AuthenticatedClient(base_url=self.given["url"], token=self.given["keys"][scope])

        now = datetime.datetime.now(datetime.timezone.utc)
        common = {"device_id": "client-1", "notification_id": "n-1", "category_id": "news"}
        events = [
            models.EventRequest(kind="request", occurred_at=now - datetime.timedelta(seconds=2), **common),
            models.EventDelivery(kind="delivery", occurred_at=now - datetime.timedelta(seconds=1), **common),
            models.EventActionResponse(kind="action_response", occurred_at=now, action_id="like", **common),
        ]
        stored = send_events.sync(client=client("write"), body=events)
        assert stored.accepted == 3 and stored.results == [], stored
        again = send_events.sync(client=client("write"), body=events[0])
        assert again.duplicate == 1 and again.results[0].status == models.ItemResultStatus.DUPLICATE, again
        wrong = models.EventDelivery(kind="delivery", occurred_at=now, device_id="client-1")
        refused = send_events.sync(client=client("write"), body=[wrong])
        assert refused.rejected == 1 and refused.results[0].error.code, refused

        by = models.ReportEngagementByItemType0
        report = self.settled(lambda: report_engagement.sync(
            client=client("read"), by=[by.CATEGORY, by.PLATFORM], from_=now - datetime.timedelta(days=1),
            category=["news"], min_position=stored.position))
        rows = [row.to_dict() for row in report.rows]
        assert [(row["category"], row["platform"], row["reached"], row["engagement_rate"]) for row in rows] == [
            ("news", None, 1, 1.0)], rows
        assert "engagement" in [each.name for each in list_reports.sync(client=client("read")).reports]
        listed = self.settled(
            lambda: list_notifications.sync(client=client("read"), min_position=stored.position, state=models.ListNotificationsState.RESPONDED))
        assert [row.to_dict()["notification_id"] for row in listed.rows] == ["n-1"], listed

        timeline = list_device_events.sync(client=client("read"), id="client-1", limit=2)
        assert [event.kind for event in timeline.events] == ["request", "delivery"] and timeline.next_cursor, timeline
        assert list_device_events.sync(client=client("read"), id="client-1", cursor=timeline.next_cursor).next_cursor is None
        assert show_device.sync(client=client("read"), id="client-1").reachable is None
        assert show_device.sync(client=client("read"), id="nobody").code == "not_found"
        assert show_device.sync(client=client("write"), id="client-1").status == 403
        rows = export_dataset.sync_detailed(client=client("read"), dataset=models.ExportDatasetDataset.EVENTS)
        assert len(rows.content.splitlines()) == 3 and rows.headers["Notilog-Next-Cursor"], rows
        assert check_readiness.sync(client=client("read")).checks.to_dict()["schema"] == "ok"
        erased = erase_device.sync(client=client("admin"), id="client-1")
        assert erased.events == 3, erased

    @staticmethod
    def settled(ask):
        """Asks again, as one does who is told that the projections are behind."""
        deadline = time.monotonic() + 60
        while getattr(answer := ask(), "code", None) == "projection_behind" and time.monotonic() < deadline:
            pass
        return answer


def main():
    with tempfile.TemporaryDirectory() as folder:
        description = Description(json.loads(os.environ["NOTILOG_OPENAPI_TEST"]), folder)
        for check in [name for name in vars(Description) if name.split("_")[0] in ("is", "has", "makes")]:
            start = time.monotonic()
            failure = None
            try:
                getattr(description, check)()
            except Exception as error:  # Whatever it is, the other checks go on.
                failure = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
            print(json.dumps({"check": check, "failure": failure, "seconds": round(time.monotonic() - start, 2)}), flush=True)


main()
