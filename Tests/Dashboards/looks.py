"""What people take Grafana's panels for: by colours and units, by where time begins and ends, and by what is compared."""

import datetime
import re

import clock
import known
from grafana import Grafana, boards, rules

# Of the figures that are coloured, the colour and the words of some values.
COLOURS = {
    "Database": {0: ("red", "not reached"), 1: ("green", "reached")},
    "Lag": {0: ("green", None), 11: ("yellow", None), 61: ("red", None)},
    "In quarantine": {0: ("green", None), 1: ("yellow", None), 101: ("red", None)},
    "Projections that failed": {0: ("green", None), 1: ("red", None)},
    "Set aside": {0: ("green", None), 1: ("yellow", None)},
    "Partitions ahead": {0: ("red", None), 1: ("green", None)},
}
UNITS = {"fraction": {"percentunit"}, "seconds": {"s"}, "per device-week": {"percentunit"}}


def panels():
    return [(name, panel) for name, board in boards().items() for panel in board["panels"]]


def panel_of(board, title):
    return next(panel for panel in boards()[board]["panels"] if panel["title"] == title and "rawSql" in panel["targets"][0])


def unit(panel, field):
    """The unit that a field is shown in."""
    found = panel["fieldConfig"]["defaults"].get("unit")
    for override in panel["fieldConfig"]["overrides"]:
        matcher = override["matcher"]
        if matcher["options"] == field or matcher["id"] == "byRegexp" and re.fullmatch(matcher["options"], field):
            found = next((one["value"] for one in override["properties"] if one["id"] == "unit"), found)
    return found


class Looks(Grafana):
    CHECKS = ["colours_what_is_wrong", "gives_every_unit", "begins_and_ends_with_an_interval", "compares_by_the_split", "asks_no_alert_of_a_few"]

    def colours_what_is_wrong(self):
        """A figure has a colour by thresholds of its own, or none: by Grafana's, all below 80 is green."""
        coloured = {panel["title"]: panel for _, panel in panels() if panel["type"] == "stat" and panel["options"]["colorMode"] != "none"}
        assert coloured.keys() == COLOURS.keys(), coloured.keys()
        for title, panel in coloured.items():
            defaults = panel["fieldConfig"]["defaults"]
            steps = defaults["thresholds"]["steps"]
            words = {int(value): shown for mapping in defaults.get("mappings", []) for value, shown in mapping["options"].items()}
            for value, (colour, text) in COLOURS[title].items():
                by_step = [step["color"] for step in steps if step["value"] is None or value >= step["value"]][-1]
                shown = words.get(value, {})
                assert (shown.get("color", by_step), shown.get("text")) == (colour, text), f"{title} {value} is {by_step}, {shown}"
            assert defaults["noValue"], title
        for _, panel in panels():
            if "color-background" in str(panel["fieldConfig"]):
                assert panel["fieldConfig"]["defaults"]["color"]["mode"].startswith("continuous"), panel["title"]

    def gives_every_unit(self):
        """What a report gives as a fraction or in seconds is not shown as a bare number."""
        columns = {report["name"]: report["columns"] for report in self.service.get("/v1/reports")["reports"]}
        bare, seen = [], 0
        for name, panel in panels():
            for target in panel["targets"]:
                report = re.search(r"FROM (?:generate_series.*?JOIN )?report\.(\w+)\(", target.get("rawSql", ""))
                if not report:
                    continue
                head = target["rawSql"].split(" FROM ")[0]
                for column in columns[report[1]]:
                    for alias in re.findall(rf"\b{column['name']}(?: END)?(?: AS (\"[^\"]+\"|\w+))?(?=,|$)", head):
                        field = alias.strip('"') or column["name"]
                        seen += 1
                        if column["unit"] in UNITS and unit(panel, field) not in UNITS[column["unit"]]:
                            bare.append(f"{name}, {panel['title']}: {field}")
        assert seen > 100 and not bare, f"{seen} seen; {bare}"

    def begins_and_ends_with_an_interval(self):
        """Of a range that cuts intervals at both ends, series show those that it holds as a whole, all of them."""
        found = 0
        for name, panel in panels():
            if panel["type"] != "timeseries" or "rawSql" not in panel["targets"][0]:
                continue
            sql = panel["targets"][0]["rawSql"]
            for interval, tz, shift in (("week", "UTC", 0), ("day", "Asia/Kolkata", 19_800)):
                text = self.psql(f"SELECT DISTINCT extract(epoch FROM time)::bigint FROM ({self.expanded(sql, interval=interval, tz=tz)}) AS s ORDER BY 1;")
                starts = [int(line) for line in text.split()]
                now = clock.actual().timestamp()
                length = {"week": 604_800, "day": 86_400}[interval]
                # Weeks begin on a Monday, as the first day of Unix time was a Thursday.
                off = [start for start in starts if (start + shift - (345_600 if interval == "week" else 0)) % length]
                assert starts and not off, f"{name}, {panel['title']}: {off}"
                cut = [start for start in starts if start < now - 30 * 86_400 - 5 or start + length > now]
                assert not cut, f"{name}, {panel['title']}: {interval} of {starts} begins before the range or ends after it"
                found += 1
                if panel["title"] == "Engagement rate":
                    gaps = [right - left for left, right in zip(starts, starts[1:]) if right - left != length]
                    assert not gaps and len(starts) >= 30 * 86_400 // length - 1, f"{starts} leaves out what is empty"
        assert found >= 10, found

    def compares_by_the_split(self):
        sql = panel_of("engagement", "Experiments")["targets"][0]["rawSql"]
        names = {variable["name"] for variable in boards()["engagement"]["templating"]["list"]}
        assert {"split", "control"} <= names, names

        def verdicts(split):
            text = self.psql(f"SELECT campaign, variant, verdict FROM ({self.expanded(sql, split=split)}) AS s WHERE category = '{known.TRIAL}';")
            return {tuple(line.split("|")[:2]): line.split("|")[2] for line in text.split("\n") if line}

        said = verdicts("equal")
        assert [said["even", name] for name in ("control", "up", "down", "same")] == ["control", "better", "worse", "no clear difference"], said
        assert said["uneven", "a"] == "no verdict", said
        assert verdicts("control:2,a:1")["uneven", "a"] == "worse"

    def asks_no_alert_of_a_few(self):
        """Three refused of four pushes wake nobody; thirty do."""
        rule = next(rule for rule in rules() if rule["uid"] == "notilog-pushes")
        sql, limit = rule["data"][0]["model"]["rawSql"], rule["data"][1]["model"]["conditions"][0]["evaluator"]["params"][0]
        refused = lambda: float(self.psql(f"SELECT refused FROM ({sql}) AS s WHERE app = '{self.app}';"))
        part = lambda: float(self.psql(
            f"SELECT coalesce(sum(share) FILTER (WHERE verdict IS DISTINCT FROM 'accepted'), 0) FROM report.push_results('{self.app}', \"from\" => (now() - interval '1 hour')::text);"
        ))
        self.refuse(3)
        assert part() > limit >= refused(), (part(), refused())
        self.refuse(30)
        assert refused() > limit, refused()

    def refuse(self, pushes):
        now = clock.actual()
        answer = self.service.post(
            [
                {"kind": "push_result", "device_id": f"refused {number}", "provider": "apns", "status": 429, "reason": "TooManyRequests",
                 "occurred_at": (now - datetime.timedelta(seconds=number + 1)).isoformat()}
                for number in range(pushes)
            ],
            "provider",
        )
        self.service.get("/v1/reports/push_results", {"min_position": answer["position"]})
