"""A tab that stays open: what moves with the time, and what stays as its reader left it."""

import datetime
import urllib.parse

import clock
import known
from viewer import CATEGORY, Viewer

# Notes what the page asks from now on, but for what it has to ask again because the service had no room. `fault` may answer a path
# in place of the service, or fail.
NOTED = """
    const actual = window.fetch;
    window.asked = [];
    window.fault = () => null;
    window.fetch = async (path, options) => {
        asked.push(String(path));
        const answer = fault(String(path)) ?? await actual(path, options);
        if (answer.status === 429) asked.splice(asked.indexOf(String(path)), 1);
        return answer;
    };
"""
# Nobody answers.
AWAY = "window.fault = () => { throw new TypeError('away'); }"
# The service gives one report up.
SLOW = """
    const problem = JSON.stringify({status: 503, code: 'timeout', detail: 'the database took too long'});
    window.fault = path => path.includes('/reports/activity') ? new Response(problem, {status: 503, headers: {'Content-Type': 'application/problem+json'}}) : null;
"""
# Keeps what the page would do after a second or more, and how much later, instead of doing it.
TIMED = """
    const actual = window.setTimeout;
    window.timers = [];
    window.setTimeout = (work, pause, ...more) => pause >= 1000 ? (timers.push({work, pause}), 0) : actual(work, pause, ...more);
"""
HIDDEN = "Object.defineProperty(document, 'hidden', {configurable: true, value: arguments[0]}); document.dispatchEvent(new Event('visibilitychange'))"
LAST_DAY = "return document.querySelector('input[name=to]')?.value"
HOUR = datetime.timedelta(hours=1)


def within_an_hour():
    """A moment that no hour ends soon after, with which hatching ends too."""
    now = clock.now()
    return now - datetime.timedelta(minutes=(now.minute - 10) % 60)


