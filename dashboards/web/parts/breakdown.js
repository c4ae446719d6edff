// A rate by the values of a dimension: the ten that reach most and the rest, each a way to itself as a filter.

import { ANY_OWN, current, link, note, OWN } from "../data/address.js";
import { wilson } from "../data/interval.js";
import { count, decimal, percent } from "../text/format.js";
import { isolated, reason, t } from "../text/text.js";
import { el, replace } from "./dom.js";
import { dimensionName } from "./filters.js";
import { breakable } from "./links.js";
import { rate } from "./marks.js";
import { table } from "./table.js";
import { watch } from "./watch.js";

const TOP = 10;

/**
 * The rate that is broken down unless a panel has another.
 *
 * A measure has the report; the keys of its whole and its rate, by which words are found; of: the part and the whole of rows, and
 * the rate with its interval where the report gives them; per: what the rate is for, 1 unless it is for 1,000; isDistinct: whether
 * wholes of values do not add up, so that nothing can be said of the rest.
 */
const ENGAGEMENT = {
  report: "engagement",
  whole: "reached",
  rate: "engagement_rate",
  of: (rows) => ({ ...rows[0], part: rows[0]?.responded_in_window ?? 0, whole: rows[0]?.reached ?? 0, value: rows[0]?.engagement_rate, low: rows[0]?.engagement_rate_low, high: rows[0]?.engagement_rate_high }),
};

/** A measure of a report that sums a column and the one that it is a part of. */
export function measure(report, part, whole, rate, more = {}) {
  const sum = (rows, key) => rows.reduce((all, row) => all + (row[key] ?? 0), 0);
  return { report, whole, rate, of: (rows) => ({ part: sum(rows, part), whole: sum(rows, whole) }), ...more };
}

let counter = 0;

/**
 * A choice of dimensions for a panel, and where its answer is shown. A report that groups by dimensions is asked once; another one
 * for each value, as a filter.
 *
 * @param name of the parameter that keeps the choice in the address; extra: parameters of the report beside the view's, or what
 *   gives those of now; measure: the rate; drawn: called when another dimension was chosen and drawn
 */
export class Breakdown {
  constructor(context, { name, drawn, extra = {}, measure = ENGAGEMENT }) {
    this.context = context;
    this.name = name;
    this.given = extra;
    this.measure = measure;
    this.drawn = drawn;
    /** What is drawn of which dimension; null where nothing is. */
    this.shown = null;
    this.body = el("div", { class: "breakdown", hidden: true });
    const chosen = this.dimension;
    const id = `breakdown-${(counter += 1)}`;
    this.control = el(
      "label",
      { class: "breakdown-choice", for: id },
      el("span", {}, t("breakdown.by")),
      el(
        "select",
        { id, name, onchange: (event) => this.choose(event.target.value) },
        el("option", { value: "" }, t("breakdown.none")),
        this.dimensions.map((one) => el("option", { value: one, selected: one === chosen }, dimensionName(one))),
      ),
    );
  }

  get extra() {
    return typeof this.given === "function" ? this.given() : this.given;
  }

  /** Those that filter, as a value's link does, and that the report can tell apart. */
  get dimensions() {
    const known = this.context.catalogue.get(this.measure.report)?.filters ?? [];
    return this.context.dimensions.filter((name) => known.includes(name) && !(name in this.extra) && name !== this.context.view);
  }

  get dimension() {
    const given = current().parameters.get(this.name);
    return this.dimensions.includes(given) ? given : null;
  }

  /** Whether the report groups by the dimension, and need not be asked for each of its values; not where it groups by others. */
  get isGrouping() {
    if ("by" in this.extra) return false;
    const by = this.context.catalogue.get(this.measure.report)?.parameters.find((parameter) => parameter.name === "by");
    const accepted = (by?.accepted ?? "").split(/[\s,]+/);
    return accepted.includes(this.dimension?.startsWith(OWN) ? ANY_OWN : this.dimension);
  }

  /** What is asked for; null without a dimension, and where values are asked for one by one. */
  get query() {
    const by = this.dimension;
    return by && this.isGrouping ? this.context.query(this.measure.report, { ...this.extra, by, limit: TOP, count_devices: false }) : null;
  }

  async choose(dimension) {
    note({ [this.name]: dimension || null });
    await this.load().catch((problem) => this.show(null, el("p", { class: "error" }, reason(problem))));
    this.drawn();
  }

