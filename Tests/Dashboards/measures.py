"""Rates of every kind by the values of a dimension, and what came of campaigns: as the reports have them."""

import datetime

import clock
import known
from viewer import CATEGORY, Viewer

SHOWN = """return [...document.querySelector(`select[name='${arguments[0]}']`).closest('.panel').querySelectorAll('.breakdown tbody tr')].map(row =>
  [row.querySelector('[data-value]')?.dataset.value ?? null, Number(row.children[1].dataset.key === arguments[1] ? row.children[1].innerText.replaceAll(',', '') : row.children[2].innerText.replaceAll(',', '')),
   row.querySelector('.rate-value')?.innerText ?? null])"""


def summed(part, whole, keep=lambda row: True):
    """Of rows, a column and the one that it is a part of."""
    total = lambda rows, key: sum(row[key] or 0 for row in rows if keep(row))
    return lambda rows: (total(rows, part), total(rows, whole))


def stages(rows):
    count = {row["stage"]: row["notifications"] for row in rows}
    return count.get("reached", 0), count.get("requested", 0)


def turned_on(rows):
    on = [row["devices"] for row in rows if row["state"] not in (None, "denied", "not_determined")]
    return sum(on), sum(row["devices"] for row in rows)


def old_enough():
    """Notifications that have the whole window of three days, by whole hours."""
    end = clock.now().replace(minute=0, second=0, microsecond=0) - datetime.timedelta(days=3)
    return {"to": end.isoformat().replace("+00:00", "Z")}


# By view and name of the choice: the report, what it is asked besides, or what says so, the column of the whole, the part and the whole of rows,
# and what the rate is for.
RATES = {
    ("overview", "funnel"): ("funnel", {}, "requested", stages, 1),
    ("campaigns", "breakdown"): ("campaigns", old_enough, "rate_denominator", summed("responded_in_window", "rate_denominator"), 1),
    ("categories", "hours"): ("engagement", {"by": "none"}, "reached", None, 1),
    ("category", "buttons"): ("engagement", {"by": "none"}, "rate_denominator", summed("acted_in_window", "rate_denominator"), 1),
    ("category", "hours"): ("engagement", {"by": "none"}, "reached", None, 1),
    ("category", "costs"): ("opt_outs", {}, "reached", summed("opt_outs", "reached", lambda row: row["attributed"]), 1000),
    ("category", "withdrawn"): ("engagement", {"by": "none"}, "requested", summed("withdrawn", "requested"), 1),
    ("outcomes", "prompts-by"): ("authorization", {"by": "placement,variant"}, "shown", summed("continued", "shown"), 1),
    ("settings", "state"): ("settings", {"setting": "authorization_status"}, "devices", turned_on, 1),
    ("settings", "reach"): ("reachability", {"by": "none"}, "reached", summed("engaged", "reached"), 1),
    ("settings", "granted"): ("authorization", {}, "answered", summed("granted", "answered"), 1),
    ("optouts", "breakdown"): ("opt_outs", {}, "reached", summed("opt_outs", "reached", lambda row: row["attributed"]), 1000),
    ("optouts", "engagement"): ("frequency", {}, "reached", summed("responded_in_window", "reached"), 1),
    ("optouts", "costs"): ("frequency", {}, "device_weeks", summed("opt_outs", "device_weeks"), 1),
    ("extensions", "extensions-by"): ("extensions", {}, "runs", summed("expired", "runs"), 1),
    ("extensions", "extension-rates-by"): ("extensions", {}, "reached", summed("responded_in_window", "reached"), 1),
    ("extensions", "instruments"): ("instrumentation", {}, "delivery_observable", summed("delivery_observed", "delivery_observable"), 1),
}


