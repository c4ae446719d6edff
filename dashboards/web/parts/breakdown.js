// A rate by the values of a dimension: the ten that reach most and the rest, each a way to itself as a filter.

import { current, link, note } from "../data/address.js";
import { count } from "../text/format.js";
import { t } from "../text/text.js";
import { el } from "./dom.js";
import { dimensionName } from "./filters.js";
import { breakable } from "./links.js";
import { rate } from "./marks.js";
import { table } from "./table.js";

const TOP = 10;

let counter = 0;

/**
 * A choice of dimensions for a panel, and where its answer is shown.
 *
 * @param name of the parameter that keeps the choice in the address; extra: parameters of `engagement` beside the view's;
 *   drawn: called when another one was chosen and drawn
 */
export class Breakdown {
  constructor(context, { name, drawn, extra = {} }) {
    this.context = context;
    this.name = name;
    this.extra = extra;
    this.drawn = drawn;
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

  /** Those that filter, as a value's link does, and that the report can tell apart. */
  get dimensions() {
    const known = this.context.catalogue.get("engagement")?.filters ?? [];
    return this.context.dimensions.filter((name) => known.includes(name) && !(name in this.extra) && name !== this.context.view);
  }

  get dimension() {
    const given = current().parameters.get(this.name);
    return this.dimensions.includes(given) ? given : null;
  }

  /** What is asked for; null without a dimension. */
  get query() {
    const by = this.dimension;
    return by ? this.context.query("engagement", { ...this.extra, by, limit: TOP }) : null;
  }

  async choose(dimension) {
    note({ [this.name]: dimension || null });
    await this.load().catch((problem) => this.body.replaceChildren(el("p", { class: "error" }, problem.message)));
    this.drawn();
  }

  async load() {
    const { query, dimension } = this;
    this.body.hidden = !query;
    if (!query) return this.body.replaceChildren();
    const answer = await this.context.run(query);
    if (dimension !== this.dimension) return null;
    const rows = answer.rows.filter((row) => row.reached);
    return this.body.replaceChildren(...(rows.length ? values(rows, dimension, this.context) : [el("p", { class: "empty" }, t("state.empty"))]));
  }
}

function values(rows, dimension, context) {
  const most = Math.max(...rows.map((row) => row.engagement_rate_high ?? 0));
  const label = dimensionName(dimension);
  const caption = t("breakdown.caption", { dimension: label });
  return table(
    [
      { key: "value", label, value: (row) => row[dimension] ?? "", cell: (row) => way(row[dimension], dimension, context) },
      { key: "reached", label: t("column.reached"), about: t("about.reached"), numeric: true, value: (row) => row.reached, cell: (row) => count(row.reached) },
      {
        key: "engagement_rate", label: t("column.engagement_rate"), about: t("about.engagement_rate"), numeric: true, isRate: true, value: (row) => row.engagement_rate,
        cell: (row) => rate(row.engagement_rate, row.engagement_rate_low, row.engagement_rate_high, most),
      },
    ],
    rows,
    { caption, sort: "-reached", name: "broken" },
  ).filter(Boolean);
}

/** The same view with the value as a filter. */
function way(value, dimension, context) {
  const name = value ?? t("value.none");
  return el("a", { href: link(context.view, { [dimension]: value ?? "" }), "data-value": value ?? "" }, breakable(name));
}