  async load() {
    const { dimension } = this;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.body.hidden = !dimension;
    if (!dimension) return this.show(null);
    const lines = await (this.isGrouping ? this.grouped(dimension) : this.filtered(dimension));
    // What was asked later has its own answer.
    if (turn !== this.turn || dimension !== this.dimension) return null;
    const rows = lines.filter((row) => row.whole);
    const shown = JSON.stringify([dimension, rows]);
    if (shown === this.shown) return null;
    return this.show(shown, rows.length ? this.values(rows, dimension) : el("p", { class: "empty" }, t("breakdown.empty")));
  }

  show(shown, ...contents) {
    this.shown = shown;
    replace(this.body, contents);
  }

  /** Of a report that groups: the rows of each value, and those of all others. */
  async grouped(dimension) {
    const { rows } = await this.context.run(this.query);
    const groups = new Map();
    for (const row of rows) {
      const key = JSON.stringify([row[dimension], row.other]);
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    return [...groups.values()].map((group) => this.line(group[0][dimension], this.measure.of(group), group[0].other));
  }

  /** Of one that does not: the ten values that reach most, each asked for as a filter, and what is left of all. */
  async filtered(dimension) {
    const { context, extra } = this;
    const ask = async (more) => this.measure.of((await context.run(Object.assign(context.query(this.measure.report, { ...extra, ...more, count_devices: false }), { isSecond: true }))).rows);
    const { rows } = await context.run(context.query("engagement", { by: dimension, limit: TOP, count_devices: false }));
    const names = rows.filter((row) => !row.other && row.reached).map((row) => row[dimension]);
    const [all, ...parts] = await Promise.all([ask({}), ...names.map((name) => ask({ [dimension]: name ?? "" }))]);
    const left = (key) => all[key] - parts.reduce((sum, one) => sum + one[key], 0);
    const lines = names.map((name, index) => this.line(name, parts[index]));
    // Parts of one add up but for what numbers leave.
    if (!this.measure.isDistinct && left("whole") >= 0.5) lines.push(this.line(null, { part: Math.max(left("part"), 0), whole: left("whole") }, true));
    return lines;
  }

  line(name, { part, whole, value, low, high }, other = false) {
    const sure = value === undefined ? { value: whole ? part / whole : null, ...wilson(part, whole) } : { value, low, high };
    return { [this.dimension]: name, other, part, whole, ...sure };
  }

  values(rows, dimension) {
    const { context, measure: { report, whole, rate: name, per = 1 } } = this;
    const most = Math.max(...rows.map((row) => row.high ?? 0));
    const label = dimensionName(dimension);
    const caption = t("breakdown.caption", { rate: t(`column.${name}`), dimension: label });
    const show = per === 1 ? percent : (value) => decimal(value === null ? null : value * per);
    const query = context.query(report, { ...this.extra, by: "none", count_devices: false });
    const what = (row) => `${label}: ${isolated(row[dimension] ?? t("value.none"))}`;
    return [
      ...table(
        [
          { key: "value", label, value: (row) => row[dimension] ?? "", cell: (row) => way(row[dimension], dimension, context) },
          { key: whole, label: t(`column.${whole}`), about: known(`about.${whole}`), numeric: true, value: (row) => row.whole, cell: (row) => count(Math.round(row.whole)) },
          { key: name, label: t(`column.${name}`), about: known(`about.${name}`), numeric: true, isRate: true, value: (row) => row.value, cell: (row) => rate(row.value, row.low, row.high, most, show) },
        ],
        rows,
        { caption, sort: `-${whole}`, name: "broken", watch: (row) => watch(context, { query, metric: name, of: { [dimension]: row[dimension] }, what: what(row), isSmall: true }) },
      ).filter(Boolean),
      this.measure.isDistinct ? el("p", { class: "about" }, t("breakdown.distinct")) : null,
    ].filter(Boolean);
  }
}

/** A text, or nothing where there is none. */
function known(key) {
  const text = t(key);
  return text === key ? null : text;
}

/** The same view with the value as a filter. */
function way(value, dimension, context) {
  const name = value ?? t("value.none");
  return el("a", { href: link(context.view, { [dimension]: value ?? "" }), "data-value": value ?? "" }, breakable(name));
}
