// A way from a figure to a rule of alerts that watches it, for keys that may add one.

import { session } from "../data/session.js";
import { t } from "../text/text.js";
import { el, svg } from "./dom.js";

/** Parameters that a rule sets itself. */
const OWN = ["interval", "from", "to", "limit", "format", "min_position", "cursor"];

/** Ends of the names of columns that say how sure another is. */
const DOUBT = /(_low|_high|_p|p_value|p_holm|_before)$/;
const NUMBERS = ["bigint", "integer", "double precision"];
/** Columns that tell rows apart although they do not stand first, as the service has them. */
export const LATER = ["attributed", "class", "outcome", "since", "until"];

/** The figures of a report that a rule can be of. */
export function metricsOf(report) {
  return report.columns.filter((column) => column.unit && !LATER.includes(column.name) && NUMBERS.includes(column.type) && !DOUBT.test(column.name));
}

/** Whether a rule can judge what a query asks for: a report of days. */
function isWatchable(query, context) {
  const report = query?.path?.startsWith("v1/reports/") && context.catalogue.get(query.name);
  return Boolean(report) && ["from", "to"].every((name) => report.parameters.some((parameter) => parameter.name === name));
}

/**
 * A button that opens a rule for a query's report, filled in; null where none can be added.
 *
 * @param options query; metric: the column; of: parameters of the one cell, which is then judged as a whole; what: the figure in words;
 *   isSmall: a bell alone
 */
export function watch(context, { query, metric = null, of = null, what, isSmall = false }) {
  if (!session.isAdmin || !isWatchable(query, context)) return null;
  // A figure that the page makes of others is no column: a rule would be of another one.
  if (metric !== null && !metricsOf(context.catalogue.get(query.name)).some((column) => column.name === metric)) return null;
  const label = t("watch.this", { what });
  const open = async () => (await import("./rule.js")).rule(context, draft(query, metric, of));
  const bell = svg("svg", { class: "bell", width: 14, height: 14, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: "M8 1.5a4 4 0 0 0-4 4v3L2.5 11.5h11L12 8.5v-3a4 4 0 0 0-4-4zM6.5 13a1.5 1.5 0 0 0 3 0" }));
  return el("button", { type: "button", class: `quiet watch${isSmall ? " only" : ""}`, "data-watch": metric ?? query.name, "aria-label": label, title: label, onclick: open }, bell, isSmall ? null : t("watch.title"));
}

/** What a rule takes over from a query. */
function draft(query, metric, of) {
  const parameters = {};
  for (const [name, value] of query.parameters) if (!OWN.includes(name)) (parameters[name] ??= []).push(value);
  for (const [name, value] of Object.entries(of ?? {})) {
    // The service reads texts alone, and a status is a number.
    parameters[name] = [String(value ?? "")];
    if (parameters.by?.[0].split(",").includes(name)) parameters.by = [parameters.by[0].split(",").filter((one) => one !== name).join(",") || "none"];
  }
  return { report: query.name, parameters, metric };
}
