// Events in the order in which they happened, each with all that is stored of it.

import { time } from "../text/format.js";
import { named, t } from "../text/text.js";
import { el } from "./dom.js";
import { badge } from "./figure.js";
import { breakable, notificationLink } from "./links.js";

/** What of an event is worth a word beside its name, by kind. */
const WORDS = {
  request: (data) => [data.origin, data.trigger?.type, data.interruption_level, data.error],
  delivery: (data) => [data.source, data.extension?.outcome],
  presentation: (data) => [data.surface, data.options?.join(" + ")],
  action_response: (data) => [data.action_id, data.app_state],
  dismissal: () => [],
  removal: (data) => [data.reason, data.state],
  settings: (data) => [data.authorization_status],
  open_settings: () => [],
  token: (data) => [data.state, data.provider, data.environment],
  push_result: (data) => [data.provider, data.status, data.reason],
  authorization_request: (data) => [data.options?.join(" + "), data.granted === undefined ? null : t(data.granted ? "value.granted" : "value.denied")],
  category_registration: (data) => [t("timeline.categories", { n: data.categories?.length ?? 0 })],
  app_open: (data) => [data.source],
  conversion: (data) => [data.name, data.value === undefined ? null : `${data.value} ${data.currency}`],
  holdout: (data) => [data.campaign_id, data.variant],
  permission_prompt: (data) => [data.placement, data.variant, data.answer],
  live_activity: (data) => [data.attributes_type, data.state],
};

/**
 * @param events as the service gives them, oldest first
 * @param options zone; device: whose they are; links: whether notifications are ways to their own timeline; isGrouped: whether
 *   the events of a notification stand together, where the first of them is
 */
export function timeline(events, { zone, device, links, isGrouped = false }) {
  if (isGrouped) return bundles(events, zone, device);
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

function bundles(events, zone, device) {
  const groups = new Map();
  for (const event of events) {
    const key = event.notification_id ?? event;
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  let day = null;
  return el(
    "ol",
    { class: "timeline" },
    [...groups.values()].flatMap((group) => {
      const date = time(group[0].effective_at, zone, "day");
      const head = date === day ? [] : [el("li", { class: "day" }, el("h3", {}, date))];
      day = date;
      return [...head, group[0].notification_id ? bundle(group, zone, device) : item(group[0], zone, device, false)];
    }),
  );
}

/** A notification: what became of it, by the kinds of its events, and these, folded. */
function bundle(events, zone, device) {
  const [first] = events;
  const kinds = [...new Set(events.map((event) => event.kind))];
  const category = events.findLast((event) => event.data?.category_id)?.data.category_id;
  return el(
    "li",
    { class: `event bundle ${kinds.at(-1)}`, "data-notification": first.notification_id },
    el("time", { datetime: first.effective_at, title: time(first.effective_at, zone, "full") }, time(first.effective_at, zone, "clock")),
    el(
      "div",
      {},
      el("strong", {}, notificationLink(device, first.notification_id, category ? breakable(category) : t("timeline.notification"))),
      kinds.map((kind) => badge(named("kind", kind), kind === "action_response" ? "good" : "")),
      el("details", {}, el("summary", {}, t("timeline.count", { n: events.length })), el("ol", { class: "timeline" }, events.map((event) => item(event, zone, device, false)))),
    ),
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
      category ? el("span", { class: "soft" }, " ", breakable(category)) : null,
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
