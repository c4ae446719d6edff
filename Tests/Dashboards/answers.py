"""What the page answers without being asked twice: whether a campaign worked, what changed, with whom, and what a word means."""

import datetime
import decimal

import clock
import known
from viewer import CATEGORY, DEVICE, NOTIFICATION, Viewer

PLAIN = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText.split('\\n')[0].trim())"


def rounded(value, digits):
    """As the browser does: halves away from zero."""
    return (decimal.Decimal(repr(value)) * 100).quantize(decimal.Decimal(1).scaleb(-digits), decimal.ROUND_HALF_UP)


def percent(value):
    return f"{rounded(value, 2 if value and abs(value) < 0.01 else 1)}%"


def points(value):
    number = rounded(value, 1)
    return (f"{number:+}" if number else "0.0") + " pp"


class Answers(Viewer):
    CHECKS = [
        "compares_campaigns_with_the_usual", "shows_a_campaign_with_its_variants", "keeps_a_view_to_its_one", "marks_a_campaign_that_the_range_cuts", "says_how_figures_changed", "compares_with_what_was_recorded", "draws_the_range_before", "compares_the_same_time_of_day",
        "names_what_changed", "breaks_a_rate_down", "says_what_an_experiment_comes_to", "defines_its_words_for_everybody",
        "exports_a_view_from_one_menu", "says_what_an_address_cannot_mean", "lists_a_device_by_notification", "shows_a_phone_the_rate_first",
    ]

    def texts(self, selector):
        return self.page.script(PLAIN, selector)

    def week(self):
        """The last week that is over, which the page compares with the one before."""
        first, end = known.monday().date(), known.monday().date() + datetime.timedelta(days=7)
        return {"from": first.isoformat(), "to": end.isoformat(), "tz": "UTC"}

    def compares_campaigns_with_the_usual(self):
        page = self.page
        page.go("campaigns")
        rows = self.service.rows("campaigns", **self.parameters(limit=200))
        compared = [row for row in rows if row["difference"] is not None]
        apart = [row for row in compared if row["difference_low"] > 0 or row["difference_high"] < 0]
        said = [text for text in page.script("return [...document.querySelectorAll('main .about')].map(e => e.innerText)") if "by chance" in text]
        assert [text.split(" campaigns")[0] for text in said] == ([f"{len(apart)} of {len(compared)}"] if apart else []), said
        assert [row["campaign"] for row in rows if row["usual"] is not None] and len(rows) >= 4, rows
        days = [row["first_day"] for row in rows]
        assert days == sorted(days, reverse=True), days
        assert sorted(self.texts("main tbody th a")) == sorted(row["campaign"] for row in rows)
        shown = {name: dict(zip(("reached", "rate", "difference", "usual"), cells)) for name, *cells in page.script(
            "return [...document.querySelectorAll('main tbody tr')].map(row => ['campaign', 'reached', 'engagement_rate', 'difference', 'usual']"
            ".map(key => row.querySelector(`[data-key=${key}]`).innerText.split('\\n')[0].trim()))"
        )}
        for row in rows:
            found = shown[row["campaign"]]
            # Nothing of a campaign has the shortest age in its first hour.
            rate = "–" if row["engagement_rate"] is None else percent(row["engagement_rate"])
            assert found["reached"] == f"{row['reached']:,}" and found["rate"] == rate, (found, row)
            assert found["difference"] == ("nothing to compare with" if row["difference"] is None else points(row["difference"])), (found, row)
            assert found["usual"] == ("–" if row["usual"] is None else percent(row["usual"])), (found, row)
        dates = page.script("return [...document.querySelectorAll('main tbody tr')].map(row => row.dataset.row)")
        newest = {row["campaign"]: row["first_day"] for row in rows}
        assert [newest[name] for name in dates] == days, dates
        page.script("document.querySelector('input[name=search]').value = 'UNEVEN'; document.querySelector('form').requestSubmit()")
        page.wait("what was searched for", lambda: sorted(self.texts("main tbody th a")) == ["uneven"])

    def shows_a_campaign_with_its_variants(self):
        page = self.page
        page.go("campaigns")
        page.script("[...document.querySelectorAll('main tbody th a')].find(a => a.innerText === 'even').click()")
        page.wait("the campaign's page", lambda: page.text("h1") == "even")
        page.settle()
        row, = self.service.rows("campaigns", **self.parameters(campaign="even"))
        assert self.figure("reached") == f"{row['reached']:,}" and self.figure("engagement_rate") == percent(row["engagement_rate"])
        assert self.figure("difference") == points(row["difference"])
        variants = {one["variant"]: one for one in self.service.rows("experiment", by="none", **self.parameters(campaign="even"))}
        shown = page.script("return [...document.querySelectorAll('tr[data-row]')].map(row => [row.dataset.row, row.dataset.verdict ?? '', row.querySelector('.rate-value').innerText])")
        assert {name: rate for name, _, rate in shown} == {name: percent(one["rate"]) for name, one in variants.items()}, shown
        assert ("up", "better") in [(name, verdict) for name, verdict, _ in shown], shown
        page.script("document.querySelector('nav a[href*=campaigns]').click()")
        page.wait("all campaigns", lambda: page.text("h1") == "Campaigns")
        assert "campaign" not in page.address()[1], page.address()
        page.go("campaign", campaign=known.MOVED)
        row, = self.service.rows("campaigns", **self.parameters(campaign=known.MOVED))
        assert row["usual"] == known.MOVES[1] / known.EACH and row["engagement_rate"] == known.MOVES[0] / known.EACH, row
        assert page.text(".verdict").startswith("It was answered 30.0 points more often than usual within 3 days ("), page.text(".verdict")
        assert "carried a variant" in page.text(".empty"), page.text(".empty")

    def keeps_a_view_to_its_one(self):
        """The view of a campaign or a category has one name and the figures of that: no filter takes them away from it."""
        page = self.page
        offered = "return [...document.querySelectorAll(\"select[name='filter-name'] option\")].map(o => o.value)"
        for view, names, plural in (("campaign", ("even", "uneven"), "campaigns"), ("category", (known.TRIAL, known.HOURS), "categories")):
            page.go(view, **{view: names, "platform": "ios"})
            assert page.address()[1][view] == [names[0]] and page.text("h1") == names[0], page.address()
            row, = self.service.rows("engagement", by=view, **self.parameters(**{view: names[0]}))
            assert self.figure("reached") == f"{row['reached']:,}", (self.figure("reached"), row)
            chips = page.script("return [...document.querySelectorAll('.chip')].map(e => e.firstChild.textContent)")
            assert chips == ["Platform: ios"], chips
            assert "platform" in page.script(offered) and view not in page.script(offered), page.script(offered)
            # Without a name there is the list, with the same filters.
            page.go(view, platform="ios")
            assert (page.address()[0], page.text("h1").lower()) == (plural, plural), page.address()
            assert page.address()[1]["platform"] == ["ios"]
            # One without a category is one of its own.
            page.go(view, **{view: ""})
            assert (page.address()[0], page.text("h1")) == (view, f"(no {view})"), page.address()

    def badges_of_campaigns(self, start):
        """What is said of the campaigns of a day: that the day cuts them, where it begins or ends, and that responses are still to come."""
        end = start + datetime.timedelta(days=1)
        cut = {"from": start.isoformat(), "to": end.isoformat(), "tz": "UTC"}
        month = {"from": end.isoformat(), "to": (end + datetime.timedelta(days=31)).isoformat(), "tz": "UTC"}
        after = [] if end > clock.today() else self.service.rows("engagement", by="campaign", **month)
        after = {row["campaign"]: row["reached"] for row in after if row["campaign"]}
        rows = {row["campaign"]: row for row in self.service.rows("campaigns", **cut) if row["campaign"]}
        is_young = lambda row: row["reached"] > 0 and (row["age"] < 3 * 86_400 or row["rate_denominator"] < row["reached"])
        expected = {
            name: ["in part"] * bool(row["reached_before"] or after.get(name)) + ["so far"] * is_young(row) for name, row in rows.items()
        }
        return cut, rows, after, expected

    def marks_a_campaign_that_the_range_cuts(self):
        page = self.page
        day = lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).date()
        long, = self.service.rows("campaigns", **self.parameters(campaign=known.LONG))
        name = long["campaign"]
        notes = lambda: " ".join(page.script("return [...document.querySelectorAll('.note.warn')].map(e => e.innerText)"))
        for start in (day(long["first_day"]), day(long["last_day"])):
            cut, rows, after, expected = self.badges_of_campaigns(start)
            assert "in part" in expected[name], (start, expected)
            page.go("campaigns", **cut)
            marked = dict(page.script(
                "return [...document.querySelectorAll('main tbody tr')].map(row => [row.dataset.row, [...row.querySelectorAll('[data-key=first_day] .badge')].map(e => e.innerText)])"
            ))
            assert marked == expected, (marked, expected)
            page.go("campaign", campaign=name, **cut)
            before, later = rows[name]["reached_before"], after.get(name)
            assert (f"it reached {before:,} more before" in notes()) == bool(before), notes()
            assert (f"it reached {later or 0:,} more in the 31 days after" in notes()) == bool(later), notes()
        assert before and not page.all(".figure-delta"), "the range before has the campaign's own beginning"

    def says_how_figures_changed(self):
        """Beside a figure stands by how much it differs from the range before, at equal age."""
        page = self.page
        page.go("overview", **self.week())
        row = next(one for one in self.service.rows("changes", dimensions="none", **self.week()))
        assert row["reached_before"] and row["rate_denominator_before"], row
        delta = lambda name: page.text(f"[data-figure='{name}'] .figure-delta")
        assert f"{rounded(row['reached'] / row['reached_before'] - 1, 1):+}%" in delta("reached"), (delta("reached"), row)
        said = delta("engagement_rate")
        assert all(points(row[name]) in said for name in ("difference", "difference_low", "difference_high")), (said, row)
        page.go("category", category=known.MOVED, window="PT1H", **self.week())
        assert "0.0%" in delta("response_p50") and "+30.0 pp" in delta("engagement_rate"), (delta("response_p50"), delta("engagement_rate"))
        assert not page.all("[data-figure='opt_outs_per_1000'] .figure-delta"), "opt-outs are seen late"
        page.go("overview", against="none", **self.week())
        assert not page.all(".figure-delta"), "compared with nothing"
        # Of each category too.
        cells = (
            "const row = [...document.querySelectorAll('main tbody tr')].find(row => row.querySelector('th a')?.innerText === arguments[0]);"
            "return ['reached', 'engagement_rate'].map(key => row.querySelector(`[data-key=${key}]`).innerText)"
        )
        page.go("categories", **self.week())
        row = next(one for one in self.service.rows("changes", dimensions="category", **self.week()) if one["value"] == known.MOVED)
        reached, rate = page.script(cells, known.MOVED)
        assert row["reached"] == row["reached_before"] and "0.0%" in reached, (reached, row)
        assert all(points(row[name]) in rate for name in ("difference", "difference_low", "difference_high")), (rate, row)
        page.go("categories", against="none", **self.week())
        assert page.all("main tbody [data-key=engagement_rate]") and not page.all(".delta"), "compared with nothing"

    def compares_with_what_was_recorded(self):
        """Of the twenty days before, the log has the last two."""
        page = self.page
        today = clock.today()
        first = today - datetime.timedelta(days=max(known.RARE_DAYS))
        days = {"from": (first + datetime.timedelta(days=2)).isoformat(), "to": (first + datetime.timedelta(days=22)).isoformat()}
        row = next(one for one in self.service.rows("changes", dimensions="none", tz="UTC", **days))
        assert row["reached_before"], row
        page.go("overview", **days)
        texts = page.script("return [...document.querySelectorAll('.panel')].map(panel => panel.innerText).filter(text => text.includes('Nothing is compared'))")
        assert len(texts) == 2 and all(f"since {first.day} " in text for text in texts), texts
        assert not page.all(".figure-delta"), "compared with what was not recorded"
        # Nor is it drawn, or said that arrows compare with it; and no other view knows better.
        lines = "return [...document.querySelectorAll('canvas')].flatMap(c => Chart.getChart(c).data.datasets).filter(one => one.label.includes('The range before')).length"
        views = {"overview": {}, "categories": {}, "category": {"category": known.RARE}, "campaign": {"campaign": known.MANY}, "settings": {}, "tokens": {}, "provider": {}, "extensions": {}, "optouts": {}}
        for view, more in views.items():
            page.go(view, **more, **days)
            text = page.text("main")
            assert "Arrows compare" not in text and not page.all(".delta") and not page.script(lines), f"{view}: {text}"
            assert ("Nothing is compared" in text) == (view in ("overview", "categories", "category", "campaign")), f"{view}: {text}"
        page.go("overview", against="none", **days)
        assert "Nothing is compared" not in page.text("main")
        # Of the year before, the log has nothing at all.
        for view in ("overview", "categories"):
            page.go(view, against="year")
            text = page.text("main")
            assert "Nothing is compared: no notification reached a device" in text and "Arrows compare" not in text and not page.all(".delta"), f"{view}: {text}"

    def draws_the_range_before(self):
        page = self.page
        page.go("overview", **self.week())
        before = {"from": (known.monday().date() - datetime.timedelta(days=7)).isoformat(), "to": self.week()["from"], "tz": "UTC"}
        rows = self.service.rows("engagement", by="none", interval="day", **before)
        drawn = page.script(
            "return [...document.querySelectorAll('canvas')].map(c => Chart.getChart(c)).map(chart => chart.data.datasets.find(one => one.label === 'The range before')?.data)"
        )
        assert [sum(value or 0 for value in values) for values in drawn[:1]] == [sum(row["reached"] for row in rows)], (drawn, rows)
        assert [value for value in drawn[1] if value is not None] == [row["engagement_rate"] for row in rows], (drawn, rows)
        for view, more in (("settings", {}), ("tokens", {}), ("provider", {}), ("extensions", {}), ("optouts", self.week())):
            page.go(view, **(more or {"last": "7d"}))
            assert page.script("return [...document.querySelectorAll('canvas')].some(c => Chart.getChart(c).data.datasets.some(one => one.label === 'The range before'))"), view
        page.go("category", category=known.MOVED, **self.week())
        curve = {(row["outcome"], row["until"]): row["incidence"] for row in self.service.rows("response_times", by="category", category=known.MOVED, **before)}
        drawn = page.script("return [...document.querySelectorAll('canvas')].flatMap(c => Chart.getChart(c).data.datasets).find(one => one.label === 'Opened: The range before').data")
        assert drawn[1:] == [value for (outcome, _), value in sorted(curve.items()) if outcome == "opened"], (drawn, curve)

    def compares_the_same_time_of_day(self):
        """In the week after clocks changed, what is compared ends when the clock said the same, not a multiple of 24 hours before."""
        page = self.page
        ends = (
            "const main = document.querySelector('script[type=module]').src; const [zone, from, at] = arguments; const now = Date.parse(at);"
            "return import(new URL('../data/range.js', main)).then(({addDays, dateIn, matureEnds, rangeBefore}) => {"
            "const range = {zone, from, to: null, now, today: dateIn(zone, now)}; const before = rangeBefore(range, 'previous');"
            "return [before.until, matureEnds(range, before, 'P1D')[1]].map(text => new Date(text).toISOString()) })"
        )
        # Clocks went back on 26 October and forward on 30 March; in a zone without such changes nothing differs.
        for zone, first, now, expected in (
            ("Europe/Berlin", "2025-10-24", "2025-10-28T10:30:20.500Z", ["2025-10-23T09:30:20.500Z", "2025-10-22T09:30:20.500Z"]),
            ("Europe/Berlin", "2025-03-27", "2025-04-01T10:30:20.500Z", ["2025-03-26T11:30:20.500Z", "2025-03-25T11:30:20.500Z"]),
            ("Asia/Kolkata", "2025-10-24", "2025-10-28T10:30:20.500Z", ["2025-10-23T10:30:20.500Z", "2025-10-22T10:30:20.500Z"]),
        ):
            found = page.script(ends, zone, first, now)
            assert found == expected, (zone, found)
        # The newest day and the same of the week before, up to an hour before half past eleven.
        now = datetime.datetime(2025, 10, 28, 10, 30, tzinfo=datetime.timezone.utc)
        slower = page.command("Page.addScriptToEvaluateOnNewDocument", source=clock.SLOWER % ((clock.now() - now) / datetime.timedelta(milliseconds=1)))
        try:
            page.open("overview", tz="Europe/Berlin")
        finally:
            page.command("Page.removeScriptToEvaluateOnNewDocument", identifier=slower["identifier"])
        asked = page.script("return performance.getEntriesByType('resource').map(one => new URL(one.name)).filter(one => one.searchParams.get('window') === 'PT1H').map(one => one.searchParams.get('to'))")
        page.open("overview")
        assert sorted(text[:16] for text in asked) == ["2025-10-21T08:30", "2025-10-28T09:30"], asked

    def names_what_changed(self):
        page = self.page
        page.go("overview", **self.week())
        rows = {row["value"]: row for row in self.service.rows("changes", dimensions="category", **self.week())}
        moved = rows[known.MOVED]
        assert (moved["responded_in_window"], moved["responded_in_window_before"]) == known.MOVES, moved
        name = f"[data-row='category {known.MOVED}']"
        text = page.text(name)
        assert all(part in text for part in (points(moved["difference"]), percent(moved["engagement_rate"]), percent(moved["engagement_rate_before"]))), text
        assert f"{points(moved['difference_low'])} – {points(moved['difference_high'])}" in text, text
        page.script("document.querySelector(arguments[0]).click()", f"{name} a")
        page.wait("its page", lambda: page.text("h1") == known.MOVED)

    def breaks_a_rate_down(self):
        page = self.page
        page.go("overview")
        page.choose("breakdown", "platform")
        page.wait("its values", lambda: page.all(".breakdown [data-key='engagement_rate'] .rate-value"))
        rows = self.service.rows("engagement", by="platform", **self.parameters(limit=10))
        shown = lambda: page.script(
            "return [...document.querySelectorAll('.breakdown tbody tr')].map(row => [row.querySelector('[data-value]')?.dataset.value ?? null,"
            " row.querySelector('[data-key=reached]').innerText, row.querySelector('.rate-value')?.innerText])"
        )
        expected = sorted((row["platform"] or "", f"{row['reached']:,}", percent(row["engagement_rate"])) for row in rows if row["reached"])
        assert sorted(map(tuple, shown())) == expected, (shown(), expected)
        page.script("document.querySelector(\".breakdown [data-value='ios']\").click()")
        page.wait("the filter", lambda: page.address()[1].get("platform") == ["ios"])
        page.settle()
        # It stays broken down, and by another dimension shows ten and the rest.
        page.go("overview", campaign=known.MANY, breakdown="category")
        values = shown()
        assert len(values) == 11 and values[-1][:2] == [None, "220"], values

    def says_what_an_experiment_comes_to(self):
        page = self.page
        page.go("experiments", category=known.TRIAL)
        groups = page.script(
            "return Object.fromEntries([...document.querySelectorAll('.group')].map(group => [group.querySelector('h3').innerText.split(' · ')[1],"
            " [group.querySelector('.verdict').innerText, group.querySelector('details').open]]))"
        )
        row = next(one for one in self.service.rows("experiment", **self.parameters(category=known.TRIAL)) if one["variant"] == "up")
        low, high = (str(rounded(row[name], 1)) for name in ("difference_low", "difference_high"))
        assert groups["even"][0] == f"“up” is answered {rounded(row['difference'], 1)} points more often than “control” ({low} to {high}): worth keeping.", groups
        assert "no verdict" in groups["uneven"][0], groups
        assert sum(is_open for _, is_open in groups.values()) == 1, groups
        days = {one["campaign"]: one["first_day"] for one in self.service.rows("campaigns", **self.parameters())}
        page.go("experiments", campaign="even", by="platform")
        assert page.text(".group h3") == "Platform: ios" and len(page.all(".group")) == 1, page.text(".group h3")
        page.go("experiments")
        order = page.script("return [...document.querySelectorAll('.group h3')].map(e => e.innerText.split(' · ')[1])")
        there = [days[name] for name in order if name in days]
        assert len(there) >= 2 and there == sorted(there, reverse=True), (order, days)
        opened = page.script("return [...document.querySelectorAll('.group details')].map(e => e.open)")
        assert opened == [True] + [False] * (len(opened) - 1), opened
        # What somebody opened stays so when the figures are asked for again.
        page.script("document.querySelectorAll('.group details')[1].open = true; document.querySelector('button[name=refresh]').click()")
        page.settle()
        opened = page.script("return [...document.querySelectorAll('.group details')].map(e => e.open)")
        assert opened == [True, True] + [False] * (len(opened) - 2), opened

    def defines_its_words_for_everybody(self):
        """What the mouse is shown over a word, the keyboard and a finger find in the panel's list."""
        page = self.page
        page.go("overview")
        summary = page.find(".definitions > summary")
        page.script("arguments[0].focus()", summary)
        summary.send_keys("\ue007")
        assert "were not withdrawn, suppressed or silent" in page.text(".definitions[open]"), page.text(".definitions")
        for view, more in (("campaigns", {}), ("category", {"category": CATEGORY}), ("optouts", {})):
            page.go(view, **more)
            missing = page.script(
                "return [...document.querySelectorAll('.panel [data-about]')].filter(e => !e.closest('.panel').querySelector('.definitions')?.textContent.includes(e.dataset.about)).map(e => e.innerText)"
            )
            assert page.all("[data-about]") and not missing, f"{view}: {missing}"

    def exports_a_view_from_one_menu(self):
        page = self.page
        page.go("categories")
        assert len(page.all(".menu")) == 1 and not page.all("[data-csv]")
        summary = page.find(".menu > summary")
        page.script("arguments[0].focus()", summary)
        summary.send_keys("\ue007")
        names = page.wait("what there is", lambda: page.script("return [...document.querySelectorAll('[data-csv]')].map(e => e.dataset.csv)"))
        assert names == ["engagement", "opt_outs", "heatmap", "categories", "removals"], names
        page.driver.switch_to.active_element.send_keys("\ue00c")
        assert not page.script("return document.querySelector('.menu').open")

    def says_what_an_address_cannot_mean(self):
        page = self.page
        page.go("overview", tz="Mars/Base")
        assert "“Mars/Base”" in page.text(".controls [role=status]") and "of UTC" in page.text(".controls [role=status]"), page.text(".controls")
        page.go("overview")
        assert not page.all(".controls [role=status]")
        # A time to respond that is not offered is called as the address has it.
        for view, more in (("overview", {}), ("categories", {}), ("category", {"category": CATEGORY})):
            page.go(view, window="PT2H", **more)
            text = page.text("main .panels")
            assert "PT2H" in text and "window.P" not in text, f"{view}: {text}"

    def lists_a_device_by_notification(self):
        page = self.page
        page.go("device", device=DEVICE)
        bundles = page.script("return [...document.querySelectorAll('.bundle')].map(e => [e.dataset.notification, e.querySelectorAll('.timeline .event').length])")
        assert bundles == [[NOTIFICATION, 2]], bundles
        assert len(page.all(".timeline > .event")) == 7, "a notification, what is in it, a question, two settings and a provider's answer"
        page.script("document.querySelector(\"input[name=events][value=single]\").click()")
        page.wait("one after the other", lambda: not page.all(".bundle"))
        assert len(page.all(".timeline > .event")) == 6 and page.address()[1]["events"] == ["single"]
        # Of what a device never sent, no range and no filter is to blame.
        page.go("device", device="rare 24 0")
        assert [e.text for e in page.all(".empty")] == ["The device has reported no settings.", "The device has registered no token."], page.text("main")

    def shows_a_phone_the_rate_first(self):
        page = self.page
        page.size(390, 844)
        try:
            for view, more in (("campaigns", {}), ("categories", {}), ("category", {"category": CATEGORY})):
                page.go(view, **more)
                second = page.script("return document.querySelector('main tbody tr').children[1].dataset.key")
                assert second in ("engagement_rate", "rate"), f"{view}: {second}"
            page.go("overview")
            places = page.script("return ['engagement_rate', 'reached'].map(name => document.querySelector(`[data-figure=${name}]`).getBoundingClientRect()).map(box => [box.top, box.left])")
            assert places[0] < places[1], places
        finally:
            page.size(1440, 900)
