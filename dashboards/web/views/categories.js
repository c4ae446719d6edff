// Engagement by category: the table that product teams look at most.

import { byInterval } from "../data/interval.js";
import { countDelta, rateDelta } from "../parts/delta.js";
import { el } from "../parts/dom.js";
import { badge, unheard } from "../parts/figure.js";
import { behind, categoryLink } from "../parts/links.js";
import { rate, shares, sparkline } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { watch } from "../parts/watch.js";
import { count, decimal, duration, percent } from "../text/format.js";
import { named, t } from "../text/text.js";
import { changesQuery } from "./changes.js";
import { heatmap } from "./heatmap.js";
import { registered } from "./registered.js";
import { removals } from "./removals.js";

export const categories = {
  title: () => t("nav.categories"),
  about: () => t("categories.about"),
  panels: (context) => [engagement(context), heatmap(context), registered(context), removals(context)],
};

function engagement(context) {
  const query = context.query("engagement", { by: "category" });
  const bell = (row) => watch(context, { query, metric: "engagement_rate", of: { category: row.category }, what: row.category ?? t("value.noCategory"), isSmall: true });
  const trend = context.query("engagement", { by: "category", interval: context.range.interval });
  trend.csv = false;
  // Of as many as the table has rows.
  const before = changesQuery(context, "category", query.parameters.get("limit"));
  if (before) before.csv = false;
  return new Panel(context, {
    title: t("categories.engagement"),
    about: t("categories.engagement.about", { window: named("window", context.window) }),
    compares: true,
    wide: true,
    breakdown: { name: "breakdown" },
    queries: [query, trend, context.query("opt_outs"), before],
    draw: (total, trend, costs, compared) => {
      if (!total.rows.length) return null;
      // The ends of a line that is so small could not be told to be of a part of an interval.
      const buckets = byInterval(trend.rows, context.range).filter((bucket) => bucket.isWhole);
      const rates = buckets.map((bucket) => new Map(bucket.rows.map((row) => [keyOf(row), row.engagement_rate])));
      const cost = new Map(costs.rows.filter((row) => row.attributed).map((row) => [keyOf(row), row.opt_outs_per_1000]));
      const changes = new Map((compared?.rows ?? []).filter((row) => !row.other).map((row) => [row.value, row]));
      const rows = total.rows.map((row) => ({ ...row, change: changes.get(keyOf(row)), cost: cost.get(keyOf(row)) ?? null, line: rates.map((rate) => rate.get(keyOf(row)) ?? null) }));
      return table(columns(rows), rows, { answer: total, caption: t("categories.engagement"), sort: "-reached", watch: bell });
    },
  }).node;
}

/** No category is a value of its own; what is beyond the rows shown is not. */
function keyOf(row) {
  return row.other ? undefined : row.category;
}

function columns(rows) {
  const most = Math.max(...rows.map((row) => row.engagement_rate_high ?? 0));
  const part = (key, more = () => null) => ({ key, label: t(`column.${key}`), about: t(`about.${key}`), numeric: true, value: (row) => row[key], cell: (row) => [percent(row[key]), more(row)] });
  return [
    { key: "category", label: t("column.category"), value: (row) => row.category ?? "", cell: (row) => [categoryLink(row.category), unheard(row)] },
    { key: "reached", label: t("column.reached"), about: t("about.reached"), numeric: true, value: (row) => row.reached, cell: reached },
    {
      key: "engagement_rate", label: t("column.engagement_rate"), about: t("about.engagement_rate"), numeric: true, isRate: true,
      value: (row) => row.engagement_rate, cell: (row) => [rate(row.engagement_rate, row.engagement_rate_low, row.engagement_rate_high, most), changed(rateDelta(row.change?.difference, row.change?.difference_low, row.change?.difference_high))],
    },
    { key: "trend", label: t("column.trend"), cell: (row) => sparkline(row.line, t("categories.trend", { category: row.category ?? t("value.noCategory") })) },
    part("open_rate"),
    part("action_rate"),
    part("reply_rate"),
    { key: "dismiss_rate", label: t("column.dismiss_rate"), about: t("about.dismiss_rate"), numeric: true, value: (row) => row.dismiss_rate, cell: dismissed },
    { key: "response_p50", label: t("column.response_p50"), about: t("about.response_p50"), numeric: true, value: (row) => row.response_p50, cell: (row) => duration(row.response_p50) },
    { key: "cost", label: t("column.opt_outs_per_1000"), about: t("about.opt_outs_per_1000"), numeric: true, value: (row) => row.cost, cell: (row) => decimal(row.cost) },
  ];
}

/** By how much a figure changed, below it. */
function changed(delta) {
  return delta ? el("div", {}, delta) : null;
}

/** Seen, assumed, and too young to have been responded to. */
function reached(row) {
  const label = t("overview.seenAssumed", { seen: count(row.reached_seen), assumed: count(row.reached_assumed) });
  return [
    behind(count(row.reached), { category: row.category ?? "", state: "reached" }, row.reached),
    el("span", { class: "mini", title: label }, shares([{ value: row.reached_seen, kind: "seen" }, { value: row.reached_assumed, kind: "assumed" }], label)),
    row.immature ? behind(badge(t("badge.immature", { n: count(row.immature) }), "immature", t("about.immature")), { category: row.category ?? "", state: "immature" }) : null,
    changed(countDelta(row.reached, row.change?.reached_before)),
  ];
}

/** Even where iOS reports dismissals, it does not report all of them. */
function dismissed(row) {
  if (row.dismiss_rate === null) return el("span", { class: "soft", title: t("about.dismiss.unobserved") }, t("value.unobserved"));
  return el("span", { title: t("about.dismiss_rate") }, "≥ " + percent(row.dismiss_rate));
}
