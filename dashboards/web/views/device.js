// One device: whether pushes reach it, its settings and tokens, and all of its events.

import { current, note } from "../data/address.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { pages, timelineQuery } from "../parts/pages.js";
import { perhaps } from "../parts/perhaps.js";
import { table } from "../parts/table.js";
import { time } from "../text/format.js";
import { named, t } from "../text/text.js";

export const device = {
  under: "lookup",
  title: () => t("device.title"),
  isTimeless: true,
  panels: (context) => {
    const id = context.parameters.get("device") ?? "";
    const path = `v1/devices/${encodeURIComponent(id)}`;
    const state = { path, parameters: new URLSearchParams(), ignored: [], csv: false };
    const events = `${path}/events`;
    const [panel, put] = perhaps(context, "device.none", { device: id });
    return put([
      el("p", { class: "wide" }, el("code", {}, id)),
      panel({ title: t("device.state"), queries: [state], draw: (answer) => deviceState(answer, context.zone) }),
      panel({ title: t("device.settings"), empty: "device.noSettings", queries: [state], draw: (answer) => (answer.settings ? settings(answer.settings, context.zone) : null) }),
      panel({ title: t("nav.tokens"), wide: true, empty: "device.noTokens", queries: [state], draw: (answer) => (answer.tokens.length ? tokens(answer.tokens, context.zone) : null) }),
      panel({
        title: t("timeline.title"), about: t("timeline.about", { zone: context.zone }), wide: true, queries: [timelineQuery(events)],
        draw: (answer) => timelines(events, answer, { zone: context.zone, device: id, links: true }),
      }),
    ]);
  },
};

/** By notification, or one event after the other. */
function timelines(path, answer, options) {
  const container = el("div", { class: "panel-body" });
  const isGrouped = () => current().parameters.get("events") !== "single";
  const draw = () => container.replaceChildren(...pages(path, answer, { ...options, isGrouped: isGrouped() }));
  const choice = (value, label) =>
    el("label", {}, el("input", { type: "radio", name: "events", value, checked: (value === "grouped") === isGrouped(), onchange: () => (note({ events: value === "grouped" ? null : value }), draw()) }), " " + label);
  draw();
  return [
    el("fieldset", { class: "choice" }, el("legend", { class: "visually-hidden" }, t("timeline.choice")), choice("grouped", t("timeline.grouped")), choice("single", t("timeline.single"))),
    container,
  ];
}

function line(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}

/** Null where settings and tokens do not tell. */
function reachable(is) {
  const [text, kind] = is === null ? ["value.unknown", ""] : is ? ["value.yes", "good"] : ["value.no", "warn"];
  return badge(t(text), kind, t("about.reachable"));
}

function deviceState(answer, zone) {
  const context = answer.context?.value ?? {};
  return el(
    "dl",
    { class: "list" },
    line(t("device.reachable"), reachable(answer.reachable)),
    Object.entries(context).map(([name, value]) => line(named("filter", name), String(value))),
    answer.context ? line(t("device.seen"), time(answer.context.last_seen_at, zone)) : null,
  );
}

/** What decides most comes first. */
function ordered(value) {
  const first = (name) => (name === "authorization_status" ? 0 : 1);
  return Object.entries(value).sort(([a], [b]) => first(a) - first(b) || a.localeCompare(b));
}

function settings(period, zone) {
  return el(
    "dl",
    { class: "list" },
    ordered(period.value).map(([name, value]) => line(named("setting", name), typeof value === "boolean" ? t(value ? "value.yes" : "value.no") : named("settingState", value))),
    line(t("device.since"), time(period.since, zone)),
    line(t("device.seen"), time(period.last_seen_at, zone)),
  );
}

function tokens(rows, zone) {
  const at = (key) => ({ key, label: t(`device.${key}`), value: (row) => row[key], cell: (row) => time(row[key], zone) });
  return table(
    [
      { key: "state", label: t("column.state"), value: (row) => row.state, cell: (row) => badge(named("token", row.state), row.state === "active" ? "good" : "") },
      { key: "provider", label: t("column.provider"), value: (row) => row.provider, cell: (row) => named("provider", row.provider) },
      { key: "type", label: t("column.type"), value: (row) => row.type, cell: (row) => named("tokenType", row.type) },
      { key: "environment", label: t("column.environment"), value: (row) => row.environment, cell: (row) => named("environment", row.environment) },
      { key: "topic", label: t("device.topic"), value: (row) => row.topic, cell: (row) => row.topic ?? "–" },
      at("registered_at"), at("last_registered_at"), at("ended_at"),
    ],
    rows,
    { caption: t("nav.tokens"), sort: "-last_registered_at" },
  );
}
