// A rule of alerts, made on the page: what it watches, and when it raises an alert, in words.

import { link } from "../data/address.js";
import { ask } from "../data/api.js";
import { WINDOWS } from "../data/range.js";
import { count, exact, exactPercent, time } from "../text/format.js";
import { isolated, named, t } from "../text/text.js";
import { columnLabel } from "./columns.js";
import { el } from "./dom.js";
import { choice, dialog, field, lacking } from "./dialog.js";
import { dimensionName } from "./filters.js";
import { judgement, keyName } from "./judgement.js";
import { LATER, metricsOf } from "./watch.js";

const TESTS = ["falls", "rises", "changes", "<", ">"];

/** The reports that a rule can judge. */
function judgeable(context) {
  return [...context.catalogue.values()].filter((report) => report.href.startsWith("/v1/reports/") && ["from", "to"].every((name) => takes(report, name)) && metricsOf(report).length);
}

function takes(report, name) {
  return report.parameters.some((parameter) => parameter.name === name);
}

/** The dimensions whose values the service judges separately; none if it judges everything together. */
function rowsOf(report, parameters) {
  const later = report.columns.map((column) => column.name).filter((name) => LATER.includes(name));
  if (parameters.by) return [...namesIn(parameters.by[0]), ...later];
  const usual = report.parameters.find((parameter) => parameter.name === "by")?.default;
  const names = usual ? namesIn(usual) : keysOf(report);
  // A dimension filtered to one value has only that value's rows.
  return [...names.filter((name) => parameters[name]?.length !== 1), ...later];
}

function namesIn(by) {
  return by.split(",").filter((name) => name && name !== "none");
}

/** The leading columns of a report that are not figures, without the start of the interval. */
function keysOf(report) {
  const columns = report.columns.filter((column) => column.name !== "interval_start");
  const end = columns.findIndex((column) => column.unit || !["text", "integer"].includes(column.type));
  return columns.slice(0, end < 0 ? columns.length : end).map((column) => column.name);
}

/** What a rule is restricted to. */
function chosen(report, parameters) {
  return Object.entries(parameters)
    .filter(([name]) => report.filters.includes(name) || !["by", "tz", "window"].includes(name))
    .map(([name, values]) => `${report.filters.includes(name) ? dimensionName(name) : name}: ${values.map((value) => isolated(value || t("value.none"))).join(", ")}`);
}

/**
 * Opens the form. `draft` is a report, its parameters and the column to begin with; without one the report is chosen too.
 */
