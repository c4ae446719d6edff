"""Every view of the page: that it opens, fits, can be used by all, and shows what the reports say."""

import functools
import json
import pathlib
import re

import saved
from viewer import CATEGORY, DEVICE, NOTIFICATION, Viewer

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "dashboards/web/text"
VIEWS = {
    "overview": {}, "campaigns": {}, "campaign": {"campaign": "even"}, "categories": {}, "category": {"category": CATEGORY}, "experiments": {}, "outcomes": {}, "settings": {}, "optouts": {},
    "tokens": {}, "provider": {}, "extensions": {}, "alerts": {}, "saved": {"name": saved.NAME}, "lookup": {}, "notifications": {"state": "responded"}, "device": {"device": DEVICE},
    "notification": {"device": DEVICE, "id": NOTIFICATION},
}
# Of each view: reports whose figures stand in a table, and by which column there and in the report.
TABLES = {
    "overview": [("activity", "events", "events")],
    "campaigns": [("campaigns", "reached", "reached")],
    "categories": [
        ("engagement", "reached", "reached"), ("categories", "notifications", "notifications"),
        ("removals", "notifications", "notifications"),
    ],
    "category": [("actions", "offered", "offered"), ("actions", "taken_in_window", "taken_in_window")],
    "outcomes": [
        ("outcomes", "conversions", "conversions"), ("live_activities", "started", "started"),
    ],
    "settings": [("settings", "devices", "devices"), ("reachability", "notifications", "notifications"),
        ("authorization", "asked", "asked"),
    ],
    "optouts": [("opt_outs", "reached", "reached"), ("frequency", "device_weeks", "device_weeks")],
    "tokens": [("tokens", "tokens", "tokens")],
    "provider": [("push_results", "results", "results")],
    "extensions": [("extensions", "runs", "runs"), ("instrumentation", "devices", "devices")],
}