class Measures(Viewer):
    CHECKS = ["breaks_every_rate_down", "says_what_came_of_campaigns"]

    def breaks_every_rate_down(self):
        """Whether its report groups by the dimension or not, a rate's values are those of the report with the value as a filter."""
        for view in dict.fromkeys(view for view, _ in RATES):
            names = [name for of, name in RATES if of == view]
            # A view is gone to once for all of its panels.
            self.page.go(view, **self.filters(view), **{name: "platform" for name in names})
            for name in names:
                self.compare(view, name)
        self.rest()

    def filters(self, view):
        return {"category": CATEGORY} if view == "category" else {}

    def compare(self, view, name):
        report, more, whole, counted, per = RATES[view, name]
        more = more() if callable(more) else more
        place = f"document.querySelector(`select[name='{name}']`).closest('.panel').querySelector('.breakdown .empty')"
        self.page.wait(f"{view}, {name}", lambda: self.page.script(SHOWN, name, whole) or self.page.script(f"return {place}"))
        shown = {value: (count, rate) for value, count, rate in self.page.script(SHOWN, name, whole)}
        ask = lambda **extra: self.service.rows(report, **self.parameters(**self.filters(view), **more, **extra))
        for value in ("ios", ""):
            rows = ask(platform=value)
            part, all = (counted or summed("responded_in_window", "reached"))(rows)
            if not all:
                assert value not in shown, f"{view}, {name}: {shown}"
                continue
            assert value in shown, f"{view}, {name}: {shown}, {part} of {all}"
            count, rate = shown[value]
            # The engagement rate is of what is old enough, which the report divides.
            expected = (rows[0]["engagement_rate"] if counted is None else part / all) * per
            assert count == round(all), f"{view}, {name}, {value}: {shown}, not {all}"
            assert abs(float(rate.rstrip("%").replace(",", "")) - expected * (100 if per == 1 else 1)) < 0.06, f"{view}, {name}, {value}: {rate}, not {expected}"
        assert not self.page.all(".breakdown .error"), f"{view}, {name}"

    def rest(self):
        """Of a report that does not group: ten values, and what is left of all; a value is a way to itself."""
        page = self.page
        page.go("overview", campaign=known.MANY)
        page.choose("funnel", "category")
        # Nothing of it was requested, so that there is nothing to divide.
        page.wait("nothing", lambda: page.script("return document.querySelector(\"select[name='funnel']\").closest('.panel').querySelector('.breakdown .empty')"))
        page.go("optouts", campaign=known.MANY, breakdown="category")
        lines = page.wait("its values", lambda: page.script(SHOWN, "breakdown", "reached"))
        assert len(lines) == 11 and lines[-1][:2] == [None, known.CATEGORIES - 10], lines
        page.go("overview", funnel="app_version")
        values = page.wait("its values", lambda: page.script(SHOWN, "funnel", "requested"))
        stages = {row["stage"]: row["notifications"] for row in self.service.rows("funnel", **self.parameters())}
        assert sum(count for _, count, _ in values) == stages["requested"], (values, stages)
        first = next(value for value, _, _ in values if value)
        page.script("document.querySelector(arguments[0]).click()", f".breakdown [data-value='{first}']")
        page.wait("the filter", lambda: page.address()[1].get("app_version") == [first])

    def says_what_came_of_campaigns(self):
        page = self.page
        page.go("campaigns")
        rows = self.service.rows("outcomes", **self.parameters(limit=1000))
        best = {}
        for row in rows:
            if row["conversion"] and not row["other"] and row["direct"] > best.get(row["campaign"], {"direct": -1})["direct"]:
                best[row["campaign"]] = row
        shown = dict(page.script("return [...document.querySelectorAll('main tbody tr')].map(row => [row.dataset.row, row.querySelector('[data-key=outcomes]').innerText])"))
        there = [name for name in shown if name in best]
        assert there, (shown, rows[:3])
        for name in there:
            row = best[name]
            assert f"{row['direct']:,} of {row['devices']:,} devices" in shown[name] and row["conversion"] in shown[name], (name, shown[name], row)
        page.go("campaign", campaign=there[0])
        of = self.service.rows("outcomes", **self.parameters(campaign=there[0], limit=200))
        assert sorted(page.column("outcomes", "conversions")) == sorted(f"{row['conversions']:,}" for row in of), of
