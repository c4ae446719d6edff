"""Drives the dashboard in Chromium as people use it, and holds what it shows against the reports."""

import datetime
import functools
import json

DEVICE, NOTIFICATION = "browser/device 1", "n 1?"
CATEGORY = "news"
VIEWS = {
    "overview": {}, "categories": {}, "category": {"category": CATEGORY}, "experiments": {}, "settings": {}, "optouts": {},
    "tokens": {}, "provider": {}, "extensions": {}, "lookup": {}, "notifications": {"state": "responded"}, "device": {"device": DEVICE},
    "notification": {"device": DEVICE, "id": NOTIFICATION},
}
# Of each view: reports whose figures stand in a table, and by which column there and in the report.
TABLES = {
    "overview": [("activity", "events", "events")],
    "categories": [
        ("engagement", "reached", "reached"), ("categories", "notifications", "notifications"),
        ("removals", "notifications", "notifications"),
    ],
    "category": [("actions", "offered", "offered"), ("actions", "notifications", "notifications")],
    "settings": [("settings", "devices", "devices"), ("authorization", "asked", "asked")],
    "optouts": [("opt_outs", "reached", "reached"), ("frequency", "device_weeks", "device_weeks")],
    "tokens": [("tokens", "tokens", "tokens")],
    "provider": [("push_results", "results", "results")],
    "extensions": [("extensions", "runs", "runs")],
}


