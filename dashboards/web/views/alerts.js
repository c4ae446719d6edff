// Alerts: what rules raised, and the rules. A link to a rule shows its alerts alone.

import { el } from "../parts/dom.js";
import { breakable } from "../parts/links.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, time } from "../text/format.js";
import { t } from "../text/text.js";

export const alerts = {
  title: () => t("nav.alerts"),
  about: () => t("alerts.about"),
  isTimeless: true,
  panels: (context) => [raised(context), rules(context)],
};

function query(name, path) {
  return { name, path, parameters: new URLSearchParams(), saved: new URLSearchParams(), ignored: [], csv: false };
}

function figure(value) {
  return value === null || value === undefined ? "–" : String(Number(value.toPrecision(4)));
}

function cellText(cell) {
  return Object.entries(cell).map(([name, value]) => `${name}=${value ?? ""}`).join(" ") || t("alerts.all");
}

function judgedBy({ usual, low, high, bound }) {
  if (usual !== undefined) return t("alerts.range", { usual: figure(usual), low: figure(low), high: figure(high) });
  return bound === undefined ? "–" : t("alerts.bound", { bound: figure(bound) });
}

function raised(context) {
  const rule = context.parameters.get("rule");
  const text = (key, show = (row) => row[key]) => ({ key, label: t(`alerts.${key}`), value: show, cell: show });
  const number = (key) => ({ key, label: t(`alerts.${key}`), numeric: true, value: (row) => row.figures[key] });
  const columns = [
    { ...text("rule"), cell: (row) => breakable(row.rule) },
    text("cell", (row) => cellText(row.cell)),
    text("day"),
    text("metric"),
    { ...number("value"), cell: (row) => figure(row.figures.value) },
    text("usual", (row) => judgedBy(row.figures)),
    { ...number("volume"), cell: (row) => count(row.figures.volume) },
    { ...text("raised_at"), cell: (row) => time(row.raised_at, context.zone) },
    { ...text("resolved_at"), cell: (row) => (row.resolved_at ? time(row.resolved_at, context.zone) : el("strong", {}, t("alerts.open"))) },
  ];
  return new Panel(context, {
    title: rule === null ? t("nav.alerts") : breakable(rule),
    wide: true,
    empty: "alerts.none",
    queries: [query("alerts", "v1/alerts")],
    draw: ({ alerts: all }) => {
      const rows = all.filter((row) => rule === null || row.rule === rule);
      return rows.length ? table(columns, rows, { caption: t("nav.alerts"), sort: "-raised_at", rowName: (row) => row.id }) : null;
    },
  }).node;
}

function rules(context) {
  const text = (key, show = (row) => row[key]) => ({ key, label: t(`alerts.${key}`), value: show, cell: show });
  const columns = [
    { ...text("name"), cell: (row) => breakable(row.name) },
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
