"""What is made and removed on the page with a key of scope admin: rules of alerts, annotations and saved views."""

import datetime
import urllib.parse

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import clock
import known
import raised
import saved
from viewer import CATEGORY, Viewer

DIALOG = "document.querySelector('dialog')"
MAKING = ".watch, button[name=save], button[name=note], button[name=add], button[name=remove], button[name=resolve]"
# Whether nothing of the page or the form lies beyond a phone, but for what is scrolled.
FITS = """return document.documentElement.scrollWidth <= 390 && [...document.querySelectorAll('dialog, dialog *')]
  .every(e => e.closest('.scroll') || e.matches('option') || e.getBoundingClientRect().right <= 391)"""


class Made(Viewer):
    CHECKS = ["lets_a_reader_make_nothing", "watches_a_figure", "resolves_an_alert", "annotates_where_it_is_clicked", "annotates_by_keyboard", "saves_a_view", "makes_in_a_form_for_all"]

    def sign_in(self, scope):
        self.page.script("sessionStorage.setItem('notilog.key', arguments[0])", self.service.keys[scope])

    def run_as_admin(self, work):
        self.sign_in("admin")
        try:
            work()
        finally:
            # A check that failed leaves its form behind.
            self.page.script("document.querySelector('dialog')?.close()")
            self.sign_in("read")
            self.page.open("overview")

    def set(self, name, value):
        """Fills in a field of the form, as a person does: the form hears of it."""
        self.page.script(
            f"const field = {DIALOG}.querySelector(`[name='${{arguments[0]}}']`); field.value = arguments[1];"
            "for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, {bubbles: true}))",
            name, value,
        )

    def value(self, name):
        return self.page.script(f"return {DIALOG}.querySelector(`[name='${{arguments[0]}}']`).value", name)

    def send(self):
        self.page.script(f"{DIALOG}.querySelector('form').requestSubmit()")

    def leave(self):
        self.page.script(f"{DIALOG}.querySelector('button[name=leave]').click()")
        self.page.wait("the form is gone", lambda: not self.page.all("dialog"))

    def rules(self):
        return {rule["name"]: rule for rule in self.service.get("/v1/alert_rules")["rules"]}

    def lets_a_reader_make_nothing(self):
        for view, more in (("overview", {}), ("category", {"category": CATEGORY}), ("provider", {}), ("alerts", {}), ("saved", {})):
            self.page.go(view, **more)
            assert not self.page.all(MAKING), f"{view}: {[e.get_attribute('outerHTML') for e in self.page.all(MAKING)]}"
        self.page.go("alerts")
        assert "key of scope admin" in self.page.text(".panels > .about"), self.page.text(".panels")
        # What a rule says, a reader may see.
        self.page.find("button[name=try]").click()
        self.page.wait("what it says", lambda: self.page.all(".tried, dialog .empty"))
        self.leave()

    def watches_a_figure(self):
        self.run_as_admin(self.watch)

    def watch(self):
        page = self.page
        # A name as long as one may be stays within the form.
        page.open("category", category=known.LONGEST)
        page.find("[data-figure=engagement_rate] .watch").click()
        page.wait("the name", lambda: known.LONGEST in page.text(".rule-words"))
        assert page.script(f"return {DIALOG}.scrollWidth <= {DIALOG}.clientWidth"), page.script(f"return {DIALOG}.scrollWidth")
        self.leave()
        page.open("category", category=CATEGORY, window="P1D", platform="ios")
        page.find("[data-figure=engagement_rate] .watch").click()
        page.find("dialog")
        # It is about this view, and goes with it.
        page.script("location.hash += '&visit=another'")
        page.wait("the form is gone", lambda: not page.all("dialog"))
        page.settle()
        page.find("[data-figure=engagement_rate] .watch").click()
        page.find("dialog")
        assert self.value("metric") == "engagement_rate" and self.value("window") == "P1D", page.text("dialog")
        words = page.text(".rule-words")
        assert "“Engagement” is lower than usual" in words and f"Category: {CATEGORY} · Platform: ios" in words, words
        assert "fewer than 100" in words and "1 day and an hour after its end" in words and "three weeks" in words, words
        self.set("test", ">")
        self.set("bound", "0.5")
        self.set("volume", "1")
        assert "is above 0.50%" in page.text(".rule-words") and "fewer than 1 are" in page.text(".rule-words"), page.text(".rule-words")
        # What the service refuses is said, and what was filled in stays.
        self.set("receivers", "ftp://nobody")
        self.send()
        page.wait("why not", lambda: "a receiver is" in page.text("dialog .error-text"))
        self.set("receivers", "mailto:ops@example.com")
        name = self.value("name")
        self.send()
        page.wait("what it says", lambda: page.all("dialog .tried, dialog .empty"))
        rule = self.rules()[name]
        asked = {"by": ["none"], "category": [CATEGORY], "platform": ["ios"], "tz": ["UTC"], "window": ["P1D"]}
        assert (rule["report"], rule["parameters"], rule["when"], rule["least_volume"]) == ("engagement", asked, "engagement_rate > 0.005", 1), rule
        assert rule["receivers"] == ["mailto:ops@example.com"], rule
        self.leave()
        page.console()
        # Of a day that is chosen, the rule says what the service says.
        page.go("alerts")
        day = (clock.today() - datetime.timedelta(days=4)).isoformat()
        row = f"tr[data-row='{name}']"
        page.script("document.querySelector(arguments[0]).click()", f"{row} button[name=try]")
        page.wait("the newest day", lambda: self.value("day"))
        assert self.value("day") == page.script("return document.querySelector('dialog [name=day]').max"), "no later day is offered"
        # One that is not over has no verdict yet.
        self.set("day", clock.today().isoformat())
        page.wait("why not", lambda: "has no verdict before" in page.text("dialog .panel-body .error-text"))
        self.set("day", day)
        cells = self.service.get(f"/v1/alert_rules/{urllib.parse.quote(name, safe='')}/test", {"day": day})["cells"]
        page.wait("what it says of that day", lambda: day in page.text(".tried"))
        shown = page.script("return [...document.querySelectorAll('.tried tbody tr')].map(row => [row.dataset.verdict, row.children[2].innerText])")
        assert shown == [[cell["verdict"], f"{cell['volume']:,}"] for cell in cells] and len(cells) == 1, (shown, cells)
        self.leave()
        page.console()
        page.script("document.querySelector(arguments[0]).click()", f"{row} button[name=remove]")
        page.wait("the question", lambda: name in page.text("dialog"))
        self.send()
        page.wait("the rule is gone", lambda: name not in self.rules() and not page.all(row))
        page.wait("the form too", lambda: not page.all("dialog"))
        assert raised.NAME in self.rules()
        # Without a figure to begin with, the report is chosen.
        page.find("button[name=add]").click()
        # Its figures have names of their own, of which the engagement rate is the first choice.
        self.set("report", "funnel")
        self.set("report", "engagement")
        figures = page.script(f"return [...{DIALOG}.querySelector('[name=metric]').options].map(o => o.innerText)")
        assert self.value("metric") == "engagement_rate" and "Dismissed, share" in figures and len(set(figures)) == len(figures), figures
        self.set("report", "push_results")
        assert "each Provider, Status, Reason by itself" in page.text(".rule-words"), page.text(".rule-words")
        self.set("test", "rises")
        self.set("metric", "share")
        self.set("name", "refused pushes")
        self.send()
        page.wait("it is added", lambda: "refused pushes" in self.rules())
        assert (self.rules()["refused pushes"]["parameters"], self.rules()["refused pushes"]["when"]) == ({"tz": ["UTC"]}, "share rises")
        page.wait("what it says", lambda: page.all("dialog .tried, dialog .empty"))
        self.leave()
        self.service.post({}, "admin", "/v1/alert_rules/refused%20pushes", method="DELETE")
        # From a row of a table, the rule is of that row alone.
        page.go("categories")
        page.find("tbody th .watch").click()
        page.find("dialog")
        first = page.script("return document.querySelector('tbody th a').innerText")
        assert f"everything together · Category: {first}" in page.text(".rule-words"), page.text(".rule-words")
        self.leave()

    def resolves_an_alert(self):
        self.run_as_admin(self.resolve)

    def resolve(self):
        page = self.page
        page.open("alerts")
        page.find("button[name=resolve]").click()
        page.wait("the question", lambda: "the usual one" in page.text("dialog"))
        self.send()
        page.wait("it is resolved", lambda: not page.all("button[name=resolve]") and not page.all("dialog"))
        assert not self.service.get("/v1/alerts", {"open": "true"})["alerts"]

    def noted(self):
        return {one["label"]: one for one in self.service.get("/v1/annotations")["annotations"]}

    def annotates_where_it_is_clicked(self):
        self.run_as_admin(self.annotate)

    def annotate(self):
        page = self.page
        # A zone that is not the browser's, nor UTC.
        page.open("overview", tz="Asia/Kolkata")
        before = self.noted()
        place = page.script(
            "const canvas = document.querySelector('canvas'); canvas.scrollIntoView({block: 'center'}); const chart = Chart.getChart(canvas);"
            "const {left, right, top, bottom} = chart.chartArea; const width = (right - left) / 30; const box = canvas.getBoundingClientRect();"
            # Three quarters into the twentieth day.
            "return [canvas, left + width * 19.75 - box.width / 2, (top + bottom) / 2 - box.height / 2]"
        )
        ActionChains(page.driver).move_to_element_with_offset(place[0], place[1], place[2]).click().perform()
        page.find("dialog")
        today = (clock.now() + datetime.timedelta(hours=5, minutes=30)).date()
        day, time = self.value("at").split("T")
        assert day == (today - datetime.timedelta(days=10)).isoformat() and abs(int(time[:2]) - 18) <= 3, (day, time)
        self.set("label", "prices changed")
        self.set("at", f"{day}T18:15")
        self.send()
        page.wait("the form is gone", lambda: not page.all("dialog"))
        noted = self.noted()
        assert noted.keys() - before.keys() == {"prices changed"}, noted
        at = datetime.datetime.fromisoformat(noted["prices changed"]["at"])
        assert at == datetime.datetime.fromisoformat(f"{day}T18:15:00+05:30"), at
        # The chart has it, on that day.
        rows = page.wait("it is drawn", lambda: page.script(
            "const values = document.querySelector('details.values'); values.open = true; values.dispatchEvent(new Event('toggle'));"
            "const rows = [...values.querySelectorAll('tbody tr')]; const found = rows.map(row => row.innerText.includes('prices changed'));"
            "return found.includes(true) ? found : null"
        ))
        assert [index for index, is_there in enumerate(rows) if is_there] == [19], rows
        page.find("button[name=note]").click()
        page.find("[data-note='prices changed'] button").click()
        page.wait("it is gone", lambda: "prices changed" not in self.noted() and not page.all("[data-note='prices changed']"))
        self.leave()
        assert self.noted().keys() == before.keys()

    def annotates_by_keyboard(self):
        self.run_as_admin(self.annotate_by_keyboard)

    def annotate_by_keyboard(self):
        page = self.page
        page.open("provider")
        button = page.find("button[name=note]")
        page.script("arguments[0].focus()", button)
        button.send_keys(Keys.ENTER)
        page.find("dialog")
        assert page.script("return document.activeElement.name") == "label"
        page.driver.switch_to.active_element.send_keys("incident", Keys.ENTER)
        page.wait("the form is gone", lambda: not page.all("dialog"))
        page.wait("it is noted", lambda: "incident" in self.noted())
        age = clock.now() - datetime.datetime.fromisoformat(self.noted()["incident"]["at"])
        assert datetime.timedelta() <= age < datetime.timedelta(minutes=3), age
        # What was drawn anew takes the focus with it, and Escape leaves the form.
        page.wait("the focus", lambda: page.script("return document.activeElement.matches('.panel')"))
        page.find("button[name=note]").send_keys(Keys.ENTER)
        page.find("dialog")
        page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        page.wait("the form is gone", lambda: not page.all("dialog"))
        assert page.script("return document.activeElement.name") == "note"
        self.service.post({}, "admin", f"/v1/annotations/{self.noted()['incident']['id']}", method="DELETE")

    def saves_a_view(self):
        self.run_as_admin(self.save)

    def save(self):
        page = self.page
        page.open("categories", platform="ios", window="P1D")
        page.find("button[name=save]").click()
        page.find("dialog")
        self.set("name", saved.NAME)
        page.wait("it says what is replaced", lambda: "is replaced" in page.text("dialog"))
        self.set("name", "ios/categories")
        page.wait("nothing is replaced", lambda: "is replaced" not in page.text("dialog"))
        self.send()
        link = page.find("dialog p a")
        kept = self.service.get("/v1/views/ios%2Fcategories")
        assert (kept["report"], kept["parameters"]) == ("engagement", {"by": ["category"], "from": ["P30D"], "platform": ["ios"], "tz": ["UTC"], "window": ["P1D"]}), kept
        page.script("arguments[0].click()", link)
        page.wait("its page, without the form", lambda: page.text("h1") == "ios/categories" and not page.all("dialog"))
        page.settle()
        rows = self.service.get("/v1/views/ios%2Fcategories/report")["rows"]
        texts = page.script("return [...document.querySelectorAll('tbody [data-key=reached]')].map(c => c.innerText)")
        assert texts == [f"{row['reached']:,}" for row in rows] and texts, (texts, rows)
        page.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.find("button[name=copy]").click()
        page.wait("it is copied", lambda: "Copied" in page.text(".acts"))
        copied = page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
        page.driver.get("about:blank")
        page.driver.get(copied)
        page.wait("its page, by its link", lambda: page.text("h1") == "ios/categories")
        page.settle()
        # Days that do not move are saved with it.
        page.go("category", category=CATEGORY, **{"from": "2026-01-01", "to": "2026-02-01", "last": ""})
        page.find("button[name=save]").click()
        page.find("dialog")
        assert self.value("days") == "fixed"
        self.set("name", "january")
        self.send()
        page.find("dialog p a")
        kept = self.service.get("/v1/views/january")["parameters"]
        assert (kept["from"], kept["to"]) == (["2026-01-01"], ["2026-02-01"]), kept
        self.leave()
        for name in ("ios/categories", "january"):
            page.go("saved")
            page.script("document.querySelector(arguments[0]).click()", f"tr[data-row='{name}'] button[name=remove]")
            page.wait("the question", lambda: name in page.text("dialog"))
            self.send()
            page.wait("it is gone", lambda: not page.all(f"tr[data-row='{name}']") and not page.all("dialog"))
        assert [view["name"] for view in self.service.get("/v1/views")["views"]] == list(saved.VIEWS)

    def makes_in_a_form_for_all(self):
        """With what an admin has, views and forms fit a phone and can be used by all, in light and dark."""
        self.run_as_admin(self.look)

    def look(self):
        page = self.page
        forms = [("overview", ".watch"), ("overview", "button[name=note]"), ("alerts", "button[name=add]"), ("alerts", "button[name=try]"), ("saved", "button[name=remove]")]
        page.open("overview")
        problems = []
        for view, opener in forms:
            page.go(view)
            page.size(390, 844)
            page.script("document.querySelector(arguments[0]).click()", opener)
            page.find("dialog")
            page.wait(f"{opener} fits", lambda: page.script(FITS), 5)
            problems += [f"{view}, {opener}: {found}" for found in page.axe(self.axe)]
            page.scheme("dark")
            problems += [f"{view}, {opener}, dark: {found}" for found in page.axe(self.axe, ["color-contrast"])]
            page.scheme("light")
            page.size(1440, 900)
            self.leave()
        assert not problems, "\n".join(problems)
        assert not page.console()
