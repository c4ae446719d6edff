// Alerts: what rules raised, and the rules, which keys of scope admin add and remove. A link to a rule shows its alerts alone.

import { isFilter, link } from "../data/address.js";
import { ask } from "../data/api.js";
import { addDays } from "../data/range.js";
import { session } from "../data/session.js";
import { confirm } from "../parts/dialog.js";
import { el } from "../parts/dom.js";
import { cellName, tryRule } from "../parts/judgement.js";
import { breakable } from "../parts/links.js";
import { Panel } from "../parts/panel.js";
import { rule as addRule } from "../parts/rule.js";
import { table } from "../parts/table.js";
import { UNKNOWN, count, exact, exactPercent, time } from "../text/format.js";
import { t } from "../text/text.js";

export const alerts = {
  title: () => t("nav.alerts"),
  about: () => t("alerts.about"),
  isTimeless: true,
  panels: (context) => [adding(context), raised(context), rules(context)],
};

function adding(context) {
  if (!session.isAdmin) return el("p", { class: "wide about" }, t("alerts.reader"));
  return el("div", { class: "wide" }, el("button", { type: "button", class: "primary", name: "add", onclick: () => addRule(context) }, t("rule.add")));
}

function query(name, path) {
  return { name, path, parameters: new URLSearchParams(), saved: new URLSearchParams(), ignored: [], csv: false };
}

/** A figure of an alert as the rule's form and its test show it. */
function figure(context, { report, metric }, value) {
  const column = context.catalogue.get(report)?.columns.find((one) => one.name === metric);
  return (column?.unit === "fraction" ? exactPercent : exact)(value);
}

/** The view that shows a report's figures, where it is not the overview. */
const VIEWS = {
  campaigns: "campaigns", outcomes: "outcomes", experiment: "experiments", settings: "settings", reachability: "settings", authorization: "settings",
  opt_outs: "optouts", frequency: "optouts", tokens: "tokens", push_results: "provider", extensions: "extensions", instrumentation: "extensions",
  actions: "category", heatmap: "categories", response_times: "category", removals: "categories", categories: "categories", live_activities: "outcomes",
  engagement: "category", funnel: "overview", activity: "overview", changes: "overview",
};

/**
 * Where an alert's figure is shown as its rule has it, with the two weeks that lead to its day; a category has a page of its own.
 * Filters of this page's address are not the rule's.
 */
function place(context, { report, cell, day }, rule) {
  const { by, tz = ["UTC"], ...asked } = rule?.parameters ?? { tz: [context.zone] };
  const cleared = Object.fromEntries(context.filters.map(([name]) => [name, null]));
  const own = Object.fromEntries(Object.entries(cell).filter(([name]) => isFilter(name)).map(([name, value]) => [name, value ?? ""]));
  const parameters = { ...cleared, window: null, ...asked, ...own };
  const wanted = VIEWS[report] ?? "overview";
  const isOfOne = [parameters.category ?? []].flat().length === 1;
  const view = wanted === "category" && !isOfOne ? "overview" : wanted;
  // Only experiments are shown by what they were asked by.
  return link(view, { ...parameters, by: view === "experiments" ? by : null, tz, interval: null, rule: null, last: null, from: addDays(day, -13), to: addDays(day, 1) });
}

function judgedBy(context, row) {
  const { usual, low, high, bound } = row.figures;
  const shown = (value) => figure(context, row, value);
  if (usual !== undefined) return t("alerts.range", { usual: shown(usual), low: shown(low), high: shown(high) });
  return bound === undefined ? UNKNOWN : t("alerts.bound", { bound: shown(bound) });
}

