// Notilog for web push, as one module for a service worker and the pages of its site. It records what happens to
// notifications, keeps it in IndexedDB until the service has it, and sends it. docs/clients.md explains its use.

const VERSION = "1.0.0";
const BATCH = 200;
const LIMIT = 5000;
const MAX_AGE = 30 * 86400e3;
// So many events are tried one by one until something is taken.
const SUSPECTS = 8;
// Answers that do not concern the events, because the key or the address is wrong.
const BARRED = new Set([401, 403, 404, 405, 407, 410, 415, 421]);

export class Notilog {
  #url;
  #writeKey;
  #appVersion;
  #name;
  #requiresConsent;
  #onReport;
  #opened;

  // url: where events are posted, on this site or on one that allows it. requiresConsent: whether nothing is recorded, and no device
  // id made, until `setConsent(true)`; the worker and all pages say the same. onReport is called with what was not sent and why.
  constructor({ writeKey, url = "/v1/events", appVersion, name = "notilog", requiresConsent = false, onReport = () => {} }) {
    this.#url = url;
    this.#writeKey = writeKey;
    this.#appVersion = appVersion;
    this.#name = name;
    this.#requiresConsent = requiresConsent;
    this.#onReport = onReport;
  }

  // In the worker, when it starts: listens for clicks, closes and the return of the network.
  listen(scope = self) {
    scope.addEventListener("notificationclick", (event) => event.waitUntil(this.recordClick(event, scope)));
    scope.addEventListener("notificationclose", (event) => event.waitUntil(this.recordClose(event.notification)));
    scope.addEventListener("sync", (event) => {
      if (event.tag === this.#name) event.waitUntil(this.#sync());
    });
  }

  // On a page or in the worker: registers the categories of the site's notifications, by their ids, each with its actions.
  // Browsers report every dismissal, so notifications that nobody dismissed count too.
  async registerCategories(categories) {
    const registered = categories.map(({ id, actions = [] }) => ({
      id,
      options: ["custom_dismiss_action"],
      intent_identifiers: [],
      actions: actions.map(({ action, title, type }) => ({
        id: action,
        title,
        type: type === "text" ? "text_input" : "button",
        options: [],
      })),
    }));
    await this.#record([{ kind: "category_registration", categories: registered }]);
  }

  // In the worker, for a push: shows its notification, and records that it arrived. Even without a sound (`silent`) it is
  // seen, so it counts as alerting.
  async show(registration, title, options = {}, mark = {}) {
    refuseOtherData(options);
    const shown = await this.#show(registration, title, options, mark);
    const events = [{ kind: "delivery", ...shown, source: "service_extension", alerting: true }];
    await this.#record(events.map((event) => ({ ...event, trigger: { type: "push" } })));
  }

  // In the worker, for a push that shows nothing.
  async recordSilent(mark = {}) {
    await this.#record([
      { kind: "delivery", ...about(mark), source: "background_wake", alerting: false, trigger: { type: "push" } },
    ]);
  }

  // On a page or in the worker: shows a notification without a push. Fails if it cannot be shown. Under the `tag` of one that is
  // shown it takes that one's place, and its id.
  async request(registration, title, options = {}, mark = {}) {
    refuseOtherData(options);
    const known = { ...mark, id: mark.id ?? (await shownID(registration, options)) ?? crypto.randomUUID() };
    const request = { kind: "request", origin: "app", ...about(known, options), trigger: { type: "none" } };
    try {
      await this.#show(registration, title, options, known);
    } catch (error) {
      await this.#note([{ ...request, error: "notifications_not_allowed" }]);
      throw error;
    }
    await this.#note([{ ...request, alerting: true }]);
  }

  async recordClick(event, scope = self) {
    const pages = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
    const state = pages.length === 0 ? "not_running" : pages.some((page) => page.focused) ? "active" : "background";
    const response = { ...ofNotification(event.notification), action_id: event.action || "default", app_state: state };
    // Empty if there was nothing to type.
    if (event.reply) response.text_length = [...event.reply].length;
    await this.#record([{ kind: "action_response", ...response }]);
  }

  async recordClose(notification) {
    await this.#record([{ kind: "dismissal", ...ofNotification(notification) }]);
  }

  // On a page: asks for permission, and records the answer and the state before it. A question that was closed has no answer:
  // the browser may ask again.
  async requestPermission() {
    const before = Notification.permission;
    const answer = await Notification.requestPermission();
    await this.#note([
      {
        kind: "authorization_request",
        options: ["alert"],
        granted: answer === "default" ? undefined : answer === "granted",
        status_before: status(before),
      },
      { kind: "settings", authorization_status: status(answer) },
    ]);
    return answer;
  }

  // On a page, when it opens: the person may have changed the permission in the browser's settings.
  async recordPermission() {
    await this.#record([{ kind: "settings", authorization_status: status(Notification.permission) }]);
  }

  // Stops recording and deletes queued events, or allows recording again. The choice is remembered.
  async setConsent(isGranted) {
    await this.#change((store) => {
      store.put(isGranted, "consent");
      if (!isGranted) store.transaction.objectStore("events").clear();
    });
  }

  // This browser's device id; null if it has none, and may not have one without consent.
  async deviceID() {
    const database = await this.#database();
    const transaction = database.transaction("state", "readwrite");
    const store = transaction.objectStore("state");
    const state = await known(store);
    const id = this.#mayRecord(state) ? device(store, state) : (state.device ?? null);
    await finished(transaction);
    return id;
  }

  // Gives this browser a new device id: after an erasure, as the service never accepts the erased one again, or when another
  // person takes over. Queued events keep the old one.
  async resetDeviceID() {
    await this.#change((store) => store.delete("device"));
  }

  // The number of queued events.
  async waiting() {
    const database = await this.#database();
    return done(database.transaction("events").objectStore("events").count());
  }

  // Sends queued events. Returns true if none is left.
  async flush() {
    // A page and the worker send one after the other. An event that both send is still stored once.
    return navigator.locks ? navigator.locks.request(this.#name, () => this.#drain()) : this.#drain();
  }

  // The browser tries again later only if this fails.
  async #sync() {
    if (!(await this.flush())) throw new Error("Notilog: events are still queued.");
  }

  async #show(registration, title, options, mark) {
    const delivered = { ...mark, delivered_at: local(new Date()) };
    await registration.showNotification(title, { ...options, data: { ...options.data, notilog: delivered } });
    return about(delivered, options);
  }

  // What the site's own function throws is no failure of what it was told.
  #report(report) {
    try {
      this.#onReport(report);
    } catch (error) {
      console.error(error);
    }
  }

  // Events are stored before anything is sent, because a worker may be terminated at any time.
  async #record(events) {
    if (await this.#store(events)) await this.#sendStored();
  }

  // The same for calls with a result of their own, which does not depend on it: what fails is reported. A page does not wait until
  // the events are sent; a worker has to, or it is terminated.
  async #note(events) {
    const failed = (error) => this.#report({ failed: String(error) });
    try {
      if (!(await this.#store(events))) return;
    } catch (error) {
      return failed(error);
    }
    const sent = this.#sendStored().catch(failed);
    if (!globalThis.document) await sent;
  }

  async #sendStored() {
    if (await this.flush()) return;
    try {
      // Only a worker has its registration at hand.
      const registration = globalThis.document ? await navigator.serviceWorker?.getRegistration() : globalThis.registration;
      await registration?.sync?.register(this.#name);
    } catch {
      // Without Background Sync, the next event or page sends them.
    }
  }

  // The consent is read in the same transaction, or an event could be stored after its withdrawal. False if it is missing.
  async #store(events) {
    const now = new Date();
    const context = {
      platform: "web",
      sdk_version: VERSION,
      app_version: this.#appVersion,
      locale: navigator.language,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
    const database = await this.#database();
    const transaction = database.transaction(["events", "state"], "readwrite", { durability: "strict" });
    const state = await known(transaction.objectStore("state"));
    if (!this.#mayRecord(state)) return false;
    const id = device(transaction.objectStore("state"), state);
    const store = transaction.objectStore("events");
    for (const event of events) {
      store.add({ ...event, id: version7(now), occurred_at: local(now), device_id: id, context });
    }
    const count = await done(store.count());
    if (count > LIMIT) {
      const keys = await done(store.getAllKeys(null, count - LIMIT));
      store.delete(IDBKeyRange.upperBound(keys.at(-1)));
      this.#report({ dropped: keys.length });
    }
    await finished(transaction);
    return true;
  }

  #mayRecord({ consent }) {
    return consent ?? !this.#requiresConsent;
  }

  async #drain() {
    let allowed = BATCH;
    // Where everything is refused, no event is at fault: something on the way may damage requests. So an event goes only if
    // something was taken in the same pass. Until then it stays, and the next one tells.
    let isTaking = false;
    let suspects = [];
    for (;;) {
      const waiting = await this.#oldest(allowed + suspects.length);
      // Read last: what was read before the consent was withdrawn is not sent.
      const state = await this.#state();
      if (waiting.length === 0 || !this.#mayRecord(state)) return true;
      const { failures = 0, notBefore = 0 } = state.sending ?? {};
      // If the clock was set back, the wait is still at most a day.
      const wait = notBefore - Date.now();
      if (wait > 0 && wait <= 86400e3) return false;
      const batch = waiting.filter(({ value }) => !suspects.some(({ id }) => id === value.id));
      const isRefused = batch.length === 0 || suspects.length === SUSPECTS;
      const { status, retryAfter } = suspects.at(-1) ?? {};
      const verdict = isRefused ? { isBarred: true, status, retryAfter } : await this.#send(batch.map(({ value }) => value));
      if (verdict.isTaken || (verdict.isRejected && batch.length === 1 && isTaking)) {
        await this.#remove(batch.at(-1));
        for (const report of [...suspects, verdict].flatMap(({ reports }) => reports)) this.#report(report);
        [isTaking, suspects] = [true, []];
        allowed = Math.min(BATCH, allowed * 2);
      } else if (verdict.isRejected && batch.length > 1) {
        // One of the events is at fault. The others must not be lost with it.
        allowed = Math.ceil(batch.length / 2);
      } else if (verdict.isRejected) {
        suspects.push({ id: batch[0].value.id, ...verdict });
        allowed = 1;
      } else {
        const backoff = Math.random() * Math.min(600e3, 1000 * 2 ** Math.min(failures, 20));
        const delay = Math.max(backoff, verdict.retryAfter ?? 0, verdict.isBarred ? 60e3 : 0);
        await this.#change((store) => store.put({ failures: failures + 1, notBefore: Date.now() + delay }, "sending"));
        if (verdict.isBarred) this.#report({ barred: verdict.status });
        return false;
      }
    }
  }

  async #send(events) {
    let answer, body;
    try {
      answer = await fetch(this.#url, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${this.#writeKey}`,
          "Content-Type": "application/json",
          "Notilog-Sent-At": new Date().toISOString(),
        },
        body: JSON.stringify(events),
        credentials: "omit",
        redirect: "manual",
        signal: AbortSignal.timeout(10_000),
      });
      body = await answer.json().catch(() => ({}));
    } catch {
      return {};
    }
    const status = answer.status;
    const results = body.results;
    if ((status === 200 || status === 422) && Array.isArray(results)) {
      if (body.accepted + body.duplicate + body.rejected !== events.length) return {};
      const rejected = results.filter((result) => result.status === "rejected");
      return { isTaken: true, reports: rejected.map(({ index, error }) => ({ rejected: events[index].id, ...error })) };
    }
    const retryAfter = milliseconds(answer.headers.get("Retry-After"));
    if (BARRED.has(status) || answer.type === "opaqueredirect") return { isBarred: true, status, retryAfter };
    const isRejected = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
    if (isRejected && (body.code || (status === 413 && events.length > 1))) {
      return { isRejected: true, status, retryAfter, reports: [{ rejected: events[0].id, code: body.code, status }] };
    }
    return isRejected ? { isBarred: true, status, retryAfter } : { retryAfter };
  }

  async #oldest(count) {
    const database = await this.#database();
    const transaction = database.transaction("events", "readwrite");
    const store = transaction.objectStore("events");
    const [keys, values] = await Promise.all([done(store.getAllKeys(null, count)), done(store.getAll(null, count))]);
    const events = keys.map((key, index) => ({ key, value: values[index] }));
    const horizon = Date.now() - MAX_AGE;
    const kept = events.filter(({ value }) => Date.parse(value.occurred_at) >= horizon);
    for (const { key } of events) if (!kept.some((event) => event.key === key)) store.delete(key);
    await finished(transaction);
    if (kept.length < events.length) this.#report({ dropped: events.length - kept.length });
    return kept.length === 0 && events.length > 0 ? this.#oldest(count) : kept;
  }

  async #remove({ key, value }) {
    const database = await this.#database();
    const transaction = database.transaction(["events", "state"], "readwrite");
    const store = transaction.objectStore("events");
    // If the database was deleted meanwhile, its successor's keys begin anew: they are of other events.
    if ((await done(store.get(key)))?.id === value.id) store.delete(IDBKeyRange.upperBound(key));
    transaction.objectStore("state").delete("sending");
    await finished(transaction);
  }

  async #state() {
    const database = await this.#database();
    return known(database.transaction("state").objectStore("state"));
  }

  async #change(body) {
    const database = await this.#database();
    const transaction = database.transaction(["events", "state"], "readwrite");
    body(transaction.objectStore("state"));
    await finished(transaction);
  }

  // One connection, until it fails or is closed: by the browser, or for those who delete the site's data.
  #database() {
    if (this.#opened) return this.#opened;
    const forget = () => (this.#opened = undefined);
    this.#opened = new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("events", { autoIncrement: true });
        request.result.createObjectStore("state");
      };
      request.onsuccess = () => {
        const database = request.result;
        database.onclose = forget;
        database.onversionchange = () => {
          forget();
          database.close();
        };
        resolve(database);
      };
      request.onerror = () => reject(request.error);
    });
    this.#opened.catch(forget);
    return this.#opened;
  }
}

