"""Checks both kinds of dashboards on one service with a little simulated traffic.

Asked by Tests/Integration/Dashboard, which gives it a database and an app with keys in NOTILOG_DASHBOARD_TEST (`only`
there names those wanted). Writes a line of JSON for each check: {"check", "failure", "seconds"}, failure null where it passed.
"""

import datetime
import json
import os
import sys
import tempfile
import time
import traceback

import annotations
import clock
import known
import made
import measures
import own
import raised
import saved
import stays
import told
from answers import Answers
from figures import Figures
from grafana import Grafana
from looks import Looks
from outage import Outage
from page import Page, axe_source
from service import Service
from viewer import CATEGORY, DEVICE, NOTIFICATION
from ways import Ways
from web import Dashboard


def fill(service):
    own.name(service)
    service.simulate(devices=60, days=10)
    now = clock.now().replace(microsecond=0)
    at = lambda seconds: (now - datetime.timedelta(seconds=seconds)).isoformat()
    common = {"device_id": DEVICE, "notification_id": NOTIFICATION, "category_id": CATEGORY, "attributes": {own.KEY: own.VALUE}}
    # More words than a phone has room for in one line.
    options = ["alert", "badge", "provides_app_notification_settings", "provisional", "sound"]
    service.post([
        {"kind": "authorization_request", "device_id": DEVICE, "options": options, "granted": True, "occurred_at": at(100)},
        {"kind": "settings", "device_id": DEVICE, "authorization_status": "authorized", "sound": "enabled", "occurred_at": at(90)},
        {"kind": "delivery", "source": "will_present", "occurred_at": at(60), **common},
        {"kind": "action_response", "action_id": "default", "occurred_at": at(30), **common},
        {"kind": "settings", "device_id": DEVICE, "authorization_status": "denied", "occurred_at": at(10)},
    ])
    known.fill(service)
    annotations.fill(service)
    saved.fill(service)
    raised.fill(service)
    # What every view needs, whatever the simulator's days have: an answer of this hour, for alerts look at no more; a refusal in the
    # range before the last seven days; and a push to a token that another one had replaced.
    ago = lambda **time: (clock.actual() - datetime.timedelta(**time)).isoformat()
    token = lambda byte: {"token": byte * 32, "provider": "apns", "type": "alert", "topic": "com.example.daybook", "environment": "production"}
    answer = service.post(
        [
            {"kind": "push_result", "device_id": DEVICE, "provider": "apns", "status": 200, "occurred_at": ago(seconds=20)},
            {"kind": "push_result", "device_id": "refused", "provider": "apns", "status": 400, "reason": "BadTopic", "occurred_at": ago(days=9)},
            {"kind": "token", "device_id": "replaced", "state": "registered", "occurred_at": ago(days=3), **token("a1")},
            {"kind": "token", "device_id": "replaced", "state": "registered", "occurred_at": ago(days=2), **token("a2")},
            {"kind": "request", "device_id": "replaced", "notification_id": "late", "trigger": {"type": "push"}, "push": {"push_type": "alert", "token": "a1" * 32},
             "occurred_at": ago(days=1)},
        ],
        "admin",
    )
    # Every report's projections have to pass what was sent before anything is compared.
    for report in service.get("/v1/reports")["reports"]:
        deadline = time.monotonic() + 60
        while True:
            try:
                service.get(f"/v1/reports/{report['name']}", {"min_position": answer["position"]})
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise


def run(subject, checks, only):
    for check in [name for name in checks if not only or name in only]:
        start = time.monotonic()
        failure = None
        try:
            getattr(subject, check)()
        except Exception as error:  # Whatever it is, the other checks go on.
            failure = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
        print(json.dumps({"check": check, "failure": failure, "seconds": round(time.monotonic() - start, 2)}), flush=True)


def main():
    given = json.loads(os.environ["NOTILOG_DASHBOARD_TEST"])
    service = Service(given["command"], given["database"], given["keys"], given["app"])
    page = None
    try:
        service.start()
        fill(service)
        only = given.get("only")
        for kind in (Grafana, Looks):
            run(kind(service, given["app"]), kind.CHECKS, only)
        with tempfile.TemporaryDirectory() as downloads:
            page = Page(service.url, downloads)
            axe = axe_source(given["packages"])
            for kind in (
                Dashboard, annotations.Annotations, saved.Saved, own.Own, raised.Raised, made.Made, measures.Measures, told.Told, Ways, Figures, Answers,
                stays.Stays, Outage,
            ):
                run(kind(service, page, axe), kind.CHECKS, only)
    finally:
        if page:
            page.close()
        service.stop()


if __name__ == "__main__":
    sys.exit(main())