export function rule(context, draft = null) {
  const reports = judgeable(context);
  const now = draft ?? { report: "engagement", parameters: { by: ["category"], tz: [context.zone], window: [context.window] }, metric: "engagement_rate" };
  const receivers = el("input", { name: "receivers", placeholder: "mailto:ops@example.com", autocomplete: "off", spellcheck: "false" });
  const name = el("input", { name: "name", required: true, maxlength: 100, autocomplete: "off", spellcheck: "false" });
  const volume = el("input", { name: "volume", type: "number", min: 0, step: 1, value: 100, required: true });
  const bound = el("input", { name: "bound", type: "number", step: "any", required: true });
  const boundField = field(t("rule.bound"), bound);
  const words = el("p", { class: "note rule-words", role: "status" });
  const varying = el("div", { class: "dialog-fields" });
  const test = choice("test", TESTS.map((one) => [one, t(`rule.test.${one}`)]), "falls", describe);
  let [report, metric, isNamed] = [null, null, false];

  /** What depends on the report. */
  function take(chosenReport, metricName) {
    report = context.catalogue.get(chosenReport);
    const metrics = metricsOf(report);
    const first = [metricName, "engagement_rate"].map((name) => metrics.find((one) => one.name === name)).find(Boolean) ?? metrics.find((one) => one.unit === "fraction") ?? metrics[0];
    metric = choice("metric", metrics.map((column) => [column.name, columnLabel(column, report)]), first.name, describe);
    const windows = [...new Set([...WINDOWS, now.parameters.window?.[0] ?? "P1D"])];
    const by = now.parameters.by?.[0];
    varying.replaceChildren(
      ...[
        draft ? null : field(t("rule.report"), choice("report", reports.map((one) => [one.name, one.name]), report.name, (event) => change(event.target.value))),
        field(t("rule.metric"), metric),
        !draft && takes(report, "by") ? field(t("rule.by"), choice("by", bys(report, by), by, (event) => ((now.parameters.by = [event.target.value]), describe()))) : null,
        takes(report, "window") ? field(t("control.window"), choice("window", windows.map((one) => [one, named("window", one)]), now.parameters.window?.[0], (event) => ((now.parameters.window = [event.target.value]), describe()))) : null,
      ].filter(Boolean),
    );
    describe();
  }

  function bys(report, by) {
    const names = context.dimensions.filter((one) => report.filters.includes(one));
    return [["none", t("by.none")], ...[...new Set([by, ...names])].filter((one) => one && one !== "none").map((one) => [one, dimensionName(one)])];
  }

  function change(name) {
    const report = context.catalogue.get(name);
    now.parameters = { tz: [context.zone] };
    if (takes(report, "window")) now.parameters.window = [context.window];
    if (takes(report, "by") && report.filters.includes("category")) now.parameters.by = ["category"];
    take(name);
  }

  /** The condition as the service reads it; a rate's bound is a percentage here. */
  function condition() {
    if (!["<", ">"].includes(test.value)) return `${metric.value} ${test.value}`;
    const value = Number(bound.value) / (isRate() ? 100 : 1);
    return `${metric.value} ${test.value} ${Number(value.toPrecision(12))}`;
  }

  function chosenColumn() {
    return report.columns.find((column) => column.name === metric.value);
  }

  function isRate() {
    return chosenColumn().unit === "fraction";
  }

  function describe() {
    const isBound = ["<", ">"].includes(test.value);
    boundField.hidden = bound.disabled = !isBound;
    boundField.firstChild.textContent = t(isRate() ? "rule.bound.percent" : "rule.bound");
    const rows = rowsOf(report, now.parameters);
    const of = [rows.length ? t("rule.words.each", { rows: rows.map(keyName).join(", ") }) : t("rule.words.whole"), ...chosen(report, now.parameters)].join(" · ");
    const wait = now.parameters.window ? t("rule.words.after", { time: named("window", now.parameters.window[0]) }) : t("rule.words.soon");
    words.replaceChildren(
      t(`rule.words.${test.value}`, { metric: columnLabel(chosenColumn(), report), bound: bound.value ? (isRate() ? exactPercent(Number(bound.value) / 100) : exact(Number(bound.value))) : "…" }), " ",
      el("strong", {}, of), ". ",
      t("rule.words.volume", { n: count(Number(volume.value)) }), " ", wait, isBound ? "" : ` ${t("rule.words.learns")}`,
    );
    const values = Object.entries(now.parameters).filter(([one]) => !["by", "tz", "window"].includes(one)).flatMap(([, all]) => all);
    const suggested = [report.name, rows.length && `by ${rows.join(",")}`, ...values.map((value) => value || t("value.none"))].filter(Boolean).join(" ");
    if (!isNamed) name.value = short(`${suggested}: ${isBound && !bound.value ? metric.value : condition()}`);
  }

  for (const input of [bound, volume]) input.addEventListener("input", describe);
  name.addEventListener("input", () => (isNamed = name.value !== ""));
  take(now.report, now.metric);
  return dialog({
    title: draft ? t("watch.title") : t("rule.add"),
    about: draft ? t("rule.about", { report: now.report }) : null,
    fields: [
      varying,
      el("div", { class: "dialog-fields" }, field(t("rule.test"), test), boundField, field(t("rule.volume"), volume)),
      words,
      field(t("rule.receivers"), receivers, t("rule.receivers.help")),
      field(t("alerts.name"), name),
    ],
    action: t("rule.add"),
    send: async () => {
      const body = {
        name: name.value.trim(), report: report.name, parameters: now.parameters, when: condition(), least_volume: Number(volume.value),
        receivers: receivers.value.split(/[\s,]+/).filter(Boolean).map((one) => (/^[^\s:/@]+@[^\s:/@]+$/.test(one) ? `mailto:${one}` : one)),
      };
      const added = await ask("v1/alert_rules", { method: "POST", body });
      await context.again("v1/alert_rules");
      return [
        el("p", { role: "status" }, t("rule.added", { name: added.name, day: added.next_day, at: time(added.due_at, context.zone) }), " ", el("a", { href: link("alerts") }, t("rule.all"))),
        ...lacking(added.warnings),
        await judgement(context, added),
      ];
    },
  });
}

/** Of at most 100 bytes, as names are. */
function short(text) {
  let end = text.length;
  while (new TextEncoder().encode(text.slice(0, end)).length > 100) end -= 1;
  return text.slice(0, end);
}
