// Events in the order in which they happened, each with all that is stored of it.

import { time } from "../text/format.js";
import { named, t } from "../text/text.js";
import { el } from "./dom.js";
import { badge } from "./figure.js";
import { notificationLink } from "./links.js";

/** What of an event is worth a word beside its name, by kind. */
const WORDS = {
  request: (data) => [data.origin, data.trigger?.type, data.interruption_level, data.error],
  delivery: (data) => [data.source, data.extension?.outcome],
  presentation: (data) => [data.surface, data.options?.join(" + ")],
  action_response: (data) => [data.action_id, data.app_state],
  dismissal: () => [],
  removal: (data) => [data.reason, data.state],
  settings: (data) => [data.authorization_status],
  token: (data) => [data.state, data.provider, data.environment],
  push_result: (data) => [data.provider, data.status, data.reason],
  authorization_request: (data) => [data.options?.join(" + "), data.granted === undefined ? null : t(data.granted ? "value.granted" : "value.denied")],
  category_registration: (data) => [t("timeline.categories", { n: data.categories?.length ?? 0 })],
};

/**
 * @param events as the service gives them, oldest first
 * @param options zone; device: whose they are; links: whether notifications are ways to their own timeline
 */
export function timeline(events, { zone, device, links }) {
  let day = null;
  return el(
    "ol",
    { class: "timeline" },
    events.flatMap((event) => {
      const date = time(event.effective_at, zone, "day");
      const head = date === day ? [] : [el("li", { class: "day" }, el("h3", {}, date))];
      day = date;
      return [...head, item(event, zone, device, links)];
    }),
  );
}

function item(event, zone, device, links) {
  const words = (WORDS[event.kind]?.(event.data ?? {}) ?? []).filter((word) => word !== null && word !== undefined && word !== "");
  const shift = Math.abs(Date.parse(event.effective_at) - Date.parse(event.occurred_at));
  const category = event.data?.category_id;
  return el(
    "li",
    { class: `event ${event.kind}` },
    el("time", { datetime: event.effective_at, title: time(event.effective_at, zone, "full") }, time(event.effective_at, zone, "clock")),
    el(
      "div",
      {},
      el("strong", {}, named("kind", event.kind)),
      words.map((word) => badge(String(word))),
      category ? el("span", { class: "soft" }, ` ${category}`) : null,
      event.time_clamped ? badge(t("timeline.clamped"), "warn", t("about.clamped")) : shift >= 1000 ? badge(t("timeline.corrected"), "soft", t("about.corrected")) : null,
      links && event.notification_id ? el("div", { class: "small" }, t("timeline.notification"), " ", notificationLink(device, event.notification_id)) : null,
      details(event),
    ),
  );
}

function details(event) {
  const text = el("pre", { tabindex: "0" });
  const node = el(
    "details",
    { ontoggle: () => node.open && (text.textContent ||= JSON.stringify(event, null, 2)) },
    el("summary", {}, t("timeline.all")),
    text,
  );
  return node;
}