// What a transaction's store of the state holds.
async function known(store) {
  const names = ["device", "consent", "sending"];
  const [device, consent, sending] = await Promise.all(names.map((name) => done(store.get(name))));
  return { device, consent, sending };
}

// The device's id, which it gets when it is first needed.
function device(store, state) {
  const id = state.device ?? crypto.randomUUID();
  if (state.device === undefined) store.put(id, "device");
  return id;
}

// The mark travels in the notification's data. Text or a list could not be given back as it was.
function refuseOtherData({ data }) {
  if (data === undefined || data === null || Object.prototype.toString.call(data) === "[object Object]") return;
  throw new TypeError('Notilog: options.data has to be an object, such as { url: "/article/7" }: the mark is added to it.');
}

// The id of the notification that is shown under a tag.
async function shownID(registration, { tag }) {
  const [shown] = tag ? await registration.getNotifications({ tag }).catch(() => []) : [];
  return shown?.data?.notilog?.id;
}

function about(mark = {}, options = {}) {
  return {
    notification_id: mark.id,
    request_identifier: options.tag || undefined,
    category_id: mark.category_id,
    campaign_id: mark.campaign_id,
    variant: mark.variant,
    delivered_at: mark.delivered_at,
  };
}

function ofNotification(notification) {
  return about(notification.data?.notilog, notification);
}

function status(permission) {
  return { default: "not_determined", granted: "authorized", denied: "denied" }[permission];
}

// RFC 3339 with the local offset.
function local(date) {
  const minutes = -date.getTimezoneOffset();
  const digits = (number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
  const shifted = new Date(date.getTime() + minutes * 60e3).toISOString().slice(0, -1);
  return `${shifted}${minutes < 0 ? "-" : "+"}${digits(minutes / 60)}:${digits(minutes % 60)}`;
}

// A UUID of version 7, which sorts by time.
function version7(date) {
  const time = date.getTime().toString(16).padStart(12, "0");
  const random = crypto.randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** What `Retry-After` asks for (RFC 9110: seconds, or a date), a day at most; 0 where it is missing or neither. */
function milliseconds(retryAfter) {
  const asked = /^ *\d+ *$/.test(retryAfter ?? "") ? 1000 * Number(retryAfter) : Date.parse(retryAfter ?? "") - Date.now();
  return Math.min(Math.max(asked || 0, 0), 86_400_000);
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function finished(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}