class Stays(Viewer):
    CHECKS = [
        "moves_with_the_time", "draws_the_next_day", "asks_nothing_while_nobody_looks", "goes_on_beside_a_slow_report",
        "leaves_what_is_the_same", "keeps_the_place_in_newer_figures", "leaves_a_list_that_goes_on", "draws_charts_once_it_can",
    ]

    def open_at(self, moment, view, **more):
        """Opens a view in a document whose clock says that, and notes what it asks from then on."""
        slower = self.page.command("Page.addScriptToEvaluateOnNewDocument", source=clock.SLOWER % ((clock.now() - moment) / datetime.timedelta(milliseconds=1)))
        try:
            self.page.open(view, **more)
        finally:
            self.page.command("Page.removeScriptToEvaluateOnNewDocument", identifier=slower["identifier"])
        self.page.script(NOTED)

    def refresh(self, later=datetime.timedelta()):
        """Asks again, some time later."""
        self.page.script(
            "later(arguments[0]); asked.length = 0; document.querySelector('.banner button').click()", later / datetime.timedelta(milliseconds=1)
        )

    def asked(self):
        """The reports that the page asked for, with their parameters; none whose turn comes last, as it may have come earlier."""
        paths = [path for path in self.page.script("return asked") if "/reports/" in path and "/instrumentation" not in path and "/changes" not in path]
        assert len(set(paths)) == len(paths), f"asked twice: {sorted(paths)}"
        return [(path.partition("?")[0].rpartition("/")[2], dict(urllib.parse.parse_qsl(path.partition("?")[2]))) for path in paths]

    def ends(self):
        """The moments at which what the page asked for ends, by how long before the page's own clock."""
        now = self.page.script("return Date.now()") / 1000
        moments = [parameters["to"] for _, parameters in self.asked() if "T" in parameters.get("to", "")]
        # To the quarter of an hour, as the page's clock goes on.
        return {datetime.timedelta(minutes=15 * round((now - datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()) / 900)) for text in moments}

    def moves_with_the_time(self):
        """However long the tab is open, what is compared is as old as what it is compared with."""
        page, days = self.page, lambda count: datetime.timedelta(days=count)
        start = (clock.now() - days(2)).replace(hour=20, minute=30, second=0, microsecond=0)
        try:
            self.open_at(start, "overview")
            self.refresh(later=2 * HOUR)
            page.settle()
            # The range before, and the newest day with the same of the week before.
            assert self.ends() == {days(30), HOUR, HOUR + days(7)}, self.ends()
            assert not page.all(".panel .error"), page.text("main")
            page.go("category", category=known.MOVED)
            self.refresh(later=HOUR / 2)
            page.settle()
            # And what is compared at equal age.
            assert self.ends() == {days(30), days(3), days(33)}, self.ends()
            assert {parameters["from"] for _, parameters in self.asked() if "to" not in parameters} == {(start - days(29)).date().isoformat()}, self.asked()
        finally:
            page.open("overview")

    def draws_the_next_day(self):
        """After midnight the days are those of the day, also where nobody answered at midnight."""
        page, days = self.page, lambda count: datetime.timedelta(days=count)
        start = (clock.now() - days(2)).replace(hour=23, minute=30, second=0, microsecond=0)
        says = lambda day: page.script(LAST_DAY) == day.date().isoformat()
        begins = lambda day: (day - days(29)).date().isoformat()
        had_an_hour = lambda: [parameters["from"] for _, parameters in self.asked() if parameters.get("window") == "PT1H"]
        try:
            self.open_at(start, "overview")
            assert says(start)
            self.refresh(later=HOUR)
            page.wait("the next day", lambda: says(start + days(1)))
            page.settle()
            assert {parameters["from"] for _, parameters in self.asked() if "to" not in parameters} == {begins(start + days(1))}, self.asked()
            # Nothing of the day had an hour, until it had.
            assert not had_an_hour(), had_an_hour()
            self.refresh(later=HOUR)
            page.wait("what had an hour", had_an_hour)
            page.settle()
            assert (start + days(1)).date().isoformat() in had_an_hour(), had_an_hour()
            before = self.figure("reached")
            self.service.kill()
            try:
                self.refresh(later=days(1))
                page.wait("the page says that nobody answers", lambda: page.all(".banner.away"))
                assert says(start + days(1)) and self.figure("reached") == before and page.all(".panel.stale"), page.text("main")
            finally:
                self.service.start()
            page.wait("the day after", lambda: says(start + days(2)), 60)
            page.settle()
            row = self.service.rows("engagement", by="none", **self.parameters())[0]
            assert self.figure("reached") == f"{row['reached']:,}" and not page.all(".panel.stale, .banner.away")
        finally:
            page.open("overview")
            page.console()

    def asks_nothing_while_nobody_looks(self):
        """Whether the service answers or not; whoever looks again sees what is due at once."""
        page = self.page
        try:
            self.open_at(clock.now(), "provider")
            page.script(TIMED)
            hide = lambda is_hidden: page.script(HIDDEN, is_hidden)
            asked = lambda: page.script("return asked.length")
            wake = lambda: page.script("timers.at(-1).work(); return asked.length")
            pause = lambda: page.script("return timers.at(-1)?.pause")
            self.refresh()
            page.wait("it asks again in a minute", lambda: pause() == 60_000)
            page.script("asked.length = 0")
            hide(True)
            assert not wake() and pause() == 60_000, page.script("return asked")
            hide(False)
            assert not asked(), "it is not due"
            hide(True)
            page.script("later(90000)")
            hide(False)
            assert asked(), "it is due"
            page.settle()
            page.script(AWAY)
            self.refresh()
            page.wait("the page says that nobody answers", lambda: "does not answer" in page.text(".banner.away"))
            page.wait("it asks again soon", lambda: pause() == 1000)
            page.script("asked.length = 0")
            hide(True)
            assert not wake() and pause() == 60_000, page.script("return asked")
            page.script("window.fault = () => null")
            hide(False)
            assert asked(), "whether the service is back"
            page.wait("it is back", lambda: not page.all(".banner.away, .panel.stale"))
        finally:
            page.open("overview")

    def goes_on_beside_a_slow_report(self):
        """One report that takes too long is no outage: the page says that it failed, and asks again when it always does."""
        page = self.page
        try:
            self.open_at(clock.now(), "overview")
            page.script(TIMED)
            page.script(SLOW)
            self.refresh()
            page.wait("what failed is said", lambda: page.all(".banner.away"))
            assert "could not be loaded" in page.text(".banner") and page.all(".panel.stale"), page.text(".banner")
            assert page.script("return timers.at(-1).pause") == 60_000, page.script("return timers.map(timer => timer.pause)")
            page.script("window.fault = () => null")
            self.refresh()
            page.wait("it is there", lambda: not page.all(".banner.away, .panel.stale"))
        finally:
            page.open("overview")

    def leaves_what_is_the_same(self):
        """Figures that are as they were are not drawn again, so that nothing happens to what somebody does with them."""
        page = self.page
        try:
            for view, more in (("overview", {}), ("categories", {"breakdown": "platform"})):
                self.open_at(within_an_hour(), view, **more)
                # What is asked last is not waited for.
                page.wait("all of it", lambda: not page.all("[data-late]"))
                page.script(
                    "window.nodes = [...document.querySelectorAll('.panel-body > *, .breakdown > *, .panel-words > *')];"
                    "window.held = [...document.querySelectorAll('.panel-body a')].at(-1); held.focus()"
                )
                self.refresh()
                page.settle()
                gone = page.script("return nodes.filter(node => !node.isConnected).map(node => `${node.closest('.panel')?.dataset.reports}: ${node.outerHTML.slice(0, 120)}`)")
                assert not gone, f"{view}: {gone}"
                assert page.script("return nodes.length > 2 && document.activeElement === held"), f"{view}: {page.script('return document.activeElement.outerHTML.slice(0, 120)')}"
            page.script("document.querySelector('.banner button').focus()")
            self.refresh()
            page.settle()
            page.wait("the button keeps the focus", lambda: page.script("return document.activeElement.name") == "refresh")
        finally:
            page.open("overview")

    def keeps_the_place_in_newer_figures(self):
        """Where figures changed, the focus and the part of a table that is in sight stay."""
        page = self.page
        page.size(390, 844)
        try:
            self.open_at(within_an_hour(), "categories")
            before = page.script(
                "const body = document.querySelector('.panel .panel-body'); const scroll = body.querySelector('.scroll'); window.drawn = body.querySelector('table');"
                "scroll.scrollLeft = 60; const button = [...body.querySelectorAll('button.sort')].at(-1); button.focus({preventScroll: true});"
                "document.querySelector('.panel .definitions').open = true; return [scroll.scrollLeft, button.textContent]"
            )
            assert before[0] > 0, before
            answer = self.service.post(list(known.notification("stays", "n", clock.now() - datetime.timedelta(minutes=1), True, category_id=CATEGORY)))
            page.wait("it is counted", lambda: self.counts(answer["position"]))
            self.refresh()
            page.settle()
            after = page.script(
                "return [document.querySelector('.panel .panel-body .scroll').scrollLeft, document.activeElement.textContent, drawn.isConnected, document.querySelector('.panel .definitions').open]"
            )
            assert after == [*before, False, True], (before, after)
        finally:
            page.size(1440, 900)
            page.open("overview")

    def counts(self, position):
        try:
            return self.service.get("/v1/reports/engagement", {"min_position": position})
        except OSError:
            return None

    def leaves_a_list_that_goes_on(self):
        """What further pages of a list brought stays, and the next one follows it."""
        page = self.page
        rows = lambda: len(page.all("main tbody tr"))
        try:
            self.open_at(within_an_hour(), "notifications", category=known.MOVED)
            for pages in (2, 3):
                page.find("button[name=more]").click()
                page.wait("the next page", lambda: rows() == 50 * pages)
                self.refresh()
                page.settle()
                assert rows() == 50 * pages, rows()
        finally:
            page.open("overview")

    def draws_charts_once_it_can(self):
        """Where the library of charts did not come, there are the figures, and charts with the next ones."""
        page = self.page
        page.command("Network.enable")
        page.command("Network.setBlockedURLs", urls=["*chart.min.js*"])
        try:
            page.forget()
            page.open("tokens")
            assert "did not load" in page.text(".chart") and page.all(".chart tbody tr") and not page.all("canvas"), page.text(".panels")
            page.command("Network.setBlockedURLs", urls=[])
            page.find("button[name=refresh]").click()
            page.wait("the charts", lambda: page.all("canvas"))
            page.settle()
            assert "did not load" not in page.text(".panels")
        finally:
            page.command("Network.setBlockedURLs", urls=[])
            page.open("overview")
            page.console()
