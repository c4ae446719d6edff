// How the variants of a message compare, with the device as the unit.

import { go } from "../app/address.js";
import { el } from "../app/dom.js";
import { count, percent, points, probability } from "../app/format.js";
import { t } from "../app/text.js";
import { badge } from "../parts/figure.js";
import { categoryLink } from "../parts/links.js";
import { differenceBar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { scroller } from "../parts/table.js";

const METRICS = ["engagement_rate", "open_rate", "action_rate", "reply_rate", "app_open_rate"];
const BY = ["category,campaign", "category", "campaign", "none"];
/** Below this the variants were not given out as meant. */
const MISMATCH = 0.001;

export const experiments = {
  title: () => t("nav.experiments"),
  about: () => t("experiments.about"),
  panels: (context) => [options(context), comparison(context)],
};

function chosen(context) {
  const metric = context.parameters.get("metric");
  const by = context.parameters.get("by");
  return {
    metric: METRICS.includes(metric) ? metric : METRICS[0],
    by: BY.includes(by) ? by : BY[0],
    control: context.parameters.get("control") || "control",
    split: context.parameters.get("split") || "equal",
  };
}

function options(context) {
  const now = chosen(context);
  const select = (name, values, label, size = "") =>
    el("label", { class: `field ${size}` }, el("span", {}, t(`experiments.${name}`)), el("select", { name, onchange: (event) => go({ [name]: event.target.value }) }, values.map((value) => el("option", { value, selected: value === now[name] }, label(value)))));
  const text = (name) => el("label", { class: "field" }, el("span", {}, t(`experiments.${name}`)), el("input", { name, value: now[name], size: 14, onchange: (event) => go({ [name]: event.target.value.trim() || null }) }));
  return el("div", { class: "controls wide" }, select("metric", METRICS, (name) => t(`column.${name}`)), select("by", BY, (name) => t(`by.${name}`), "long"), text("control"), text("split"));
}

function comparison(context) {
  const now = chosen(context);
  return new Panel(context, {
    title: t(`column.${now.metric}`),
    about: t("experiments.how", { control: now.control }),
    wide: true,
    empty: "experiments.empty",
    queries: [context.query("experiment", now)],
    draw: ({ rows }) => {
      if (!rows.length) return null;
      const groups = Map.groupBy ? Map.groupBy(rows, keyOf) : grouped(rows);
      const most = Math.max(...rows.map((row) => row.rate_high ?? 0));
      const apart = Math.max(...rows.flatMap((row) => [Math.abs(row.difference_low ?? 0), Math.abs(row.difference_high ?? 0)]));
      return [...groups.values()].map((group) => drawing(group, now, most, apart));
    },
  }).node;
}

function keyOf(row) {
  return JSON.stringify([row.category, row.campaign]);
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

function drawing(group, now, most, apart) {
  const [first] = group;
  const names = [
    "category" in first ? categoryLink(first.category) : null,
    "campaign" in first ? el("span", {}, first.campaign ?? t("value.noCampaign")) : null,
  ].filter(Boolean);
  const isOff = first.sample_ratio_p !== null && first.sample_ratio_p < MISMATCH;
  const crossed = Math.max(...group.map((row) => (row.devices ? row.crossed_devices / row.devices : 0)));
  const head = ["variant", "devices", "reached", "rate", "difference", "p_holm"].map((key) => el("th", { scope: "col", class: key === "variant" ? null : "numeric", title: t(`about.experiment.${key}`) }, t(`experiments.column.${key}`)));
  const caption = names.length ? names.map((node) => node.textContent).join(" · ") : t("by.none");
  return el(
    "section",
    { class: "group" },
    el("h3", {}, names.length ? names.flatMap((node, index) => (index ? [" · ", node] : [node])) : t("by.none")),
    isOff ? el("p", { class: "note warn" }, t("experiments.mismatch", { p: probability(first.sample_ratio_p) })) : null,
    crossed > 0.1 ? el("p", { class: "note warn" }, t("experiments.crossed", { share: percent(crossed) })) : null,
    scroller(el("table", {}, el("caption", { class: "visually-hidden" }, caption), el("thead", {}, el("tr", {}, head)), el("tbody", {}, group.map((row) => line(row, now, most, apart)))), caption),
  );
}

function line(row, now, most, apart) {
  const isControl = row.variant === now.control;
  const isClear = row.p_holm !== null && row.p_holm < 0.05;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, row.variant, isControl ? badge(t("experiments.isControl")) : null, row.immature ? badge(t("badge.immature", { n: count(row.immature) }), "immature", t("about.immature")) : null),
    el("td", { class: "numeric" }, count(row.devices), el("div", { class: "small" }, t("experiments.expected", { n: count(row.expected_devices === null ? null : Math.round(row.expected_devices)) }))),
    el("td", { class: "numeric" }, count(row.reached)),
    el("td", { class: "numeric" }, rate(row.rate, row.rate_low, row.rate_high, most)),
    el("td", { class: "numeric" }, row.difference === null ? "–" : [points(row.difference), " ", differenceBar(row.difference_low, row.difference, row.difference_high, apart), el("div", { class: "small" }, t("format.interval", { low: points(row.difference_low), high: points(row.difference_high) }))]),
    el("td", { class: "numeric" }, probability(row.p_holm), isClear ? badge(t("experiments.clear"), "good") : null),
  );
}
