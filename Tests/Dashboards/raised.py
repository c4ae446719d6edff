"""Alerts and their rules, on the page as in the service."""

import subprocess
import urllib.parse

from viewer import Viewer

NAME = "news is read less"
RULE = {
    "name": NAME, "report": "engagement", "parameters": {"by": ["category"]}, "when": "engagement_rate falls",
    "receivers": ["https://ops.example.com/secret"],
}
# As the service writes one.
ALERT = """
    INSERT INTO notilog.alert (rule_id, app_id, cell, day, figures, position)
    SELECT rule_id, app_id, '{"category": "news"}', '2026-03-01',
      '{"value": 0.041, "volume": 5120, "usual": 0.083, "low": 0.064, "high": 0.104}', 1
    FROM notilog.alert_rule
"""


def fill(service):
    service.post(RULE, "admin", "/v1/alert_rules")
    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-c", ALERT, service.database], check=True)


class Raised(Viewer):
    CHECKS = ["shows_alerts_and_rules"]

    def shows_alerts_and_rules(self):
        page = self.page
        for shown, expected in ((NAME, "8.3% (6.4% to 10.4%)"), ("another", None)):
            page.go("alerts", rule=shown)
            page.settle()
            texts = page.script("return [...document.querySelectorAll('tbody [data-key=usual]')].map(c => c.innerText)")
            assert texts == ([expected] if expected else []), texts
        # A link shows what the rule judged: nothing of this page's filters and window, which are not the rule's.
        page.go("alerts", platform="android", window="P7D")
        page.settle()
        place = page.script("return document.querySelector('tbody [data-key=cell] a').getAttribute('href')")
        view, asked = place.removeprefix("#/").split("?")
        expected = {"category": ["news"], "tz": ["UTC"], "from": ["2026-02-16"], "to": ["2026-03-02"]}
        assert view == "category" and urllib.parse.parse_qs(asked) == expected, place
        page.go("alerts")
        page.settle()
        column = lambda key: page.script("return [...document.querySelectorAll(`tbody [data-key=${arguments[0]}]`)].map(c => c.innerText)", key)
        assert column("cell") == ["Category: news"] and column("value") == ["4.1%"] and column("resolved_at") == ["open"]
        assert column("name") == [NAME] and column("when") == ["engagement_rate falls"], column("name")
        assert column("receivers") == ["https://ops.example.com/…"], column("receivers")
