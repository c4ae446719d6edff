"""The web client in headless Chromium, on a site of its own, against the service.

Asked by Tests/Integration/Client, which gives it a database and an app with keys in NOTILOG_WEB_CLIENT_TEST. Writes a line
of JSON for each check: {"check", "failure", "seconds"}, failure null where it passed.
"""

import datetime
import email.utils
import json
import os
import pathlib
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Dashboards"))

from page import Page
from service import Service
from website import Site

CHECKS = [
    "records_permission", "records_what_a_push_showed", "records_clicks_and_closes", "keeps_what_is_not_taken",
    "doubles_nothing", "says_what_is_refused", "obeys_consent", "counts_in_the_report",
    "plays_the_vectors", "asks_the_browser_to_try_again", "asks_for_a_sync_on_a_page_too", "waits_as_long_as_asked",
    "counts_a_notification_without_a_sound_as_seen", "takes_a_closed_question_for_no_answer",
    "sends_nothing_after_the_consent", "takes_no_failure_to_record_for_one_of_the_call", "opens_its_store_again",
    "keeps_what_came_after_its_store_was_deleted", "keeps_all_where_everything_is_refused",
    "refuses_data_that_is_no_object", "repeats_the_id_of_what_is_shown",
    "makes_no_device_id_before_the_consent", "takes_another_device_id",
]


