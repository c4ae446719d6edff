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

from grafana import Grafana
from page import Page, axe_source
from service import Service
from web import CATEGORY, DEVICE, NOTIFICATION, Dashboard

WEB = [
    "signs_in", "signs_in_by_a_link", "opens_every_view", "fills_its_panels", "shows_the_reports_figures", "follows_the_range_and_the_category",
    "shows_the_same_by_its_link", "downloads_what_is_seen", "is_used_by_keyboard", "follows_a_device_to_its_events",
    "follows_a_figure_to_its_notifications", "speaks_chinese", "fits_a_phone", "has_no_serious_violation", "comes_with_little", "says_nothing_is_wrong",
    "says_what_is_empty_and_what_failed", "survives_the_loss_of_the_service",
]
GRAFANA = ["is_what_grafana_knows", "alerts_when_it_should", "shows_every_report", "gives_rows_for_every_query", "gives_series_for_every_expression"]


def fill(service):
    service.simulate(devices=60, days=10)
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    at = lambda seconds: (now - datetime.timedelta(seconds=seconds)).isoformat()
    common = {"device_id": DEVICE, "notification_id": NOTIFICATION, "category_id": CATEGORY}
    service.post([
        {"kind": "settings", "device_id": DEVICE, "authorization_status": "authorized", "sound": "enabled", "occurred_at": at(90)},
        {"kind": "delivery", "source": "will_present", "occurred_at": at(60), **common},
        {"kind": "action_response", "action_id": "default", "occurred_at": at(30), **common},
        {"kind": "settings", "device_id": DEVICE, "authorization_status": "denied", "occurred_at": at(10)},
    ])
    # A provider answers at this hour too: alerts look at no more.
    answer = service.post([{"kind": "push_result", "device_id": DEVICE, "provider": "apns", "status": 200, "occurred_at": at(20)}], "provider")
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
    service = Service(given["command"], given["database"], given["keys"])
    page = None
    try:
        service.start()
        fill(service)
        only = given.get("only")
        run(Grafana(service, given["app"]), GRAFANA, only)
        with tempfile.TemporaryDirectory() as downloads:
            page = Page(service.url, downloads)
            run(Dashboard(service, page, axe_source(given["packages"])), WEB, only)
    finally:
        if page:
            page.close()
        service.stop()


if __name__ == "__main__":
    sys.exit(main())