class Dashboard:
    def __init__(self, service, page, axe):
        self.service = service
        self.page = page
        self.axe = axe
        self.charts = 0

    def parameters(self, days=30, **more):
        """What the page asks for with a range of days up to now, in UTC."""
        first = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=days - 1)
        return {"from": first.isoformat(), "tz": "UTC", **more}

    def figure(self, name):
        return self.page.text(f"[data-figure='{name}'] .figure-value")

    def signs_in(self):
        page = self.page
        page.driver.get(page.url)
        enter = lambda key: page.script(
            "document.querySelector('#key').value = arguments[0]; document.querySelector('form').requestSubmit()", key
        )
        page.find("#key")
        enter("nlg_r_wrong")
        page.wait("a wrong key is refused", lambda: "does not know" in page.text("#key-error"))
        page.console()
        enter(self.service.keys["write"])
        page.wait("a key that may not read is refused", lambda: "read" in page.text("#key-error"))
        page.console()
        enter(self.service.keys["read"])
        page.find(".shell main h1")
        page.settle()
        assert page.text("h1") == "Overview", page.text("h1")
        kept = page.script("return [localStorage.length, document.cookie, location.href.includes(sessionStorage.getItem('notilog.key'))]")
        assert kept == [0, "", False], f"the key is kept elsewhere too: {kept}"

    def signs_in_by_a_link(self):
        page = self.page
        for key, seen in (("nlg_r_wrong", "#key"), (self.service.keys["read"], ".shell main h1")):
            # In a tab of its own and in one that is open already.
            for begin in ("about:blank", page.url):
                page.driver.get(page.url)
                page.script("sessionStorage.clear()")
                page.driver.get(begin)
                page.driver.get(f"{page.url}/#key={key}")
                page.find(seen)
                page.settle()
                address = page.script("return location.href")
                assert key not in address, f"the key stays in the address: {address}"
                if seen == "#key":
                    page.wait("a link with a wrong key is refused", lambda: page.text("#key-error"))
                    page.console()
        assert page.text("h1") == "Overview", page.text("h1")
        assert page.script("return sessionStorage.getItem('notilog.key')") == self.service.keys["read"]

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
        self.page.size(390, 844)
        over = lambda: self.page.script("return document.documentElement.scrollWidth") - 390
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
        number = lambda text: None if text in ("–", "unobserved") else int("".join(c for c in text if c.isdigit()))
        for view, tables in TABLES.items():
            self.page.go(view, **VIEWS[view])
            for report, shown, column in tables:
                filters = VIEWS[view] if view == "category" else {}
                rows = self.service.rows(report, **self.parameters(**filters))
                expected = sorted(str(row[column]) for row in rows)
                texts = self.page.column(report, shown)
                assert texts is not None, f"{view}: no table of {report}"
                assert sorted(str(number(t)) for t in texts) == expected and expected, f"{view}, {report}.{shown}: {texts} is not {expected}"
        self.page.go("overview")
        row = self.service.rows("engagement", by="none", **self.parameters())[0]
        assert self.figure("reached") == f"{row['reached']:,}", self.figure("reached")
        assert self.figure("responded") == f"{row['responded']:,}", self.figure("responded")
        assert self.figure("engagement_rate") == f"{row['engagement_rate'] * 100:.1f}%", self.figure("engagement_rate")
        stages = {r["stage"]: r["notifications"] for r in self.service.rows("funnel", **self.parameters())}
        for stage, count in stages.items():
            assert self.page.text(f"[data-stage='{stage}'] b") == f"{count:,}", stage

    def follows_the_range_and_the_category(self):
        self.page.go("overview")
        before = self.figure("reached")
        self.page.choose("last", "7")
        self.page.wait("the address says seven days", lambda: self.page.address()[1].get("last") == ["7d"])
        self.page.settle()
        row = self.service.rows("engagement", by="none", **self.parameters(7))[0]
        assert self.figure("reached") == f"{row['reached']:,}" != before
        self.page.go("category", category=CATEGORY)
        other = next(r["category"] for r in self.service.rows("engagement", **self.parameters()) if r["category"] not in (CATEGORY, None))
        self.page.wait("categories to choose", lambda: len(self.page.all("select[name=category] option")) > 1)
        self.page.choose("category", other)
        self.page.wait("the other category's page", lambda: self.page.text("h1") == other)
        self.page.settle()
        row = self.service.rows("engagement", **self.parameters(category=other))[0]
        assert self.figure("reached") == f"{row['reached']:,}"

    def shows_the_same_by_its_link(self):
        self.page.go("categories", interval="week", platform="ios", window="P1D")
        self.page.find("[data-key]")
        self.page.script("[...document.querySelectorAll('button.sort')].find(b => b.textContent.startsWith('Engagement')).click()")
        look = "return [...document.querySelectorAll('main h1, main .chip, main [data-key], main select[name=interval]')].map(e => e.value || e.innerText)"
        before, link = self.page.script(look), self.page.driver.current_url
        assert "platform=ios" in link and "sort=-engagement_rate" in link, link
        self.page.driver.get("about:blank")
        self.page.driver.get(link)
        self.page.settle()
        assert self.page.script(look) == before

    def downloads_what_is_seen(self):
        self.page.go("categories", platform="ios")
        self.page.find("[data-csv='engagement']").click()
        saved = self.page.downloaded("engagement.csv")
        expected = self.service.get("/v1/reports/engagement", self.parameters(by="category", window="P3D", platform="ios"), "text/csv")
        assert saved == expected, saved[:200]

    def is_used_by_keyboard(self):
        self.page.open("categories")
        body = self.page.find("body")
        body.send_keys("\ue004")
        assert self.page.script("return document.activeElement.className") == "skip"
        self.page.driver.switch_to.active_element.send_keys("\ue007")
        assert self.page.script("return document.activeElement.id") == "main"
        for _ in range(60):
            self.page.driver.switch_to.active_element.send_keys("\ue004")
            if self.page.script("return document.activeElement.closest('th')?.textContent.startsWith('Opened')"):
                break
        self.page.driver.switch_to.active_element.send_keys("\ue007")
        assert self.page.script("return document.activeElement.closest('th').getAttribute('aria-sort')") == "descending"
        assert self.page.address()[1]["sort"] == ["-open_rate"]

    def follows_a_device_to_its_events(self):
        self.page.go("lookup")
        self.page.find("#device").send_keys(DEVICE)
        self.page.script("document.querySelector('form').requestSubmit()")
        self.page.wait("the device's timeline", lambda: self.page.all(".timeline .event"))
        self.page.settle()
        self.page.find(".timeline .small a").click()
        self.page.wait("the notification's timeline", lambda: self.page.text("h1") == "A notification")
        self.page.settle()
        assert len(self.page.all(".timeline .event")) == 2
        assert self.page.all(".timeline .event.action_response")

    def follows_a_figure_to_its_notifications(self):
        page = self.page
        figures = {
            "[data-figure='reached'] a.behind": lambda: self.figure("reached"),
            "[data-row='default'] a.behind": lambda: page.text("[data-row='default'] a.behind"),
            "[data-figure='opt_outs'] a.behind": None,
        }
        for selector, counted in figures.items():
            page.go("category", category=CATEGORY)
            wanted = counted and int(counted().replace(",", ""))
            shares = page.text("[data-figure='opt_outs'] .figure-value")
            page.script("document.querySelector(arguments[0]).click()", selector)
            page.wait("the list behind the figure", lambda: page.text("h1") == "Notifications")
            page.settle()
            while page.script("const more = document.querySelector('button[name=more]'); if (!more || more.hidden) return false; if (!more.disabled) more.click(); return true"):
                page.wait("the next page", lambda: page.script("return !document.querySelector('button[name=more]').disabled"))
            listed = page.script("return [...document.querySelectorAll('main tbody tr')].map(row => row.innerText)")
            assert listed and (wanted is None or len(listed) == wanted), f"{selector}: {len(listed)} of {wanted}"
            if not counted:
                sum_of = page.script("return [...document.querySelectorAll('[data-key=opt_out_share]')].reduce((sum, cell) => sum + Number(cell.innerText), 0)")
                assert abs(sum_of - float(shares)) < 0.05 + 0.005 * len(listed), f"{sum_of} is not {shares}"
        page.go("notifications", category=CATEGORY, action="default")
        page.find("[data-csv='notifications']").click()
        saved = page.downloaded("notifications.csv").decode().splitlines()
        assert len(saved) == 1 + int(page.script("return document.querySelectorAll('main tbody tr').length")) > 1, saved[:3]
        page.find("main tbody th a").click()
        page.wait("its timeline", lambda: page.text("h1") == "A notification" and page.all(".timeline .event.action_response"))

    def speaks_chinese(self):
        self.page.language("zh-CN,zh")
        self.page.open("overview")
        assert (self.page.text("h1"), self.page.script("return document.documentElement.lang")) == ("概览", "zh-Hans")
        words = self.page.script("return document.querySelector('main').innerText")
        self.page.language("en-GB")
        self.page.open("overview")
        left = [word for word in ("Reached", "column.", "overview.", "Loading") if word in words]
        assert not left, f"not translated: {left}"

    def fits_a_phone(self):
        assert not self.tour["width"], "\n".join(self.tour["width"])

    def has_no_serious_violation(self):
        problems = [*self.tour["axe"]]
        self.page.scheme("dark")
        for view in ("overview", "category"):
            self.page.go(view, **VIEWS[view])
            problems += [f"{view}, dark: {found}" for found in self.page.axe(self.axe, ["color-contrast"])]
        self.page.scheme("light")
        assert not problems, "\n".join(problems)

    def says_what_is_empty_and_what_failed(self):
        self.page.go("overview", campaign="none such")
        assert any("No notifications" in e.text for e in self.page.all(".empty")), "no word of there being nothing"
        self.page.go("device", device="none such")
        assert any("no event of this device" in e.text for e in self.page.all(".error"))
        self.page.console()

    def comes_with_little(self):
        """How much is asked for is the same on every machine, so that is what is held; how long it took is recorded."""
        self.page.forget()
        self.page.open("overview")
        first = self.page.load()
        self.page.open("overview")
        again = self.page.load()
        print(json.dumps({"load": {"first": first, "again": again}}), flush=True)
        assert first["requests"] <= 47 and first["bytes"] <= 180_000, first
        # Files are the browser's own by now: the page, whether the catalogue changed, and reports.
        assert again["sent"] <= 10 and again["bytes"] <= 20_000, again
        assert again["complete"] < 20_000, again

    def says_nothing_is_wrong(self):
        said = self.page.console()
        assert not said, said

    def survives_the_loss_of_the_service(self):
        page = self.page
        page.go("overview")
        before = self.figure("reached")
        self.service.kill()
        page.find("button[name=refresh]").click()
        page.wait("the page says that nobody answers", lambda: page.all(".banner.away"))
        page.settle()
        assert self.figure("reached") == before, "figures are gone"
        assert page.all(".panel.stale"), "old figures are not marked"
        page.choose("last", "7")
        page.wait("a panel without figures says why", lambda: page.all(".panel .error"))
        self.service.start()
        page.wait("the page comes back by itself", lambda: not page.all(".banner.away, .panel .error, .panel.stale"), 30)
        page.settle()
        row = self.service.rows("engagement", by="none", **self.parameters(7))[0]
        assert self.figure("reached") == f"{row['reached']:,}"
        page.console()
