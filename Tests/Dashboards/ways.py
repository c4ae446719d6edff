"""Ways through the page: links, files, the keyboard, from a figure to its events, and on into other tabs."""

import datetime

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import clock
import known
from viewer import CATEGORY, DEVICE, Viewer


class Ways(Viewer):
    CHECKS = [
        "follows_the_range_and_the_category", "shows_the_same_by_its_link", "downloads_what_is_seen", "is_used_by_keyboard",
        "follows_a_device_to_its_events", "follows_a_figure_to_its_notifications", "keeps_the_session_in_a_tab_of_a_link",
        "offers_what_applies", "takes_days_that_are_typed", "keeps_the_range_in_sight",
    ]

    def follows_the_range_and_the_category(self):
        self.page.go("overview")
        before = self.figure("reached")
        self.page.choose("last", "7")
        self.page.wait("the address says seven days", lambda: self.page.address()[1].get("last") == ["7d"])
        self.page.settle()
        row = self.service.rows("engagement", by="none", **self.parameters(7))[0]
        assert self.figure("reached") == f"{row['reached']:,}" != before
        # The last week that is over is a range like one that is given by its days.
        first = known.monday().date()
        week = {"from": first.isoformat(), "to": (first + datetime.timedelta(days=7)).isoformat()}
        self.page.choose("last", "week")
        self.page.wait("the address says its days", lambda: {key: self.page.address()[1].get(key) for key in week} == {key: [day] for key, day in week.items()})
        self.page.settle()
        row = self.service.rows("engagement", by="none", tz="UTC", **week)[0]
        assert self.figure("reached") == f"{row['reached']:,}"
        assert self.page.script("return document.querySelector(\"select[name='last']\").value") == "week"
        month = clock.today().replace(day=1)
        self.page.choose("last", "month")
        self.page.wait("the address says the month", lambda: self.page.address()[1].get("to") == [month.isoformat()])
        assert self.page.address()[1]["from"] == [(month - datetime.timedelta(days=1)).replace(day=1).isoformat()]
        self.page.go("category", category=CATEGORY)
        other = next(r["category"] for r in self.service.rows("engagement", **self.parameters()) if r["category"] not in (CATEGORY, None))
        self.page.wait("categories to choose", lambda: len(self.page.all("select[name=category] option")) > 1)
        self.page.choose("category", other)
        self.page.wait("the other category's page", lambda: self.page.text("h1") == other)
        self.page.settle()
        row = self.service.rows("engagement", **self.parameters(category=other))[0]
        assert self.figure("reached") == f"{row['reached']:,}"

    def takes_days_that_are_typed(self):
        """Each digit makes a day: the one that is meant is there once the field is left, or Enter is pressed."""
        page = self.page
        page.go("overview")
        page.find("input[name=from]")
        day = clock.today() - datetime.timedelta(days=12)
        page.script("document.querySelector('input[name=from]').focus()")
        digits = {"day": f"{day.day:02}", "month": f"{day.month:02}", "year": f"{day.year}"}
        parts = page.script("return new Intl.DateTimeFormat().formatToParts().map(part => part.type)")
        for key in (digits[part] for part in parts if part in digits):
            page.driver.switch_to.active_element.send_keys(key)
            assert page.script("return document.activeElement.name") == "from" and "from" not in page.address()[1], page.address()
        page.driver.switch_to.active_element.send_keys(Keys.ENTER)
        page.wait("the day", lambda: page.address()[1].get("from") == [day.isoformat()])
        page.wait("the focus", lambda: page.script("return document.activeElement.name") == "from" and not page.script("return document.querySelector('main [aria-busy=true]')"))
        page.script("document.querySelector('select[name=last]').focus()")
        page.choose("last", "7")
        page.wait("the range", lambda: page.address()[1].get("last") == ["7d"])
        page.wait("the focus stays", lambda: page.script("return document.activeElement.name") == "last")

    def keeps_the_range_in_sight(self):
        """A window that becomes wide has no summary to open the range by."""
        page = self.page
        page.size(600, 800)
        page.go("overview")
        page.script("document.querySelector('details.range').open = false")
        page.size(1440, 900)
        page.wait("the range", lambda: page.script("return document.querySelector('select[name=last]').offsetHeight > 0"))

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
        self.page.export("engagement")
        saved = self.page.downloaded(f"notilog-{self.service.app}-categories-engagement-{self.days()}.csv")
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
        self.page.find(".timeline .bundle a").click()
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
            wanted = counted and int(counted().split()[0].replace(",", ""))
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
        page.export("notifications")
        saved = page.downloaded(f"notilog-{self.service.app}-notifications-notifications-{CATEGORY}-default-{self.days()}.csv").decode().splitlines()
        assert len(saved) == 1 + int(page.script("return document.querySelectorAll('main tbody tr').length")) > 1, saved[:3]
        page.find("main tbody th a").click()
        page.wait("its timeline", lambda: page.text("h1") == "A notification" and page.all(".timeline .event.action_response"))

    def days(self):
        """The range of days up to now, as names of files have it."""
        first = self.parameters()["from"]
        return f"{first}-to-{clock.today().isoformat()}"

    def keeps_the_session_in_a_tab_of_a_link(self):
        """Opened with a key held, a link is of the same session; an address that somebody typed in is not."""
        page = self.page
        page.open("overview")
        first = page.driver.current_window_handle
        try:
            held = ActionChains(page.driver).key_down(Keys.CONTROL).click(page.find("nav a[href*='tokens']")).key_up(Keys.CONTROL)
            held.perform()
            page.wait("a tab of its own", lambda: len(page.driver.window_handles) == 2)
            second = next(handle for handle in page.driver.window_handles if handle != first)
            page.driver.switch_to.window(second)
            page.wait("the session in it", lambda: page.all("main h1") and page.text("h1") == "Tokens")
            page.settle()
            page.script("[...document.querySelectorAll('button')].find(b => b.textContent === 'Sign out').click()")
            page.find("#key")
            page.driver.switch_to.window(first)
            page.wait("the first is signed out too", lambda: page.all("#key"))
            self.enter()
            page.script(
                "window.asked = []; window.listener = new BroadcastChannel('notilog.key');"
                "listener.onmessage = event => asked.push(event.data.asked)"
            )
            page.driver.switch_to.window(second)
            page.driver.get(f"{page.url}/#/tokens?last=30d&tz=UTC&typed=1")
            page.driver.refresh()
            page.find("#key")
            page.driver.switch_to.window(first)
            page.wait("the other asks", lambda: any("typed" in (place or "") for place in page.script("return asked")))
            page.driver.switch_to.window(second)
            assert page.all("#key") and not page.script("return sessionStorage.getItem('notilog.key')"), "a typed address was given the key"
        finally:
            for handle in [handle for handle in page.driver.window_handles if handle != first]:
                page.driver.switch_to.window(handle)
                page.driver.close()
            page.driver.switch_to.window(first)

    def enter(self):
        self.page.find("#key")
        self.page.script(
            "document.querySelector('#key').value = arguments[0]; document.querySelector('form').requestSubmit()", self.service.keys["read"]
        )
        self.page.find(".shell main h1")
        self.page.settle()

    def offers_what_applies(self):
        """A view offers the filters that any of its figures take, and none else; one from elsewhere is kept, and said to wait."""
        page = self.page
        offered = lambda: page.script("return [...document.querySelectorAll(\"select[name='filter-name'] option\")].map(o => o.value).filter(Boolean)")
        asked = lambda: [name for name in ("interval", "window") if page.all(f"select[name={name}]")]
        for view, filters, controls in (
            ("overview", 21, ["interval", "window"]), ("settings", 21, ["interval", "window"]), ("tokens", 0, ["interval"]), ("experiments", 21, ["window"]),
        ):
            page.go(view)
            assert (len(offered()), asked()) == (filters, controls), f"{view}: {offered()}, {asked()}"
        page.go("settings")
        assert {"app_version", "locale", "os_version", "platform", "show_previews"} <= set(offered()), offered()
        page.go("tokens", platform="ios")
        assert page.all(".chip.off") and "does not apply" in page.find(".chip.off").get_attribute("title")
        page.go("settings", platform="ios")
        assert page.all(".chip") and not page.all(".chip.off")
