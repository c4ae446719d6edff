"""Figures and charts that must not mislead: what they are of, how sure they are, and where there are none."""

import datetime

import known
from viewer import Viewer

CHARTS = """return [...document.querySelectorAll('canvas')].map(canvas => {
  const chart = Chart.getChart(canvas);
  const rows = [...canvas.closest('.chart').querySelectorAll('.values tbody tr')];
  return {
    name: canvas.ariaLabel, labels: chart.data.labels, legend: canvas.closest('.chart').querySelector('.legend')?.innerText ?? '',
    series: chart.data.datasets.filter(one => !one.isEdge).map(one => ({
      values: one.data, type: one.type, line: one.showLine !== false, gaps: one.spanGaps !== true, radius: one.pointRadius,
    })),
    hatched: rows.map(row => 'hatched' in row.dataset), rows: rows.map(row => row.innerText), panel: canvas.closest('.panel').innerText,
  };
})"""


class Figures(Viewer):
    CHECKS = [
        "says_one_thing_by_one_name", "keeps_empty_intervals", "hatches_what_is_not_complete", "draws_intervals_of_single_points",
        "shades_hours_by_what_is_sure", "judges_experiments", "judges_what_does_not_vary", "doubts_what_hardly_varies", "takes_another_split", "draws_frequency_with_its_doubts",
        "counts_changes_of_new_devices", "bounds_its_rows", "leaves_room_beside_a_long_name", "keeps_the_order_beside_a_reversed_name", "shows_a_name_of_nothing",
    ]

    def charts(self):
        """Every chart of the view by what it shows, its values among them."""
        self.page.script("document.querySelectorAll('details.values').forEach(e => { e.open = true })")
        self.page.wait("values", lambda: not self.page.script("return [...document.querySelectorAll('details.values tbody')].some(e => !e.children.length)"))
        return {chart["name"]: chart for chart in self.page.script(CHARTS)}

    def chart(self, words):
        return next(chart for name, chart in self.charts().items() if words in name)

    def number(self, text):
        return int("".join(c for c in text.split(" ")[0] if c.isdigit()))

    def says_one_thing_by_one_name(self):
        """What stands by one name on a page is one figure; and what a rate divides stands beside it."""
        page = self.page
        page.go("overview")
        row = self.service.rows("engagement", by="none", **self.parameters())[0]
        within, reached = self.number(self.figure("responded")), self.number(self.figure("reached"))
        assert reached == row["reached"] and within < row["responded"], (within, row["responded"])
        assert f"{within / reached * 100:.1f}%" == self.figure("engagement_rate"), (within, reached)
        said = page.text("[data-figure='engagement_rate']")
        assert f"{within:,} of {reached:,}" in said, said
        assert f"{row['responded']:,} at any time" in page.text("[data-figure='responded']")
        # Of the funnel's stages, those that have the name of a figure say of what they are, and how they come to it.
        for stage, whole in (("reached", row["reached"]), ("responded", row["responded"])):
            text = page.text(f"[data-stage='{stage}']")
            assert text.startswith("Requested and ") and f"{whole:,} in all" in text, text
            head = page.text(f"[data-stage='{stage}'] .funnel-head").split("\n")[-1]
            count, share = head.split(" · ")
            asked = self.number(page.text("[data-stage='requested'] b"))
            assert f"{self.number(count) / asked * 100:.1f}%" == share, head
        # A share is of the count beside it, whatever the time to respond.
        page.go("overview", window="PT1H")
        count, share = page.text("[data-stage='responded'] .funnel-head").split("\n")[-1].split(" · ")
        asked = self.number(page.text("[data-stage='requested'] b"))
        assert f"{self.number(count) / asked * 100:.1f}%" == share, (count, share)
        page.go("overview")
        labels = page.script("return [...document.querySelectorAll('.figure dt, .funnel strong, tr[data-row] > th')].map(e => e.innerText)")
        assert len(set(labels)) == len(labels), f"twice: {sorted(labels)}"
        assert "people" not in page.script("return document.querySelector('main').innerText").lower()

    def keeps_empty_intervals(self):
        """Days without anything have their place, and no line crosses them."""
        self.page.go("category", category=known.RARE)
        chart = self.chart("Engagement rate over time")
        assert len(chart["labels"]) == 30, chart["labels"]
        values = chart["series"][0]["values"]
        there = [29 - days for days in known.RARE_DAYS]
        assert [i for i, value in enumerate(values) if value is not None] == there, values
        assert chart["series"][0]["gaps"] and len(chart["rows"]) == 30
        self.page.go("overview", category=known.RARE, interval="week")
        reached = [sum(values) for values in zip(*(one["values"] for one in self.chart("Reached notifications")["series"]))]
        assert len(reached) in (5, 6) and reached.count(0) >= 2 and sum(reached) == sum(known.RARE_DAYS.values()), reached

    def hatches_what_is_not_complete(self):
        """The day under way; and weeks of which a part lies outside of the range."""
        self.page.go("overview")
        for words in ("Reached notifications", "Engagement rate"):
            chart = self.chart(words)
            assert chart["hatched"] == [False] * 29 + [True] and "Not complete" in chart["legend"], chart["hatched"]
        first = known.monday() - datetime.timedelta(days=10)
        self.page.go("overview", **{"from": first.date().isoformat(), "to": (known.monday() + datetime.timedelta(days=7)).date().isoformat(), "interval": "week"})
        chart = self.chart("Reached notifications")
        assert chart["hatched"] == [True, False, False], (chart["labels"], chart["hatched"])
        assert "not complete" in chart["rows"][0].lower()

    def draws_intervals_of_single_points(self):
        """Where no band leads to a point, its interval is drawn at it: there is ink above and below it."""
        self.page.go("category", category=known.RARE)
        drawn = self.page.script("""
            const canvas = [...document.querySelectorAll('canvas')].find(c => c.ariaLabel.startsWith('Engagement rate over time'));
            const chart = Chart.getChart(canvas), ratio = chart.currentDevicePixelRatio, one = chart.data.datasets[0];
            const at = one.data.findIndex(value => value !== null);
            const [low, high] = ['low', 'high'].map(name => chart.data.datasets.find(set => set.label === name).data[at]);
            const x = chart.scales.x.getPixelForValue(at);
            // A copy to read, as the canvas itself is one to draw on.
            const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height}).getContext('2d', {willReadFrequently: true});
            copy.drawImage(canvas, 0, 0);
            const ink = value => copy.getImageData(Math.round(x * ratio), Math.round(chart.scales.y.getPixelForValue(value) * ratio), 1, 1).data[3];
            return {radius: one.pointRadius[at], above: ink((one.data[at] + high) / 2), below: ink((one.data[at] + low) / 2), beyond: ink(low / 2), low, high};
        """)
        assert drawn["radius"] > 0 and drawn["above"] and drawn["below"] and not drawn["beyond"], drawn

    def shades_hours_by_what_is_sure(self):
        """Seventeen notifications do not set the scale of thousands; none is not the same as a few."""
        self.page.go("category", category=known.HOURS)
        level = lambda hour: self.page.script("return document.querySelector(arguments[0]).className", f"[data-cell='1 {hour}']").split("level-")[1]
        assert (level(8), level(7)) == ("5", "3"), f"{level(8)}, {level(7)}: 8 % and 5 %"
        assert (level(10), level(11)) == ("few", "nothing"), (level(10), level(11))
        assert level(9) == "5" and "8.0% and more" in self.page.text(".heat-key"), self.page.text(".heat-key")
        looks = [self.page.script("const s = getComputedStyle(document.querySelector(arguments[0])); return s.background + s.boxShadow", f"[data-cell='1 {hour}']") for hour in (10, 11)]
        assert looks[0] != looks[1]
        # When to send, of the whole app: at each hour of each weekday what reached devices, whatever its category.
        self.page.go("categories")
        rows = [row for row in self.service.rows("heatmap", clock="device", **self.parameters()) if row["weekday"] is not None and row["reached"]]
        said = self.page.script("return Object.fromEntries([...document.querySelectorAll('[data-cell]')].map(e => [e.dataset.cell, e.title]))")
        assert len(said) == 7 * 24 and len(rows) > len(known.AT_HOURS), rows
        assert all(said[f"{row['weekday']} {row['hour']}"].startswith(f"{row['reached']:,} reached,") for row in rows), (said, rows)
        self.page.go("category", category=known.HOURS)
        self.page.size(390, 844)
        narrow = self.page.script("return [...document.querySelectorAll('td.heat')].filter(e => e.getBoundingClientRect().width < 12).length")
        self.page.size(1440, 900)
        assert not narrow, f"{narrow} hours are not to be seen on a phone"

    def judged(self, category=known.TRIAL, **more):
        self.page.go("experiments", category=category, by="campaign", **more)
        self.page.script("document.querySelectorAll('.group details').forEach(e => { e.open = true })")
        found = self.page.script(
            "return [...document.querySelectorAll('.group')].map(group => [group.querySelector('h3').innerText, group.innerText,"
            " Object.fromEntries([...group.querySelectorAll('tr[data-row]')].map(row => [row.dataset.row, [row.dataset.verdict ?? '',"
            " row.querySelector('td:last-child').innerText.trim(), row.querySelector('td:last-child .badge')?.className ?? '']]))])"
        )
        return {name: (text, rows) for name, text, rows in found}

    def judges_experiments(self):
        """Worse is not a success, and where devices were not shared out as meant nothing is said."""
        groups = self.judged()
        text, rows = groups["even"]
        assert {name: row[0] for name, row in rows.items()} == {"control": "", "up": "better", "down": "worse", "same": "alike"}, rows
        for name, word in (("up", "better"), ("down", "worse"), ("same", "no clear difference")):
            assert rows[name][1].endswith(word), rows
        assert "good" in rows["up"][2] and "bad" in rows["down"][2] and "good" not in rows["down"][2] + rows["same"][2], rows
        text, rows = groups["uneven"]
        assert "no verdict" in text and rows["a"][0] == "none" and rows["a"][1] == "no verdict", (text, rows)
        assert "good" not in rows["a"][2]

    def judges_what_does_not_vary(self):
        """Where all devices responded, or none, there is no p: the interval of the difference says what it comes to."""
        rows = {(row["campaign"], row["variant"]): row for row in self.service.rows("experiment", by="campaign", split="control:20,a:1", **self.parameters(category="certain"))}
        assert all(row["p_value"] is None for row in rows.values()), rows
        groups = self.judged("certain")
        for campaign, verdict, words in (("all or none", "better", "is answered 100.0 points more often"), ("none at all", "alike", "No clear difference")):
            text, found = groups[campaign]
            row = rows[campaign, "a"]
            assert found["a"][0] == verdict and words in text and "too few devices" not in text, (text, found)
            assert all(f"{row[name] * 100:.1f}" in text for name in ("difference_low", "difference_high")), (text, row)
        # Of one device nothing can be said.
        text, found = self.judged("certain", split="control:20,a:1")["one alone"]
        assert found["a"][0] == "" and "too few devices" in text, (text, found)

    def doubts_what_hardly_varies(self):
        """An arm in which nobody responded counts as exactly known in p: a few devices of the other are no proof beside its own interval."""
        rows = {row["variant"]: row for row in self.service.rows("experiment", by="campaign", **self.parameters(campaign=known.HARDLY))}
        assert rows["control"]["rate"] == 0 and rows["a"]["p_holm"] < 0.05 and rows["a"]["rate_low"] < rows["control"]["rate_high"], rows
        text, found = self.judged(known.HARDLY)[known.HARDLY]
        assert found["a"][:2] == ["few", "too few to tell"] and "good" not in found["a"][2], found
        assert "Too few devices to tell" in text and "worth keeping" not in text, text
        # No difference of two shares is beyond 100 points, though its interval may be.
        said = self.page.script(
            "const main = document.querySelector('script[type=module]').src;"
            "return import(new URL('../text/format.js', main)).then(({plainPoints, points}) => [points(1.2), points(-1.01), points(0.5), plainPoints(1.2), plainPoints(-0.25)])"
        )
        assert said == ["+100.0 pp", "-100.0 pp", "+50.0 pp", "100.0", "-25.0"], said

    def takes_another_split(self):
        """The field says how a split is written, refuses what is none, and the one that was observed is offered."""
        page = self.page
        self.judged()
        field = page.find("input[name=split]")
        help_text = page.text("#" + field.get_attribute("aria-describedby"))
        assert "control:2,a:1,b:1" in help_text and field.get_attribute("placeholder") == "control:2,a:1,b:1"
        assert "control:2,a:1" in page.script("return [...document.querySelectorAll('#splits option')].map(o => o.value)")
        set_to = "const i = document.querySelector('input[name=split]'); i.value = arguments[0]; i.dispatchEvent(new Event('change')); return i.validationMessage"
        assert "Not a split" in page.script(set_to, "2:1:1") and "split" not in page.address()[1]
        page.find("button[name=observed]").click()
        page.wait("the split in the address", lambda: page.address()[1].get("split") == ["control:2,a:1"])
        # The other campaign, which never had such a variant, has a row of it too.
        verdict = lambda: page.script("return [...document.querySelectorAll(\"tr[data-row='a']\")].at(-1)?.dataset.verdict")
        page.wait("a verdict by that split", lambda: verdict() == "worse")
        # A campaign's own view asks for another split too, and leads to the field.
        page.go("campaign", campaign="uneven")
        assert "another split" in page.text(".group .note") and "above" not in page.text(".group .note"), page.text(".group .note")
        assert not page.all("input[name=split]")
        page.script("document.querySelector(\"main .panel a[href^='#/experiments']\").click()")
        page.wait("the fields", lambda: page.all("input[name=split]") and page.all("input[name=control]"))
        page.settle()
        assert page.address()[1]["campaign"] == ["uneven"] and "another split" in page.text(".group .note"), page.address()

    def counts_changes_of_new_devices(self):
        """A device that appears in the range with permission and loses it within is among the flows, which are of each day."""
        self.page.go("settings")
        shown = self.page.script(
            "return Object.fromEntries([...document.querySelectorAll('tbody tr')].filter(row => row.querySelector('[data-key=from]'))"
            ".map(row => [`${row.querySelector('[data-key=from]').innerText} ${row.querySelector('[data-key=to]').innerText}`, row.querySelector('[data-key=devices]').innerText.trim()]))"
        )
        denied = lambda **more: [row["entered_from"].get("authorized", 0) for row in self.service.rows("settings", **self.parameters(**more)) if row["state"] == "denied"]
        days, whole = sum(denied(interval="day")), sum(denied())
        # As a whole the range has them as devices that appeared denied.
        assert days >= whole + known.OPT_OUTS and shown["Authorized → Denied"] == f"{days:,}", (shown, days, whole)

    def bounds_its_rows(self):
        """Of what clients make up, those that count most are shown, and the others in one row that leads nowhere."""
        self.page.go("categories", campaign=known.MANY)
        assert "200 of 230 shown" in self.page.text(".bound"), self.page.text(".bound")
        rows = self.page.script(
            "return [...document.querySelector('.panel').querySelectorAll('tbody tr')].map(row => [row.innerText, row.querySelectorAll('a').length])"
        )
        text, links = rows[-1]
        assert len(rows) == 201 and text.split()[:3] == ["all", "others", "30"] and not links and rows[0][1], rows[-1]
        self.page.go("overview")
        assert not self.page.all(".bound")

    def leaves_room_beside_a_long_name(self):
        """A name as long as one may be hides no figure beside it, and makes nothing wider than the window."""
        page, name = self.page, known.LONGEST
        wide = (
            "const over = [...document.querySelectorAll('main, .panel, .group, dialog')].filter(e => e.scrollWidth > e.clientWidth + 4).map(e => `${e.className || e.tagName} ${e.scrollWidth} of ${e.clientWidth}`);"
            "const covered = [...document.querySelectorAll('.scroll')].filter(e => e.querySelector('tbody th')?.offsetWidth > 0.7 * e.clientWidth).map(e => `names cover ${e.ariaLabel}`);"
            "const spilt = [...document.querySelectorAll('tbody th, tbody td')].filter(e => e.scrollWidth > e.clientWidth + 8).map(e => `${e.dataset.key} ${e.scrollWidth} of ${e.clientWidth}`);"
            "return [...over, ...covered, ...spilt]"
        )
        views = {
            "overview": {"category": name, "breakdown": "campaign"}, "campaigns": {}, "campaign": {"campaign": name}, "categories": {"campaign": name},
            "category": {"category": name}, "experiments": {"category": name}, "outcomes": {}, "optouts": {"category": name}, "notifications": {"category": name},
        }
        found = []
        try:
            for width in (1440, 320):
                page.size(width, 900)
                for view, more in views.items():
                    page.go(view, **more)
                    found += [f"{view}, {width}: {one}" for one in page.script(wide)]
        finally:
            page.size(1440, 900)
        assert not found, "\n".join(found)

    def keeps_the_order_beside_a_reversed_name(self):
        """A name that turns the direction of text round does so to itself: figures beside it stay in their order."""
        page = self.page
        row = next(one for one in self.service.rows("experiment", **self.parameters(campaign=known.LONGEST)) if one["variant"] == known.REVERSED)
        low, high = (f"{row[name] * 100:.1f}" for name in ("difference_low", "difference_high"))
        # Where each of some texts begins, in the line that it stands in.
        places = (
            "const [selector, ...texts] = arguments; const node = document.querySelector(selector); const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);"
            "const found = []; for (let text; (text = walker.nextNode()); ) for (const wanted of texts) { const at = text.data.indexOf(wanted); if (at < 0) continue;"
            "const range = document.createRange(); range.setStart(text, at); range.setEnd(text, at + wanted.length); found[texts.indexOf(wanted)] = range.getBoundingClientRect().left }"
            "return found"
        )
        in_order = lambda selector, *texts: (lambda found: len(found) == len(texts) and found == sorted(found))(page.script(places, selector, *texts))
        page.go("experiments", campaign=known.LONGEST)
        assert in_order(".verdict", "is answered", low, high, "worth keeping"), page.text(".verdict")
        page.go("overview", variant=known.REVERSED)
        assert page.script("return document.querySelector('.chip').firstChild.textContent").endswith("\u2069"), page.text(".chip")
        page.go("campaign", campaign=known.REVERSED)
        assert page.driver.title == f"\u2068{known.REVERSED}\u2069 · {self.service.app} · Notilog", ascii(page.driver.title)
        # One that would end more than it began.
        isolated = (
            "const main = document.querySelector('script[type=module]').src; const [name] = arguments;"
            "return import(new URL('../text/text.js', main)).then(words => words.isolated(name))"
        )
        assert page.script(isolated, "a\u2069\u202eb") == "\u2068a\u202eb\u2069" and page.script(isolated, "\u2067a") == "\u2068\u2067a\u2069\u2069"
        assert page.script(isolated, "plain") == "plain"

    def shows_a_name_of_nothing(self):
        """Of a name of invisible characters the numbers are shown, so that there is something to click."""
        page, shown = self.page, "U+200B U+0020 U+200B"
        page.go("categories")
        assert shown in page.script("return [...document.querySelectorAll('main tbody th a')].map(e => e.innerText)")
        page.script("[...document.querySelectorAll('main tbody th a')].find(a => a.innerText === arguments[0]).click()", shown)
        page.wait("its page", lambda: page.text("h1") == shown)
        page.settle()
        assert self.figure("reached") == "20", self.figure("reached")
        page.go("overview", category=known.UNSEEN)
        assert shown in page.text(".chip"), page.text(".chip")

    def draws_frequency_with_its_doubts(self):
        """Opt-outs for each device-week, with intervals; no figure of a handful; the caveat where the chart is."""
        self.page.go("optouts", category=known.TRIAL)
        rows = self.service.rows("frequency", **self.parameters(category=known.TRIAL))
        assert [(row["per_week"], row["device_weeks"] >= 30) for row in rows] == [("1", True), ("2", False)], rows
        for words, value in (("Opt-outs by notifications per week", rows[0]["opt_out_rate"]), ("Engagement by notifications per week", rows[0]["engagement_rate"])):
            chart = self.chart(words)
            assert chart["series"][0]["values"] == [value, None] and not chart["series"][0]["line"], chart["series"]
            assert chart["hatched"] == [False, True] and "fewer than 30 device-weeks" in chart["legend"]
            assert "not what more would do" in chart["panel"]
        # Wilson's, by hand: 15 of 1,400.
        assert rows[0]["opt_outs"] == known.OPT_OUTS and rows[0]["device_weeks"] == 1400, rows[0]
        assert "1.1% 0.65% – 1.8%" in " ".join(self.chart("Opt-outs by notifications per week")["rows"][0].split()), self.chart("Opt-outs by notifications per week")["rows"]
        few = self.page.script("return [...document.querySelectorAll(\"[data-key='opt_out_rate']\")].map(e => e.innerText)")[1]
        assert few == "fewer than 30 device-weeks", few