class WebClient:
    def __init__(self, service, site, page):
        self.service, self.site, self.page = service, site, page
        self.sequence = 0

    def run(self, text, *arguments):
        """A script's promise, awaited."""
        script = f"const done = arguments[arguments.length - 1]; (async (...a) => {{ {text} }})(...arguments)" \
            ".then((value) => done({value}), (error) => done({error: String(error)}))"
        answer = self.page.driver.execute_async_script(script, *arguments)
        if answer.get("error"):
            raise AssertionError(answer["error"])
        return answer.get("value")

    def open(self):
        self.page.driver.get(f"{self.site.url}/?key={self.service.keys['write']}")
        self.page.wait("the worker", lambda: self.page.script("return Boolean(window.registered?.active && navigator.serviceWorker.controller)"))
        self.device = self.run("return notilog.deviceID()")

    def permit(self, setting):
        self.page.command("Browser.setPermission", permission={"name": "notifications"}, setting=setting, origin=self.site.url)

    def push(self, **payload):
        """A push message, as the push service would deliver it."""
        self.page.command("ServiceWorker.enable")
        self.page.command("ServiceWorker.deliverPushMessage", origin=self.site.url, registrationId="0", data=json.dumps(payload))

    def events(self):
        events = self.service.get(f"/v1/devices/{self.device}/events")["events"]
        return [{**event, **event["data"]} for event in events]

    def stored(self, count, what):
        self.page.wait(what, lambda: len(self.events()) >= count)
        events = self.events()
        assert len(events) == count, f"{what}: {len(events)} events instead of {count}"
        return events

    def queued(self, name):
        """The events that wait in a store."""
        return self.run("""
            const database = await new Promise((resolve, reject) => {
              const request = indexedDB.open(a[0], 1);
              [request.onsuccess, request.onerror] = [() => resolve(request.result), reject];
            });
            const events = database.transaction("events").objectStore("events").getAll();
            await new Promise((resolve) => (events.onsuccess = resolve));
            database.close();
            return events.result;
        """, name)

    def shown(self, tag):
        return self.run("return (await registered.getNotifications({ tag: a[0] })).length", tag)

    def records_permission(self):
        self.permit("prompt")
        self.open()
        self.run("await notilog.recordPermission()")
        self.permit("granted")
        assert self.run("return notilog.requestPermission()") == "granted"
        self.run("await notilog.registerCategories([{ id: 'news', actions: [{ action: 'like', title: 'Like' }] }])")
        events = self.stored(4, "the permission and the categories")
        registered = next(event["categories"] for event in events if event["kind"] == "category_registration")
        assert registered[0]["id"] == "news" and registered[0]["options"] == ["custom_dismiss_action"], registered
        assert [(action["id"], action["type"]) for action in registered[0]["actions"]] == [("like", "button")], registered
        statuses = [event.get("authorization_status") for event in events if event["kind"] == "settings"]
        assert sorted(statuses) == ["authorized", "not_determined"], statuses
        assert [event["granted"] for event in events if event["kind"] == "authorization_request"] == [True]
        assert {event["context"]["platform"] for event in events} == {"web"}

    def records_what_a_push_showed(self):
        self.push(title="News", tag="n-1", notilog={"id": "n-1", "category_id": "news", "campaign_id": "spring"})
        events = self.stored(5, "the push")
        assert self.shown("n-1") == 1
        delivery = next(event for event in events if event["kind"] == "delivery")
        found = [delivery[name] for name in ("notification_id", "category_id", "campaign_id", "alerting", "source")]
        assert found == ["n-1", "news", "spring", True, "service_extension"], found
        self.push(notilog={"id": "n-2"})
        silent = [event for event in self.stored(6, "the silent push") if event.get("notification_id") == "n-2"]
        assert silent[0]["alerting"] is False and silent[0]["source"] == "background_wake", silent

    def records_clicks_and_closes(self):
        for type, action in (("notificationclick", ""), ("notificationclick", "like"), ("notificationclose", "")):
            assert self.run("return act(a[0], 'n-1', a[1])", type, action) == 1
        events = self.stored(9, "clicks and closes")
        about = [event for event in events if event.get("notification_id") == "n-1"]
        actions = sorted(event["action_id"] for event in about if event["kind"] == "action_response")
        assert actions == ["default", "like"], actions
        assert [event["category_id"] for event in about if event["kind"] == "dismissal"] == ["news"]
        states = {event["app_state"] for event in about if event["kind"] == "action_response"}
        assert states <= {"active", "background"}, states

    def keeps_what_is_not_taken(self):
        self.site.way = "closed"
        posts = self.site.posts
        self.push(title="Later", tag="n-3", notilog={"id": "n-3", "category_id": "news"})
        self.page.wait("an attempt", lambda: self.site.posts > posts)
        self.page.wait("the event waits", lambda: self.run("return notilog.waiting()") == 1)
        self.site.way = "open"
        # A page that is opened again sends what the worker could not.
        self.open()
        self.page.wait("the next chance", lambda: self.run("return notilog.flush()"))
        assert [event.get("notification_id") for event in self.stored(10, "what waited")].count("n-3") == 1

    def doubles_nothing(self):
        self.site.way = "unanswered"
        posts = self.site.posts
        self.push(title="Twice", tag="n-4", notilog={"id": "n-4", "category_id": "news"})
        self.page.wait("an attempt", lambda: self.site.posts > posts)
        self.stored(11, "what was taken without an answer")
        assert self.run("return notilog.waiting()") == 1
        self.site.way = "open"
        self.page.wait("the next chance", lambda: self.run("return notilog.flush()"))
        self.stored(11, "what was sent twice")

    def says_what_is_refused(self):
        # One event that the service refuses takes no other with it.
        self.run("""
            const { Notilog } = await import("./notilog.js");
            window.refused = [];
            window.wrong = new Notilog({ writeKey: a[0], name: "wrong", onReport: (report) => refused.push(report) });
            await wrong.request(registered, "Local", { tag: "n-5" }, { id: "x".repeat(2000), category_id: "news" });
        """, self.service.keys["write"])
        reports = self.page.wait("the report", lambda: self.page.script("return window.refused.length && window.refused"))
        assert reports[0]["rejected"] and reports[0]["code"], reports
        assert self.run("return wrong.waiting()") == 0

    def obeys_consent(self):
        self.run("await notilog.setConsent(false)")
        posts = self.site.posts
        self.run("await notilog.recordPermission()")
        assert self.site.posts == posts and self.run("return notilog.waiting()") == 0
        self.run("await notilog.setConsent(true)")
        self.run("await notilog.recordPermission()")
        self.stored(12, "what was recorded after the consent")

    def plays_the_vectors(self):
        """Those of Tests/Conformance that a site has a call for."""
        folder = pathlib.Path(__file__).resolve().parents[1]
        vectors = json.loads((folder / "Conformance/vectors.json").read_text())["vectors"]
        played = 0
        for vector in vectors:
            given = [category for step in vector["steps"] for category in step.get("categories", [])]
            if not given or not all(category["dismissals"] for category in given):
                continue
            categories = [
                {
                    "id": category["identifier"],
                    "actions": [{"action": action["identifier"], "title": action["title"]} for action in category["actions"]],
                }
                for category in given
            ]
            seen = len(self.events())
            self.run("await notilog.registerCategories(a[0])", categories)
            events = self.stored(seen + 1, vector["name"])
            newest = max(events, key=lambda event: event["position"])
            for name, value in vector["events"][0].items():
                # The clock is the browser's.
                assert name == "occurred_at" or newest[name] == value, (vector["name"], newest)
            played += 1
        assert played > 0

    def counts_in_the_report(self):
        position = max(event["position"] for event in self.events())
        def rows():
            try:
                return self.service.rows("engagement", min_position=position)
            except OSError:
                return None
        found = self.page.wait("the report", rows)
        news = next(row for row in found if row["category"] == "news")
        counts = [news[name] for name in ("reached", "responded", "opened")]
        assert counts == [3, 1, 1], counts
        # One of three was closed, and all of them could have been.
        rate = (news["dismiss_observable"], news["dismissed"], round(news["dismiss_rate"] or -1, 4))
        assert rate == (3, 1, 0.3333), rate

    def asks_the_browser_to_try_again(self):
        """A sync that sent nothing fails, or the browser would not ask again."""
        self.site.way = "closed"
        outcome = self.run("""
            const { Notilog } = await import("./notilog.js");
            const heard = {};
            const scope = { addEventListener: (type, handler) => (heard[type] = handler) };
            window.later = new Notilog({ writeKey: a[0], name: "later" });
            later.listen(scope);
            window.sync = async () => {
              let waiting;
              heard.sync({ tag: "later", waitUntil: (promise) => (waiting = promise) });
              return waiting.then(() => "done", () => "failed");
            };
            await later.recordPermission();
            return sync();
        """, self.service.keys["write"])
        assert outcome == "failed", outcome
        self.site.way = "open"
        self.page.wait("a sync that sends", lambda: self.run("return sync()") == "done")

    def asks_for_a_sync_on_a_page_too(self):
        tags = self.run("""
            const { Notilog } = await import("./notilog.js");
            const tags = [];
            const register = SyncManager.prototype.register;
            SyncManager.prototype.register = async (tag) => void tags.push(tag);
            try {
              await new Notilog({ writeKey: a[0], name: "unsent", url: "/nowhere" }).recordPermission();
              await new Notilog({ writeKey: a[0], name: "sent" }).recordPermission();
              return tags;
            } finally {
              SyncManager.prototype.register = register;
            }
        """, self.service.keys["write"])
        assert tags == ["unsent"], tags

    def waits_as_long_as_asked(self):
        """`Retry-After` is a number of seconds or a date (RFC 9110)."""
        ways = {"seconds": "3600", "date": email.utils.formatdate(time.time() + 3600, usegmt=True)}
        for name, retry_after in ways.items():
            self.site.way, self.site.retry_after = "closed", retry_after
            posts = self.site.posts
            self.run("""
                const { Notilog } = await import("./notilog.js");
                window.patient = new Notilog({ writeKey: a[0], name: a[1] });
                window.flushIn = async (minutes) => {
                  const now = Date.now;
                  Date.now = () => now() + minutes * 60_000;
                  return patient.flush().finally(() => (Date.now = now));
                };
                await patient.recordPermission();
            """, self.service.keys["write"], name)
            assert self.site.posts == posts + 1
            self.site.way = "open"
            assert self.run("return flushIn(55)") is False and self.site.posts == posts + 1, name
            assert self.run("return flushIn(65)") is True and self.site.posts == posts + 2, name
        self.site.retry_after = None

    def counts_a_notification_without_a_sound_as_seen(self):
        self.push(title="Quiet", tag="n-6", silent=True, notilog={"id": "n-6", "category_id": "quiet"})
        found = self.page.wait("the quiet push", lambda: [event for event in self.events() if event.get("notification_id") == "n-6"])
        assert [event["alerting"] for event in found] == [True], found

    def takes_a_closed_question_for_no_answer(self):
        seen = len(self.events())
        self.run("""
            const ask = Notification.requestPermission;
            Notification.requestPermission = async () => "default";
            await notilog.requestPermission().finally(() => (Notification.requestPermission = ask));
        """)
        found = self.stored(seen + 2, "the question")
        newest = max((event for event in found if event["kind"] == "authorization_request"), key=lambda event: event["position"])
        assert newest.get("granted") is None, newest

    def takes_another_device_id(self):
        before = self.run("return notilog.deviceID()")
        self.run("await notilog.resetDeviceID()")
        self.run("await notilog.recordPermission()")
        self.device = self.run("return notilog.deviceID()")
        assert self.device != before, before
        self.stored(1, "what was recorded under the new id")

    def makes_no_device_id_before_the_consent(self):
        said = self.run("""
            const { Notilog } = await import("./notilog.js");
            const asking = new Notilog({ writeKey: a[0], name: "asking", requiresConsent: true });
            const state = async () => {
              const database = await new Promise((resolve) => {
                const request = indexedDB.open("asking", 1);
                request.onsuccess = () => resolve(request.result);
              });
              const keys = database.transaction("state").objectStore("state").getAllKeys();
              await new Promise((resolve) => (keys.onsuccess = resolve));
              database.close();
              return keys.result;
            };
            const said = [];
            const look = async () => said.push([await asking.deviceID(), await asking.waiting(), await state()]);
            await asking.recordPermission();
            await asking.flush();
            await look();
            await asking.setConsent(false);
            await asking.recordPermission();
            await look();
            await asking.setConsent(true);
            await asking.recordPermission();
            return [said, await asking.deviceID()];
        """, self.service.keys["write"])
        (before, refused), after = said
        assert before == [None, 0, []] and refused == [None, 0, ["consent"]], said
        stored = self.service.get(f"/v1/devices/{after}/events")["events"]
        assert [event["kind"] for event in stored] == ["settings"], stored

    def sends_nothing_after_the_consent(self):
        posts = self.site.posts
        waiting = self.run("""
            const { Notilog } = await import("./notilog.js");
            window.withdrawn = new Notilog({ writeKey: a[0], name: "withdrawn" });
            await withdrawn.deviceID();
            // The consent is withdrawn while an event is being recorded.
            await Promise.all([withdrawn.recordPermission(), withdrawn.setConsent(false)]);
            return withdrawn.waiting();
        """, self.service.keys["write"])
        assert waiting == 0 and self.site.posts == posts, (waiting, self.site.posts - posts)
        # Nor is an event sent that a release before this one left in the store.
        self.run("""
            const database = await new Promise((resolve, reject) => {
              const request = indexedDB.open("withdrawn", 1);
              [request.onsuccess, request.onerror] = [() => resolve(request.result), reject];
            });
            const transaction = database.transaction("events", "readwrite");
            transaction.objectStore("events").add({ kind: "open_settings", occurred_at: new Date().toISOString() });
            await new Promise((resolve) => (transaction.oncomplete = resolve));
            database.close();
            await withdrawn.flush();
        """)
        assert self.site.posts == posts, self.site.posts - posts

    def takes_no_failure_to_record_for_one_of_the_call(self):
        self.run("""
            const { Notilog } = await import("./notilog.js");
            window.heard = [];
            const onReport = (report) => {
              heard.push(report);
              throw new Error("the site's own");
            };
            const barred = new Notilog({ writeKey: "nlg_w_nobodys", name: "barred", onReport });
            await barred.request(registered, "Shown", { tag: "n-7" }, { id: "n-7" });
        """)
        reports = self.page.wait("the report", lambda: self.page.script("return window.heard.length && window.heard"))
        assert reports == [{"barred": 401}], reports
        found = [(event["kind"], event.get("alerting"), event.get("error")) for event in self.queued("barred")]
        assert found == [("request", True, None)] and self.shown("n-7") == 1, found
        # The person has answered, whether that can be stored or not, and before anybody can be told.
        answer, reports = self.run("""
            const { Notilog } = await import("./notilog.js");
            const heard = [];
            const unstored = new Notilog({ writeKey: a[0], name: "unstored", onReport: (report) => heard.push(report) });
            indexedDB.open = () => {
              throw new Error("no room");
            };
            const answer = await unstored.requestPermission().finally(() => delete indexedDB.open);
            return [answer, heard];
        """, self.service.keys["write"])
        assert answer == "granted" and reports == [{"failed": "Error: no room"}], (answer, reports)
        answer = self.run("""
            const { Notilog } = await import("./notilog.js");
            const unanswered = new Notilog({ writeKey: a[0], name: "unanswered" });
            const send = window.fetch;
            window.fetch = () => new Promise(() => {});
            return unanswered.requestPermission().finally(() => (window.fetch = send));
        """, self.service.keys["write"])
        assert answer == "granted", answer

    def opens_its_store_again(self):
        """After it could not be opened, after the site's data was deleted, and after the browser closed it."""
        waiting = self.run("""
            const { Notilog } = await import("./notilog.js");
            const reopened = new Notilog({ writeKey: a[0], name: "reopened", url: "/nowhere" });
            const opened = [];
            indexedDB.open = () => {
              const request = { error: new Error("not now") };
              setTimeout(() => request.onerror());
              return request;
            };
            const failure = await reopened.recordPermission().then(() => null, String);
            indexedDB.open = (...named) => {
              const request = IDBFactory.prototype.open.apply(indexedDB, named);
              opened.push(request);
              return request;
            };
            try {
              const counts = [];
              const record = async () => {
                await reopened.recordPermission();
                counts.push(await reopened.waiting());
              };
              await record();
              await new Promise((resolve, reject) => {
                const request = indexedDB.deleteDatabase("reopened");
                [request.onsuccess, request.onerror] = [resolve, reject];
              });
              await record();
              const database = opened.at(-1).result;
              database.close();
              database.dispatchEvent(new Event("close"));
              await record();
              return [failure, counts, opened.length];
            } finally {
              delete indexedDB.open;
            }
        """, self.service.keys["write"])
        assert waiting == ["Error: not now", [1, 1, 2], 3], waiting

    def keeps_what_came_after_its_store_was_deleted(self):
        """An answer about events of a store that is gone removes none of its successor's, whose keys begin anew."""
        waiting = self.run("""
            const { Notilog } = await import("./notilog.js");
            const renewed = new Notilog({ writeKey: a[0], name: "renewed", url: "/nowhere" });
            const until = async (isSo) => { while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10)); };
            const usual = window.fetch;
            let answer;
            window.fetch = () => new Promise((resolve) => (answer = resolve));
            try {
              const first = renewed.recordPermission();
              await until(() => answer);
              await new Promise((resolve, reject) => {
                const request = indexedDB.deleteDatabase("renewed");
                [request.onsuccess, request.onerror] = [resolve, reject];
              });
              const second = renewed.recordPermission();
              await until(async () => (await renewed.waiting()) === 1);
              window.fetch = () => Promise.reject(new Error("offline"));
              answer(Response.json({ accepted: 1, duplicate: 0, rejected: 0, results: [] }));
              await Promise.allSettled([first, second]);
              return await renewed.waiting();
            } finally {
              window.fetch = usual;
            }
        """, self.service.keys["write"])
        assert waiting == 1, waiting

    def keeps_all_where_everything_is_refused(self):
        """Something on the way may damage requests. An event goes only if others are taken."""
        found = self.run("""
            const { Notilog } = await import("./notilog.js");
            const heard = [];
            const damaged = new Notilog({ writeKey: a[0], name: "damaged", onReport: (report) => heard.push(report) });
            const [usual, now] = [window.fetch, Date.now];
            let first, requests = 0, isRefused = () => true;
            window.fetch = async (url, { body }) => {
              const events = JSON.parse(body);
              first ??= events[0].id;
              requests += 1;
              return isRefused(events)
                ? Response.json({ code: "invalid_json" }, { status: 400 })
                : Response.json({ accepted: events.length, duplicate: 0, rejected: 0, results: [] });
            };
            const flushIn = async (hours) => {
              Date.now = () => now() + hours * 3600e3;
              requests = 0;
              return [await damaged.flush(), await damaged.waiting(), requests, heard.splice(0)];
            };
            try {
              for (let count = 0; count < 20; count += 1) await damaged.recordPermission();
              const refused = [await flushIn(1), await flushIn(2)];
              isRefused = (events) => events.some(({ id }) => id === first);
              return [first, refused, await flushIn(3)];
            } finally {
              [window.fetch, Date.now] = [usual, now];
            }
        """, self.service.keys["write"])
        first, refused, taken = found
        # Twenty, ten, five, three, two, and eight one by one. The first event was refused as it was recorded, too.
        assert refused == [[False, 20, 13, 2 * [{"barred": 400}]], [False, 20, 13, [{"barred": 400}]]], refused
        assert taken[:2] == [True, 0] and taken[3] == [{"rejected": first, "code": "invalid_json", "status": 400}], taken

    def refuses_data_that_is_no_object(self):
        """The mark is added to it, and the site would not find its own again."""
        seen = len(self.events())
        said, url = self.run("""
            const said = [];
            for (const data of ["/article/7", ["/article/7"], 7]) {
              for (const call of ["request", "show"]) {
                said.push(await notilog[call](registered, "Article", { tag: "n-8", data }).then(() => "done", String));
              }
            }
            await notilog.request(registered, "Article", { tag: "n-8", data: { url: "/article/7" } });
            const [shown] = await registered.getNotifications({ tag: "n-8" });
            return [said, shown.data.url];
        """)
        assert len(said) == 6 and all("options.data has to be an object" in text for text in said), said
        assert url == "/article/7", url
        newest = max(self.stored(seen + 1, "the one request"), key=lambda event: event["position"])
        assert newest["kind"] == "request" and newest.get("error") is None, newest

    def repeats_the_id_of_what_is_shown(self):
        """A request under a tag that is still shown is an update of one notification; a later one is another."""
        seen = len(self.events())
        self.run("""
            for (const tag of ["n-9", "n-9", "n-10"]) await notilog.request(registered, "Local", { tag });
            await notilog.request(registered, "Local", { tag: "n-10" }, { id: "own" });
            for (const shown of await registered.getNotifications({ tag: "n-9" })) shown.close();
        """)
        self.page.wait("the notification is closed", lambda: self.shown("n-9") == 0)
        self.run("await notilog.request(registered, 'Local', { tag: 'n-9' })")
        events = sorted(self.stored(seen + 5, "the requests"), key=lambda event: event["position"])
        ids = [(event["request_identifier"], event["notification_id"]) for event in events[-5:]]
        first, again, other, own, later = ids
        assert first == again and own == ("n-10", "own"), ids
        assert len({first, other, own, later}) == 4, ids


def main():
    given = json.loads(os.environ["NOTILOG_WEB_CLIENT_TEST"])
    service = Service(given["command"], given["database"], given["keys"], given["app"])
    page = None
    try:
        service.start()
        with tempfile.TemporaryDirectory() as downloads:
            site = Site(service)
            # A page and its service worker share what they keep, and so must go by one clock.
            page = Page(site.url, downloads, slow=datetime.timedelta())
            client = WebClient(service, site, page)
            for check in CHECKS:
                start, failure = time.monotonic(), None
                try:
                    getattr(client, check)()
                except Exception as error:  # Whatever it is, the other checks go on.
                    failure = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
                seconds = round(time.monotonic() - start, 2)
                print(json.dumps({"check": check, "failure": failure, "seconds": seconds}), flush=True)
    finally:
        if page:
            page.driver.quit()
        service.stop()


if __name__ == "__main__":
    main()
