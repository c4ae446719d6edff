"""What the page says in words and figures where a report has more than a number: verdicts, releases, values, saved views and their mails."""

import datetime
import urllib.parse

import known
import own
import saved
from answers import points
from made import Made
from viewer import DEVICE, NOTIFICATION

COLUMN = "return [...document.querySelectorAll(`${arguments[0]} [data-key='${arguments[1]}']`)].map(e => e.innerText.split('\\n')[0].trim())"
# The panel of what campaigns caused, by a column that it alone has.
CAUSED = "return [...document.querySelectorAll('.panel')].find(panel => panel.querySelector('[data-key=crossed]'))"


class Told(Made):
    CHECKS = [
        "says_what_became_of_one", "names_a_release_that_hears_less", "shows_what_conversions_are_worth", "says_what_chance_does", "says_which_outcomes_are_to_come", "watches_any_row", "shows_a_view_in_words", "mails_a_view",
    ]

    def says_what_became_of_one(self):
        page = self.page
        page.go("notification", device=DEVICE, id=NOTIFICATION)
        path = "/".join(urllib.parse.quote(part, safe="") for part in (DEVICE, NOTIFICATION))
        answer = self.service.get(f"/v1/notifications/{path}/verdict")
        assert page.text("p.verdict") == "The last known link is “Response”: The person opened it.", page.text("p.verdict")
        assert page.find("p.verdict").get_attribute("data-outcome") == answer["outcome"], answer
        shown = page.script("return [...document.querySelectorAll('tbody [data-key=evidence]')].map(e => e.innerText)")
        assert len(shown) == len(answer["links"]) and any(link["evidence"] for link in answer["links"]), answer
        for text, link in zip(shown, answer["links"]):
            positions = [str(one) for one in link["evidence"] if isinstance(one, int)]
            assert f"at {', '.join(positions)}" in text if positions else "at " not in text, (text, link)
            assert (text.strip() == "–") == (not link["evidence"]), (text, link)

    def names_a_release_that_hears_less(self):
        page = self.page
        # Until it is there, the view that is whole without it says that it is awaited.
        page.script("window.awaited = false; new MutationObserver(() => { window.awaited ||= Boolean(document.querySelector('[data-late]')) }).observe(document.body, {childList: true, subtree: true})")
        page.go("overview")
        row = next(one for one in self.service.rows("instrumentation", **self.parameters(limit=200)) if one["app_version"] == known.VERSIONS[1])
        assert (row["version_before"], row["verdict"]) == (known.VERSIONS[0], "tracking"), row
        note = f"Tracking changed with {known.VERSIONS[1]}: something is recorded worse than with {known.VERSIONS[0]}"
        # The view is whole without it.
        page.wait("what is asked last", lambda: page.script("return document.querySelector('.notes')?.innerText.includes(arguments[0])", note))
        assert page.script("return window.awaited") and not page.all("[data-late]")
        asked = page.script("return performance.getEntriesByType('resource').map(one => decodeURIComponent(one.name)).filter(name => name.includes('reports/changes'))")
        assert any(f"attribute.{own.KEY}" in name for name in asked), asked
        page.script("[...document.querySelectorAll('.notes a')].find(a => a.innerText === arguments[0]).click()", note)
        page.wait("the instruments", lambda: page.text("h1") == "Extensions")
        page.settle()
        # Shares differ by points, times by time.
        small = lambda key: page.script("return [...document.querySelectorAll(`tbody [data-key=${arguments[0]}] .small`)].map(e => e.innerText)", key)
        assert any(" pp" in text for text in small("delivery_observed_rate")), small("delivery_observed_rate")
        assert not any(" pp" in text for key in ("settings_age_p50", "late_p50", "late_p99") for text in small(key)), small("late_p99")
        longer = lambda seconds: page.script(
            "const [seconds] = arguments; const main = document.querySelector('script[type=module]').src;"
            "return import(new URL('../text/format.js', main)).then(words => words.longer(seconds))", seconds
        )
        assert [longer(one) for one in (0.03, -0.4, 2.04, -5400)] == ["+30 ms", "-400 ms", "+2 secs", "-1.5 hrs"]

    def shows_what_conversions_are_worth(self):
        page = self.page
        page.go("outcomes", currencies="apart")
        rows = self.service.rows("outcomes", by="campaign", currencies="apart", **self.parameters(limit=200))
        assert {"EUR", "JPY"} <= {row["currency"] for row in rows}, rows
        # Of a currency, campaigns in which nothing was have no row.
        counts = ("conversions", "baseline_before_converted", "baseline_after_converted")
        rows = [row for row in rows if not row["currency"] or any(row[name] for name in counts)]
        texts = page.column("outcomes", "value")
        digits = lambda text: None if text == "–" else int("".join(c for c in text if c.isdigit()))
        assert sorted(map(str, map(digits, texts))) == sorted(str(row["value"]) for row in rows), (texts, rows)
        assert "€259.97" in texts and any(text.endswith("2,000") and "¥" in text for text in texts), texts
        page.go("outcomes")
        ways = lambda: page.script(
            "return [...document.querySelectorAll('tbody [data-key=value] a')].map(a => { const row = a.closest('tr'); return ['campaign', 'conversion'].map(key => row.querySelector(`[data-key=${key}]`).innerText) })"
        )
        about = lambda row: [row["campaign"], row["conversion"]]
        in_currencies = [about(row) for row in rows if row["currency"] and row["conversions"]]
        unsummed = [about(row) for row in self.service.rows("outcomes", **self.parameters(limit=200)) if row["campaign"] and row["conversions"] and row["value"] is None]
        several = [one for one in unsummed if one in in_currencies]
        assert [known.HELD, known.BOUGHT] in several and len(several) < len(unsummed), (several, unsummed)
        # What has no amount has none in any currency.
        page.wait("ways to each currency, and no others", lambda: sorted(ways()) == sorted(several))
        lifted = {row["campaign"]: row for row in self.service.rows("outcomes", conversion=known.BOUGHT, **self.parameters(limit=200)) if row["held_out_devices"]}
        row = lifted[known.HELD]
        assert row["reachable_devices"] and row["unreachable_devices"] and row["crossed"], row
        page.choose("conversion", known.BOUGHT)
        page.wait("the conversion", lambda: page.address()[1].get("conversion") == [known.BOUGHT])
        page.settle()
        assert set(page.column("outcomes", "conversion")) == {known.BOUGHT}, page.column("outcomes", "conversion")
        shown = page.script(
            f"const panel = ({CAUSED.removeprefix('return ')});"
            "return [...panel.querySelectorAll('tbody tr')].map(row => ['campaign', 'lift', 'reachable_lift', 'unreachable_lift', 'crossed'].map(key => row.querySelector(`[data-key=${key}]`).innerText.split('\\n')[0].trim()))"
        )
        expected = [known.HELD, *(points(row[key]) for key in ("lift", "reachable_lift", "unreachable_lift")), str(row["crossed"])]
        assert expected in shown, (shown, expected)

    def says_what_chance_does(self):
        """Of many p some are small by chance; and what few devices held out say is marked."""
        page = self.page
        page.go("outcomes")
        rows = [row for row in self.service.rows("outcomes", **self.parameters(limit=200)) if row["held_out_assigned"]]
        tested = [row["lift_p"] for row in rows if row["lift_p"] is not None]
        small = sum(p < 0.05 for p in tested)
        said = page.script(f"return ({CAUSED.removeprefix('return ')}).querySelector('.panel-body > .about').innerText")
        assert small and said.startswith(f"{small} of {len(tested)} differences have a p below 0.05."), (said, tested)
        chance = float(said.partition("about ")[2].split()[0])
        assert abs(chance - len(tested) * 0.05) < 0.051, said
        marked = page.script(
            f"return [...({CAUSED.removeprefix('return ')}).querySelectorAll('tbody tr')].map(row => [row.querySelector('[data-key=campaign]').innerText, Boolean(row.querySelector('[data-key=held_out_devices] .badge'))])"
        )
        expected = [[row["campaign"], row["lift"] is not None and row["held_out_devices"] < 30] for row in rows]
        assert sorted(marked) == sorted(expected), (marked, expected)
        assert [known.SCANT, True] in marked and [known.HELD, False] in marked, marked

    def says_which_outcomes_are_to_come(self):
        """What came of a campaign still grows while its time to respond runs, whenever the app's first conversion of a name was."""
        page = self.page
        page.go("outcomes")
        rows = {row["campaign"]: row for row in self.service.rows("outcomes", **self.parameters(limit=200)) if row["conversion"] == known.RENEWED}
        assert rows["even"]["baseline_after_devices"] == 0 and known.RENEWED in rows, rows
        marked = page.script(
            "return Object.fromEntries([...document.querySelectorAll('tbody tr')].filter(row => row.querySelector('[data-key=direct_rate]') && row.querySelector('[data-key=conversion]').innerText === arguments[0])"
            ".map(row => [row.querySelector('[data-key=campaign]').innerText, Boolean(row.querySelector('[data-key=direct_rate] .badge'))]))",
            known.RENEWED,
        )
        assert marked["even"] is False and marked[known.HELD] is False and marked[known.RENEWED] is True, marked

    def watches_any_row(self):
        self.run_as_admin(self.watch_a_row)

    def watch_a_row(self):
        """Rows that a class or whether they are attributed tells apart are judged like any other."""
        page = self.page
        page.open("alerts")
        page.find("button[name=add]").click()
        self.set("report", "reachability")
        assert "each Category, Class by itself" in page.text(".rule-words"), page.text(".rule-words")
        self.set("report", "opt_outs")
        assert "each Category, Attributed to a notification by itself" in page.text(".rule-words"), page.text(".rule-words")
        self.set("test", ">")
        self.set("metric", "opt_outs")
        self.set("bound", "0.5")
        self.set("name", "opt-outs")
        self.send()
        page.wait("what it says", lambda: page.all("dialog .tried, dialog .empty"))
        assert self.rules()["opt-outs"]["when"] == "opt_outs > 0.5", self.rules()
        self.leave()
        self.service.post({}, "admin", "/v1/alert_rules/opt-outs", method="DELETE")

    def shows_a_view_in_words(self):
        page = self.page
        page.go("saved", name=saved.NAME)
        rows = self.service.rows("engagement", **saved.VIEW["parameters"])
        assert page.script(COLUMN, "tbody", "engagement_rate") == ["–" if row["engagement_rate"] is None else f"{self.exact(row['engagement_rate'])}%" for row in rows]
        heads = page.script("return [...document.querySelectorAll('thead th')].map(e => e.innerText.trim())")
        assert {"Category", "Reached", "Engagement", "Median response", "Dismissed", "Dismissed, share"} <= set(heads), heads
        assert len(set(heads)) == len(heads), heads
        dismissed = page.script(COLUMN, "tbody", "dismiss_rate")
        assert dismissed == ["–" if row["dismiss_rate"] is None else f"≥ {self.exact(row['dismiss_rate'])}%" for row in rows] and any("≥" in text for text in dismissed), dismissed
        # The last thirty days, whose dates only the answer tells.
        answer = self.service.get("/v1/reports/engagement", saved.VIEW["parameters"])["parameters"]
        day = lambda name: datetime.datetime.fromisoformat(answer[name].replace("Z", "+00:00"))
        written = [f"{one.day} {one:%b} {one.year}" for one in (day("from"), day("to"))]
        # "Sept" is how British dates have it.
        assert page.text("[data-days]").replace("Sept ", "Sep ") == f"{written[0]} – {written[1]} (UTC)", (page.text("[data-days]"), written)

    def exact(self, value):
        """A percentage of four digits that count, and no fewer after the point than others have."""
        number = float(f"{value:.4g}") * 100
        least = 2 if value and abs(value) < 0.01 else 1
        text = f"{number:.6f}".rstrip("0")
        return text + "0" * max(0, least - len(text.partition(".")[2]))

    def mails_a_view(self):
        self.run_as_admin(self.mail)

    def mail(self):
        page = self.page
        page.open("saved")
        page.find(".panel button[name=mail]").click()
        page.find("dialog")
        self.set("mail", "team@example.com")
        self.set("weekday", "tuesday")
        self.set("at", "07:30")
        self.send()
        page.wait("it is added", lambda: "Every Tuesday at 07:30" in page.text("dialog"))
        # The service of these checks has nothing to send mails by.
        assert "mail is not delivered without mail.host" in page.text("dialog [data-warning]"), page.text("dialog")
        self.leave()
        digest, = self.service.get("/v1/digests")["digests"]
        assert (digest["view"], digest["every"], digest["weekday"], digest["at"], digest["receiver"]) == (saved.NAME, "week", "tuesday", "07:30", "mailto:team@example.com"), digest
        row = f"tr[data-row='{digest['id']}']"
        page.wait("it is listed", lambda: "Every Tuesday at 07:30 (UTC)" in page.text(row))
        # It is made when that is asked for, and nobody gets it.
        page.script("document.querySelector(arguments[0]).click()", f"{row} button[name=send]")
        page.wait("the question", lambda: page.all("dialog"))
        self.send()
        page.wait("the form is gone", lambda: not page.all("dialog"))
        page.wait("it was tried", lambda: (self.service.get("/v1/digests")["digests"][0]["last_error"] or "").startswith("not delivered: "))
        page.go("saved")
        assert "no mail server is set: set mail.host" in page.text(row), page.text(row)
        page.script("document.querySelector(arguments[0]).click()", f"{row} button[name=end]")
        page.wait("the question", lambda: page.all("dialog"))
        self.send()
        page.wait("it is gone", lambda: not self.service.get("/v1/digests")["digests"] and not page.all(row))
        page.wait("the form too", lambda: not page.all("dialog"))
        # Of what a digest refuses, none is offered.
        self.service.post({"report": "opt_outs", "parameters": {}}, "admin", "/v1/views/apart", method="PUT")
        page.go("saved", name="apart")
        assert not page.all("button[name=mail]")
        self.service.post({}, "admin", "/v1/views/apart", method="DELETE")
