// Buttons, including those that nobody presses.

import { measure } from "../parts/breakdown.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { behind, breakable } from "../parts/links.js";
import { bar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, duration, percent } from "../text/format.js";
import { named, t } from "../text/text.js";

/** Of what reached people, what they first responded to by a button. */
const ACTED = measure("engagement", "acted_in_window", "rate_denominator", "action_rate");

export function actions(context) {
  return new Panel(context, {
    title: t("actions.title"),
    about: t("actions.about"),
    wide: true,
    breakdown: { name: "buttons", measure: ACTED },
    queries: [context.query("actions")],
    draw: (answer) => (answer.rows.length ? table(columns(answer.rows, context.window), answer.rows, { answer, caption: t("actions.title"), sort: "-rate", name: "actions", rowName: (row) => row.action }) : null),
  }).node;
}

function columns(rows, window) {
  const most = Math.max(...rows.map((row) => row.rate_high ?? 0));
  const mostShare = Math.max(...rows.map((row) => row.share ?? 0));
  return [
    { key: "action", label: t("column.action"), value: (row) => row.action, cell: name },
    { key: "offered", label: t("column.offered"), about: t("about.offered"), numeric: true, value: (row) => row.offered, cell: (row) => count(row.offered) },
    { key: "taken_in_window", label: t("column.taken", { window: named("window", window) }), about: t("about.taken"), numeric: true, value: (row) => row.taken_in_window, cell: taken },
    { key: "rate", label: t("column.rate"), about: t("about.action.rate"), numeric: true, isRate: true, value: (row) => row.rate, cell: (row) => rate(row.rate, row.rate_low, row.rate_high, most) },
    { key: "share", label: t("column.share"), about: t("about.share"), numeric: true, value: (row) => row.share, cell: (row) => [percent(row.share), row.share === null ? null : bar(row.share, mostShare)] },
    { key: "response_p50", label: t("column.press_p50"), numeric: true, value: (row) => row.response_p50, cell: (row) => duration(row.response_p50) },
    { key: "response_p90", label: t("column.press_p90"), numeric: true, value: (row) => row.response_p90, cell: (row) => duration(row.response_p90) },
    { key: "place", label: t("column.place"), numeric: true, value: (row) => row.place, cell: (row) => count(row.place) },
  ];
}

function name(row) {
  const kinds = ["foreground", "authentication_required", "destructive", "text_input"].filter((kind) => row[kind]);
  const isSystem = row.registered === null;
  return [
    isSystem ? named("action", row.action) : el("code", {}, breakable(row.action)),
    row.registered === false ? badge(t("badge.unregistered"), "warn", t("about.unregistered")) : null,
    kinds.map((kind) => badge(t(`option.${kind}`))),
  ];
}

function taken(row) {
  if (row.notifications === null) return el("span", { class: "soft", title: t("about.dismiss.unobserved") }, t("value.unobserved"));
  const isDead = row.notifications === 0 && row.registered;
  return [
    count(row.taken_in_window),
    isDead ? badge(t("badge.nobody"), "warn") : null,
    row.notifications ? el("div", { class: "small" }, behind(t("actions.anyTime", { n: count(row.notifications) }), { category: row.category ?? "", action: row.action })) : null,
    row.response_only ? el("div", { class: "small", title: t("about.responseOnly") }, t("actions.responseOnly", { n: count(row.response_only) })) : null,
  ];
}
