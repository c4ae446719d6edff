// The notifications behind a figure: chosen by state, action or what was turned down after them, and by the filters.

import { go } from "../data/address.js";
import { el } from "../parts/dom.js";
import { listing } from "../parts/listing.js";
import { Panel } from "../parts/panel.js";
import { named, t } from "../text/text.js";

const STATES = [
  "any", "requested", "failed", "reached", "reached_seen", "reached_assumed", "unanswered", "immature", "delivered", "presented", "suppressed",
  "silent", "responded", "opened", "acted", "replied", "app_opened", "dismissed", "withdrawn", "response_only",
];

export const notifications = {
  under: "lookup",
  title: () => t("list.title"),
  about: () => t("list.about"),
  panels: (context) => [chosen(context), list(context)],
};

function chosen(context) {
  const now = context.parameters.get("state") ?? "any";
  const states = STATES.includes(now) ? STATES : [...STATES, now];
  const select = el(
    "select",
    { name: "state", onchange: (event) => go({ state: event.target.value === "any" ? null : event.target.value }) },
    states.map((state) => el("option", { value: state, selected: state === now }, named("listState", state))),
  );
  return el(
    "div",
    { class: "wide controls", role: "group", "aria-label": t("list.choice") },
    el("label", { class: "field" }, el("span", {}, t("column.state")), select),
    el("div", { class: "filters" }, chip(context, "action", "action"), chip(context, "turned_off", "setting")),
  );
}

/** What a figure's link asked for beside the state, with a way out. */
function chip(context, name, group) {
  const value = context.parameters.get(name);
  if (!value) return null;
  const text = `${t(`list.by.${name}`)}: ${named(group, value)}`;
  return el("span", { class: "chip" }, text, el("button", { type: "button", "aria-label": t("filter.remove", { filter: text }), onclick: () => go({ [name]: null }) }, "×"));
}

function list(context) {
  const given = (name) => context.parameters.get(name);
  // Pages are for the eye; a file has as many as are given at once.
  const query = context.query("notifications", { state: given("state"), action: given("action"), turned_off: given("turned_off"), limit: 50 }, { limit: 1000 });
  return new Panel(context, {
    title: t("list.newest"),
    about: t("list.newest.about", { zone: context.zone }),
    wide: true,
    queries: [query],
    draw: (answer) => (answer.rows.length ? listing(query, answer, context.zone) : null),
  }).node;
}
