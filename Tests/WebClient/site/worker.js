import { Notilog } from "./notilog.js";

const notilog = new Notilog({ writeKey: new URL(self.location).searchParams.get("key"), appVersion: "4.1" });
notilog.listen();

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const { title, notilog: mark, ...options } = event.data.json();
  event.waitUntil(title ? notilog.show(registration, title, options, mark) : notilog.recordSilent(mark));
});

// What a person does to a notification, by the tests: no browser without a screen lets one be pressed. The event and its
// notification are the browser's own; one that a script made may only not wait, so the message's does.
self.addEventListener("message", (event) => {
  const { type, action, tag } = event.data;
  const act = async () => {
    const [notification] = await registration.getNotifications({ tag });
    const waiting = [];
    const made = new NotificationEvent(type, { notification, action });
    Object.defineProperty(made, "waitUntil", { value: (promise) => waiting.push(promise) });
    self.dispatchEvent(made);
    await Promise.all(waiting);
    event.ports[0].postMessage(waiting.length);
  };
  event.waitUntil(act());
});