function raised(context) {
  const rule = context.parameters.get("rule");
  let rules = [];
  const text = (key, show = (row) => row[key]) => ({ key, label: t(`alerts.${key}`), value: show, cell: show });
  const number = (key) => ({ key, label: t(`alerts.${key}`), numeric: true, value: (row) => row.figures[key] });
  const columns = [
    { ...text("rule"), cell: (row) => el("a", { href: link("alerts", { rule: row.rule }) }, breakable(row.rule)) },
    { ...text("cell", (row) => cellName(row.cell)), cell: (row) => el("a", { href: place(context, row, rules.find((one) => one.name === row.rule)), title: t("alerts.look") }, cellName(row.cell)) },
    text("day"),
    text("metric"),
    { ...number("value"), cell: (row) => figure(context, row, row.figures.value) },
    text("usual", (row) => judgedBy(context, row)),
    { ...number("volume"), cell: (row) => count(row.figures.volume) },
    { ...text("raised_at"), cell: (row) => time(row.raised_at, context.zone) },
    { ...text("resolved_at"), cell: (row) => (row.resolved_at ? time(row.resolved_at, context.zone) : [el("strong", {}, t("alerts.open")), " ", session.isAdmin ? resolving(context, row) : null]) },
  ];
  return new Panel(context, {
    title: rule === null ? t("nav.alerts") : breakable(rule),
    wide: true,
    empty: "alerts.none",
    early: true,
    queries: [query("alerts", "v1/alerts"), query("rules", "v1/alert_rules")],
    draw: ({ alerts: all }, known) => {
      rules = known?.rules ?? [];
      const rows = all.filter((row) => rule === null || row.rule === rule);
      return rows.length ? table(columns, rows, { caption: t("nav.alerts"), sort: "-raised_at", rowName: (row) => row.id }) : null;
    },
  }).node;
}

function rules(context) {
  const text = (key, show = (row) => row[key]) => ({ key, label: t(`alerts.${key}`), value: show, cell: show });
  const columns = [
    { ...text("name"), cell: (row) => el("a", { href: link("alerts", { rule: row.name }) }, breakable(row.name)) },
    { key: "acts", label: t("alerts.acts"), cell: (row) => acts(context, row) },
    text("report"),
    text("parameters", (row) => Object.entries(row.parameters).map(([name, values]) => `${name}=${values.join(",")}`).join(" ")),
    text("when"),
    { ...text("least_volume"), numeric: true, cell: (row) => count(row.least_volume) },
    text("receivers", (row) => row.receivers.join(" ")),
    text("next_day"),
    { ...text("due_at"), cell: (row) => time(row.due_at, context.zone) },
    text("last_error", (row) => row.last_error ?? "–"),
  ];
  return new Panel(context, {
    title: t("alerts.rules"),
    wide: true,
    empty: "alerts.no_rules",
    queries: [query("rules", "v1/alert_rules")],
    draw: ({ rules: all }) => (all.length ? table(columns, all, { caption: t("alerts.rules"), sort: "name", name: "rules", rowName: (row) => row.name }) : null),
  }).node;
}

/** What can be done with a rule. */
function acts(context, row) {
  const button = (name, label, onclick) => el("button", { type: "button", class: "quiet", name, "aria-label": `${label}: ${row.name}`, onclick }, label);
  return el("span", { class: "acts" }, button("try", t("rule.try"), () => tryRule(context, row)), session.isAdmin ? button("remove", t("dialog.remove"), () => removing(context, row.name)) : null);
}

/** Asks before a rule is removed with its alerts. */
function removing(context, name) {
  return confirm(t("rule.remove"), t("rule.remove.about", { name }), t("dialog.remove"), async () => {
    await ask(`v1/alert_rules/${encodeURIComponent(name)}`, { method: "DELETE" });
    await context.again("v1/alert");
  });
}

/** Asks before an alert is resolved by hand, which makes the cell's present level the usual one. */
function resolving(context, { id, rule: name, cell }) {
  const send = async () => {
    await ask(`v1/alerts/${id}`, { method: "DELETE" });
    await context.again("v1/alert");
  };
  const open = () => confirm(t("rule.resolve"), t("rule.resolve.about", { name, cell: cellName(cell) }), t("rule.resolve"), send);
  return el("button", { type: "button", class: "quiet", name: "resolve", "aria-label": `${t("rule.resolve")}: ${cellName(cell)}`, onclick: open }, t("rule.resolve"));
}