class Dashboard(Viewer):
    CHECKS = [
        "signs_in", "signs_in_by_a_link", "opens_every_view", "fills_its_panels", "shows_the_reports_figures", "speaks_chinese", "fits_a_phone",
        "has_no_violation", "comes_with_little",
    ]

    def __init__(self, service, page, axe):
        super().__init__(service, page, axe)
        self.charts = 0

    def signs_in(self):
        page = self.page
        page.driver.get(page.url)
        enter = lambda key: page.script(
            "document.querySelector('#key').value = arguments[0]; document.querySelector('form').requestSubmit()", key
        )
        page.find("#key")
        enter("nlg_r_wrong")
        page.wait("a wrong key is refused", lambda: "does not know" in page.text("#key-error"))
        enter(self.service.keys["write"])
        page.wait("a key that may not read is refused", lambda: "read" in page.text("#key-error"))
        page.refused()
        enter(self.service.keys["read"])
        page.find(".shell main h1")
        page.settle()
        assert page.text("h1") == "Overview", page.text("h1")
        # Whose figures these are.
        assert (page.text("header .app"), page.driver.title) == (self.service.app, f"Overview · {self.service.app} · Notilog"), page.driver.title
        kept = page.script("return [localStorage.length, document.cookie, location.href.includes(sessionStorage.getItem('notilog.key'))]")
        assert kept == [0, "", False], f"the key is kept elsewhere too: {kept}"

    def signs_in_by_a_link(self):
        page = self.page
        for key, seen in (("nlg_r_wrong", "#key"), (self.service.keys["read"], ".shell main h1")):
            # In a tab of its own and in one that is open already.
            for begin in ("about:blank", page.url):
                page.driver.get(page.url)
                # What it has yet to ask for would be refused without the key.
                page.settle()
                page.script("sessionStorage.clear()")
                page.driver.get(begin)
                page.driver.get(f"{page.url}/#key={key}")
                page.find(seen)
                page.settle()
                address = page.script("return location.href")
                assert key not in address, f"the key stays in the address: {address}"
                if seen == "#key":
                    page.wait("a link with a wrong key is refused", lambda: page.text("#key-error"))
                    page.refused()
        self.signs_in_by_an_early_link()
        assert page.text("h1") == "Overview", page.text("h1")
        assert page.script("return sessionStorage.getItem('notilog.key')") == self.service.keys["read"]

    def signs_in_by_an_early_link(self):
        """A link that comes while the page still loads its words."""
        page, key = self.page, self.service.keys["read"]
        page.script("sessionStorage.clear()")
        early = page.command(
            "Page.addScriptToEvaluateOnNewDocument",
            source="if (!sessionStorage.getItem('early')) addEventListener('DOMContentLoaded', () => {"
            f" sessionStorage.setItem('early', 'yes'); location.hash = 'key={key}' }})",
        )
        page.driver.get(page.url)
        page.find(".shell main h1")
        page.settle()
        page.command("Page.removeScriptToEvaluateOnNewDocument", identifier=early["identifier"])
        assert key not in page.script("return location.href")

    @functools.cached_property
    def tour(self):
        """What is wrong in each view, by what was looked at: a view is gone to once for all of it."""
        found = {"opens": [], "fills": [], "width": [], "axe": []}
        for view, more in VIEWS.items():
            self.page.go(view, **more)
            found["opens"] += [f"{view}: {problem}" for problem in self.unopened()]
            found["fills"] += [f"{view}: {problem}" for problem in self.unfilled()]
            found["width"] += [f"{view}: {problem}" for problem in self.overflowing()]
            found["axe"] += [f"{view}: {violation}" for violation in self.page.axe(self.axe)]
        return found

    def unopened(self):
        yield from (e.text for e in self.page.all(".error"))
        if not self.page.all("main .panel"):
            yield "no panel"
        if len(self.page.all("nav [aria-current=page]")) != 1:
            yield "not marked in the menu"
        blank = self.page.script(
            "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done([...document.querySelectorAll('canvas')]"
            ".filter(c => !globalThis.Chart?.getChart(c)).length))))"
        )
        if blank:
            yield f"{blank} charts are not drawn"

    def unfilled(self):
        """Charts that are of another size than the room they have, in any frame while the window shrinks and grows again."""
        # Observers are called in the order in which they were made: these see what the page made of the new size.
        count = self.page.script(
            "window.rooms = [...document.querySelectorAll('.canvas')].map(place => {"
            "const [canvas, room] = [place.querySelector('canvas'), {seen: 0, wrong: []}];"
            "new ResizeObserver(() => { room.seen += 1; const [is, has] = [canvas, place].map(e => e.getBoundingClientRect());"
            "if (Math.abs(is.width - has.width) > 1 || Math.abs(is.height - has.height) > 1)"
            " room.wrong.push(`${canvas.ariaLabel}: ${is.width} of ${has.width} px`) }).observe(place); return room }); return rooms.length"
        )
        for step, width in enumerate((1440, 390, 1440), 1):
            self.page.size(width, 900)
            self.page.wait("the charts have other room", lambda: self.page.script("return rooms.every(room => room.seen >= arguments[0])", step))
        self.charts += count
        yield from self.page.script("return rooms.flatMap(room => room.wrong)")

    def overflowing(self):
        """By how much the view is too wide for a phone, once its charts have taken their new size."""
        self.page.size(320, 700)
        over = lambda: self.page.script("return document.documentElement.scrollWidth") - 320
        try:
            self.page.wait("room for it", lambda: over() <= 0, 3)
        except AssertionError:
            yield f"{over()} px too wide"
        self.page.size(1440, 900)

    def opens_every_view(self):
        assert not self.tour["opens"], "\n".join(self.tour["opens"])

    def fills_its_panels(self):
        assert not self.tour["fills"], "\n".join(self.tour["fills"])
        assert self.charts >= 8, f"{self.charts} charts"

    def shows_the_reports_figures(self):
        limited = [r["name"] for r in self.service.get("/v1/reports")["reports"] if any(p["name"] == "limit" for p in r["parameters"])]
        number = lambda text: None if text in ("–", "unobserved") else int("".join(c for c in text if c.isdigit()))
        for view, tables in TABLES.items():
            self.page.go(view, **VIEWS[view])
            for report, shown, column in tables:
                filters = VIEWS[view] if view == "category" else {}
                # Of what clients make up, the page shows so much.
                bounded = {"limit": 200} if report in limited else {}
                rows = self.service.rows(report, **self.parameters(**filters, **bounded))
                expected = sorted(str(row[column]) for row in rows)
                texts = self.page.column(report, shown)
                assert texts is not None, f"{view}: no table of {report}"
                assert sorted(str(number(t)) for t in texts) == expected and expected, f"{view}, {report}.{shown}: {texts} is not {expected}"
        self.page.go("settings")
        devices = sum(row["devices"] for row in self.service.rows("settings", **self.parameters()))
        assert self.page.text("[data-total]") == f"{devices:,} devices in all.", self.page.text("[data-total]")
        self.page.go("overview")
        row = self.service.rows("engagement", by="none", **self.parameters())[0]
        assert self.figure("reached") == f"{row['reached']:,}", self.figure("reached")
        assert self.figure("engagement_rate") == f"{row['engagement_rate'] * 100:.1f}%", self.figure("engagement_rate")
        stages = {r["stage"]: r["notifications"] for r in self.service.rows("funnel", **self.parameters())}
        for stage, count in stages.items():
            assert self.page.text(f"[data-stage='{stage}'] b") == f"{count:,}", stage

    def speaks_chinese(self):
        self.page.language("zh-CN,zh")
        self.page.open("overview")
        assert (self.page.text("h1"), self.page.script("return document.documentElement.lang")) == ("概览", "zh-Hans")
        words = self.page.script("return document.querySelector('main').innerText")
        self.page.language("en-GB")
        self.page.open("overview")
        left = [word for word in ("Reached", "column.", "overview.", "Loading") if word in words]
        assert not left, f"not translated: {left}"
        english, chinese = (json.loads((FOLDER / f"{tag}.json").read_text()) for tag in ("en", "zh-Hans"))
        assert list(english) == list(chinese)
        # One word for what is reached, which is not the one that others use for what is delivered.
        reached = [key for key, text in english.items() if re.search(r"\breach(ed|es)?\b", text, re.IGNORECASE)]
        other = [key for key in reached if "触达" not in chinese[key]] + [key for key, text in chinese.items() if "送达" in text]
        assert reached and not other, other

    def fits_a_phone(self):
        assert not self.tour["width"], "\n".join(self.tour["width"])

    def has_no_violation(self):
        problems = [*self.tour["axe"]]
        self.page.scheme("dark")
        for view, more in VIEWS.items():
            self.page.go(view, **more)
            problems += [f"{view}, dark: {found}" for found in self.page.axe(self.axe, ["color-contrast"])]
        self.page.scheme("light")
        assert not problems, "\n".join(problems)

    def comes_with_little(self):
        """How much is asked for is the same on every machine, so that is what is held; how long it took is recorded."""
        def loaded():
            self.page.open("overview")
            # No panel waits for what is asked last.
            came = "return performance.getEntriesByType('resource').some(e => e.name.includes('/reports/instrumentation?'))"
            self.page.wait("what is asked last", lambda: self.page.script(came))
            return self.page.load()
        self.page.forget()
        first = loaded()
        again = loaded()
        print(json.dumps({"load": {"first": first, "again": again}}), flush=True)
        # The words of the forms, some 5 KB, and of columns, some 2 KB, come with all other words: a file of their own would be another
        # request for each form.
        assert first["requests"] <= 68 and first["bytes"] <= 227_500, first
        # Files are the browser's own by now: the page, whether the catalogue changed, reports and annotations; two reports are asked last.
        # One asks since when there are figures to compare with.
        assert again["sent"] <= 24 and again["bytes"] <= 40_000, again
        assert again["complete"] < 20_000, again

