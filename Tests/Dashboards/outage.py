"""What the page says where there is nothing to show, or nobody who answers."""

import subprocess

from viewer import Viewer


class Outage(Viewer):
    CHECKS = [
        "says_nothing_is_wrong", "says_what_is_empty_and_what_failed", "says_what_a_new_app_lacks", "waits_where_a_key_asks_for_too_much",
        "keeps_what_is_there_where_the_rest_fails", "asks_for_a_key_where_one_counts_no_more", "survives_the_loss_of_the_service",
        "draws_what_the_address_names",
    ]

    def says_nothing_is_wrong(self):
        said = self.page.console()
        assert not said, said

    def says_what_is_empty_and_what_failed(self):
        self.page.go("overview", campaign="none such")
        said = [e.text for e in self.page.all(".empty")]
        assert "No notifications in this range. The filters may leave some out." in said, said
        for view, more in (("device", {"device": "none such"}), ("notification", {"device": "none such", "id": "n"})):
            self.page.go(view, **more)
            said = self.page.script("return [...document.querySelectorAll('main > .panels')].map(e => e.innerText)")
            assert len(said) == 1 and "none such" in said[0] and said[0].count("\n") == 0 and said[0].count(".") == 1, said
            assert not self.page.all("main .panel, main button"), "panels of what does not exist"
        # Of what it asked, the page speaks in its own words, not in those of parameters.
        self.page.go("provider", **{"from": "2099-01-01"})
        said = {e.text for e in self.page.all(".panel .error .detail")}
        assert said == {"The range must begin in the past and before its end. Choose another range."}, said
        self.page.console()

    def says_what_a_new_app_lacks(self):
        """Of an app without events, each panel says what of its own is not there, and no filter is to blame; the first view says how to begin."""
        page = self.page
        settings, tokens = "No device had sent settings by the end of this range.", "No token was registered by the end of this range."
        pushes, runs = "No push provider answered in this range.", "No service extension reported a run in this range."
        lacking = {
            "tokens": [tokens] * 2, "provider": [pushes] * 2, "extensions": [runs] * 3 + ["No device was heard of in this range."],
            "settings": [
                settings, settings, "No change of a state was seen in this range.", "No alerting notification was requested in this range.",
                "No device was asked for permission in this range.",
            ],
        }
        page.script("sessionStorage.setItem('notilog.key', arguments[0])", self.service.keys["empty"])
        try:
            page.open("overview")
            text = page.text("main")
            assert page.text("header .app") == "empty", page.text("header")
            assert "This app has not received any events yet." in text and "filters may" not in text, text
            way = page.find("main .note a")
            assert way.text == "POST /v1/events", way.text
            described = page.driver.execute_async_script("fetch(arguments[0].href).then(answer => answer.text()).then(arguments[1])", way)
            assert "/v1/events:" in described, described[:200]
            assert "Neither of the two days has such a notification." in text, text
            for view, expected in lacking.items():
                page.go(view)
                said = [e.text for e in page.all("main .empty")]
                assert said == expected, (view, said)
            page.go("settings", platform="ios")
            assert page.text("main .empty") == f"{settings} The filters may leave some out.", page.text("main .empty")
            # None of its filters bears on tokens.
            page.go("tokens", platform="ios")
            assert page.text("main .empty") == tokens, page.text("main .empty")
        finally:
            page.script("sessionStorage.setItem('notilog.key', arguments[0])", self.service.keys["read"])
            page.open("overview")
        # One that has events, though none in the range, has received some.
        page.go("overview", **{"from": "2020-01-01", "to": "2020-01-02"})
        assert "not received any" not in page.text("main"), page.text("main")
        page.console()

    def waits_where_a_key_asks_for_too_much(self):
        """Two reports that wait for the database are all that a key may have made: the page is refused, and asks again."""
        page = self.page
        page.go("overview")
        lock = subprocess.Popen(["psql", "-X", "-q", "-A", "-t", self.service.database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            lock.stdin.write("BEGIN; LOCK TABLE projection.device_token; SELECT 'locked';\n")
            lock.stdin.flush()
            assert lock.stdout.readline() == "locked\n"
            page.script(
                # The browser keeps so many entries, and no newer ones.
                "performance.clearResourceTimings(); const headers = {Authorization: `Bearer ${sessionStorage.getItem('notilog.key')}`};"
                "for (const stale of [1, 2]) fetch(`v1/reports/tokens?stale_after=P${stale}D`, {headers}); location.hash = '#/provider?last=30d&tz=UTC'"
            )
            refused = lambda: page.script("return performance.getEntriesByType('resource').some(e => e.responseStatus === 429)")
            page.wait("the page is refused", refused, 60)
        finally:
            lock.communicate("COMMIT;\n", timeout=20)
        page.wait("the view", lambda: page.text("h1") == "Provider")
        page.settle()
        assert not page.all(".panel .error") and page.all("[data-key='results']"), "what was refused is not there"
        page.console()

    def keeps_what_is_there_where_the_rest_fails(self):
        page = self.page
        page.command("Network.enable")
        page.command("Network.setBlockedURLs", urls=["*/v1/reports/outcomes*"])
        try:
            page.go("campaigns")
            page.wait("why the rest is not there", lambda: page.all("main .panel .error button"))
            assert page.all("main tbody [data-key=engagement_rate]"), "figures are gone"
        finally:
            page.command("Network.setBlockedURLs", urls=[])
        page.wait("the rest", lambda: not page.all(".panel .error, .banner.away"), 60)
        assert "…" not in page.column("campaigns", "outcomes"), "the rest is not there"
        page.console()

    def asks_for_a_key_where_one_counts_no_more(self):
        page = self.page
        page.open("overview")
        key = page.script("return sessionStorage.getItem('notilog.key')")
        page.script("sessionStorage.setItem('notilog.key', 'nlg_r_none')")
        try:
            page.find("button[name=refresh]").click()
            page.wait("the form", lambda: page.all(".signin #key"))
            assert "no longer valid" in page.text(".signin .error-text"), page.text(".signin")
            page.refused()
        finally:
            page.script("sessionStorage.setItem('notilog.key', arguments[0])", key)
            page.open("overview")

    def survives_the_loss_of_the_service(self):
        page = self.page
        page.go("overview")
        before = self.figure("reached")
        known = page.text(".banner").removeprefix("As of ").splitlines()[0].split(",")[0]
        self.service.kill()
        page.find("button[name=refresh]").click()
        page.wait("the page says that nobody answers", lambda: page.all(".banner.away"))
        page.settle()
        assert self.figure("reached") == before, "figures are gone"
        assert page.all(".panel.stale"), "old figures are not marked"
        for _ in range(2):
            assert known in page.text(".banner"), f"{page.text('.banner')!r} does not say {known}"
            page.script("document.querySelector('.banner button').click()")
            page.settle()
        page.choose("last", "7")
        page.wait("a panel without figures says why", lambda: page.all(".panel .error"))
        self.service.start()
        page.wait("the page comes back by itself", lambda: not page.all(".banner.away, .panel .error, .panel.stale"), 30)
        page.settle()
        row = self.service.rows("engagement", by="none", **self.parameters(7))[0]
        assert self.figure("reached") == f"{row['reached']:,}"
        page.console()

    def draws_what_the_address_names(self):
        """A view whose files are not there yet, gone to while nobody answers, is drawn once the service is back."""
        page = self.page
        page.forget()
        page.open("overview")
        self.service.kill()
        try:
            page.script("[...document.querySelectorAll('nav a')].find(a => a.href.includes('#/tokens')).click()")
            page.wait("the page says that nobody answers", lambda: page.all(".banner.away"))
            assert page.text("h1") == "Overview" and page.address()[0] == "tokens"
        finally:
            self.service.start()
        page.wait("the view of the address", lambda: page.text("h1") == "Tokens", 30)
        page.settle()
        assert page.all("main [data-key=tokens]") and not page.all(".banner.away"), page.text("main")
        page.console()
