// Whether a version's instruments changed, or people did: each beside the version before at equal age.

import { measure } from "../parts/breakdown.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, duration, longer, percent, points } from "../text/format.js";
import { isolated, t } from "../text/text.js";

/** The measures, how each is shown, and which way is worse; engagement is of people. */
const MEASURES = {
  delivery_observed_rate: { show: percent, worse: -1 },
  duplicate_rate: { show: percent, worse: 1 },
  response_only_rate: { show: percent, worse: 1 },
  settings_age_p50: { show: duration, worse: 1, isTime: true },
  late_p50: { show: duration, worse: 1, isTime: true },
  late_p99: { show: duration, worse: 1, isTime: true },
  clamped_rate: { show: percent, worse: 1 },
  silent_rate: { show: percent, worse: 1 },
  engagement_rate: { show: percent },
};
/** How sure a difference has to be, after all that a row compares. */
const LEVEL = 0.01;

const OBSERVED = measure("instrumentation", "delivery_observed", "delivery_observable", "delivery_observed_rate");

const known = (value) => value !== null && value !== undefined;

export function instrumentation(context) {
  return new Panel(context, {
    title: t("instrumentation.title"),
    about: t("instrumentation.about"),
    wide: true,
    empty: "instrumentation.empty",
    breakdown: { name: "instruments", measure: OBSERVED },
    queries: [context.query("instrumentation")],
    draw: (answer) => {
      if (!answer.rows.length) return null;
      const notable = answer.rows.filter((row) => row.verdict === "tracking" || row.verdict === "people");
      return [
        el("ul", { class: "notes" }, notable.length ? notable.map((row) => el("li", {}, words(row))) : el("li", {}, t("instrumentation.nothing"))),
        table([version, devices(), ...Object.keys(MEASURES).map(compared)], answer.rows, { answer, caption: t("instrumentation.title"), sort: "-devices", name: "instrumentation" }),
      ];
    },
  }).node;
}

const name = (row) => isolated(row.app_version ?? t("value.none"));

const version = {
  key: "app_version",
  isKey: true,
  get label() { return t("filter.app_version"); },
  value: (row) => row.app_version ?? "",
  cell: (row) => [
    row.other ? null : name(row), " ", verdict(row),
    row.version_before === null ? null : el("div", { class: "small" }, t("instrumentation.before", { version: row.version_before })),
    row.sdk_version === null ? null : el("div", { class: "small" }, t("instrumentation.sdk", { version: row.sdk_version })),
  ],
};

function verdict(row) {
  if (row.verdict === null || row.version_before === null) return null;
  const kind = { tracking: "warn", people: "", unclear: "" }[row.verdict];
  return badge(t(`instrumentation.${row.verdict}`), kind, t(`about.instrumentation.${row.verdict}`));
}

function devices() {
  return { key: "devices", label: t("instrumentation.devices"), about: t("about.instrumentation.devices"), numeric: true, value: (row) => row.devices, cell: (row) => count(row.devices) };
}

function compared(key) {
  const { show, isTime = false } = MEASURES[key];
  // How sure a difference of times is, the report says of shares alone.
  const difference = (row) => (isTime ? longer(row[key] - row[`${key}_before`]) : [points(row[`${key}_difference`]), interval(row[`${key}_low`], row[`${key}_high`])]);
  const isCompared = (row) => (isTime ? known(row[key]) && known(row[`${key}_before`]) : known(row[`${key}_difference`]));
  const cell = (row) => [
    show(row[key]),
    known(row[`${key}_before`]) ? el("div", { class: "small" }, t("instrumentation.was", { value: show(row[`${key}_before`]) })) : null,
    isCompared(row) ? el("div", { class: "small" }, difference(row)) : null,
  ];
  return { key, label: t(`instrumentation.${key}`), about: t(`about.instrumentation.${key}`), numeric: true, value: (row) => row[key], cell };
}

function interval(low, high) {
  return known(low) ? ` (${t("format.interval", { low: points(low), high: points(high) })})` : null;
}

/** What a verdict comes to, in a sentence: the instruments that are worse, or how far engagement fell. */
function words(row) {
  const versions = { version: name(row), before: row.version_before };
  if (row.verdict === "people") return t("instrumentation.words.people", { ...versions, difference: points(row.engagement_rate_difference) });
  const worse = Object.keys(MEASURES).filter((key) => row[`${key}_p_holm`] < LEVEL && known(row[`${key}_p_holm`]) && row[`${key}_difference`] * MEASURES[key].worse > 0);
  return t("instrumentation.words.tracking", { ...versions, measures: worse.map((key) => t(`instrumentation.${key}`)).join(", ") });
}
