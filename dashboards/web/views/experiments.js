// How the variants of a message compare, with the device as the unit.

import { go, isFilter, link } from "../data/address.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { dimensionName } from "../parts/filters.js";
import { breakable, categoryLink } from "../parts/links.js";
import { differenceBar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { bound, inOrder, scroller } from "../parts/table.js";
import { count, percent, points, probability } from "../text/format.js";
import { isolated, t } from "../text/text.js";
import { SYNTAX, devicesByVariant, observedSplit } from "./split.js";
import { crossedShare, isMismatched, isOfOneCampaign, isYoung, sentence, verdict } from "./verdict.js";

const METRICS = ["engagement_rate", "open_rate", "action_rate", "reply_rate", "app_open_rate"];
const BY = ["category,campaign", "category", "campaign", "none"];
/** Whether variants may be compared within a dimension beside them. */
const isOther = (name) => isFilter(name) && !["category", "campaign", "variant"].includes(name);
/** Those of a table of variants. */
const COLUMNS = ["variant", "devices", "reached", "rate", "difference", "p_holm"].map((key) => ({ key, isRate: ["rate", "difference", "p_holm"].includes(key) }));
const STYLES = { better: "good", worse: "bad", alike: "", few: "warn", none: "warn" };

export const experiments = {
  title: () => t("nav.experiments"),
  about: () => t("experiments.about"),
  panels: (context) => {
    // What was observed is known when the report is there.
    const offered = el("datalist", { id: "splits" }, el("option", { value: "equal" }));
    return [options(context, offered), comparison(context, offered)];
  },
};

function chosen(context) {
  const metric = context.parameters.get("metric");
  const by = context.parameters.get("by");
  return {
    metric: METRICS.includes(metric) ? metric : METRICS[0],
    by: [...BY, ...context.dimensions.filter(isOther)].includes(by) ? by : BY[0],
    control: context.parameters.get("control") || "control",
    split: context.parameters.get("split") || "equal",
  };
}

function options(context, offered) {
  const now = chosen(context);
  const select = (name, values, label, size = "") =>
    el("label", { class: `field ${size}` }, el("span", {}, t(`experiments.${name}`)), el("select", { name, onchange: (event) => go({ [name]: event.target.value }) }, values.map((value) => el("option", { value, selected: value === now[name] }, label(value)))));
  const text = (name, more = {}, change = (input) => go({ [name]: input.value.trim() || null })) =>
    el("label", { class: "field" }, el("span", {}, t(`experiments.${name}`)), el("input", { name, value: now[name], size: 14, autocomplete: "off", spellcheck: "false", onchange: (event) => change(event.target), ...more }));
  const split = text("split", { size: 24, list: "splits", placeholder: "control:2,a:1,b:1", "aria-describedby": "split-help" }, (input) => {
    const value = input.value.replaceAll(/\s/g, "");
    const isKnown = !value || new RegExp(`^(${SYNTAX})$`).test(value);
    input.setCustomValidity(isKnown ? "" : t("experiments.split.unknown"));
    if (isKnown) go({ split: value || null });
    else input.reportValidity();
  });
  return el(
    "div",
    { class: "wide controls" },
    select("metric", METRICS, (name) => t(`column.${name}`)),
    select("by", [...BY, ...context.dimensions.filter(isOther)], (name) => (BY.includes(name) ? t(`by.${name}`) : dimensionName(name)), "long"),
    text("control"),
    split,
    offered,
    el("p", { class: "about", id: "split-help" }, t("experiments.split.help")),
  );
}

/** The variants of one campaign, which the filters name, and a way to where they are compared otherwise. */
export function variants(context) {
  const way = () => el("p", { class: "about" }, el("a", { href: link("experiments", { campaign: context.parameters.get("campaign") }) }, t("campaign.experiments")));
  return comparison(context, el("datalist"), { ...chosen(context), by: "none" }, t("campaign.variants"), way);
}

function comparison(context, offered, now = chosen(context), title = t(`column.${now.metric}`), way = () => null) {
  const isByCampaign = now.by.includes("campaign");
  const dates = isByCampaign ? Object.assign(context.query("campaigns"), { csv: false }) : null;
  return new Panel(context, {
    title,
    about: t("experiments.how", { control: now.control }),
    wide: true,
    empty: "experiments.empty",
    queries: [context.query("experiment", now), dates],
    draw: (answer, campaigns) => {
      const { rows } = answer;
      if (!rows.length) return null;
      const groups = newestFirst([...(Map.groupBy ? Map.groupBy(rows, keyOf) : grouped(rows)).values()], campaigns);
      const splits = groups.map((group) => observedSplit(devicesByVariant(group)));
      const values = new Set(["equal", observedSplit(devicesByVariant(rows)), ...splits]);
      offered.replaceChildren(...[...values].filter(Boolean).map((value) => el("option", { value })));
      const most = Math.max(...rows.map((row) => row.rate_high ?? 0));
      const apart = Math.max(...rows.flatMap((row) => [Math.abs(row.difference_low ?? 0), Math.abs(row.difference_high ?? 0)]));
      return [way(), bound(answer), ...groups.map((group, index) => drawing(group, now, most, apart, splits[index], index === 0))];
    },
  }).node;
}

/** In the order of their campaigns' first days; where there are none, as the report has them. */
function newestFirst(groups, campaigns) {
  const days = new Map((campaigns?.rows ?? []).filter((row) => !row.other).map((row) => [row.campaign, Date.parse(row.first_day)]));
  const dayOf = ([first]) => (first.other ? -Infinity : (days.get(first.campaign) ?? 0));
  return groups.sort((a, b) => dayOf(b) - dayOf(a));
}

function keyOf(row) {
  return JSON.stringify([row.category, row.campaign, row.other, ...Object.keys(row).filter(isOther).map((name) => row[name])]);
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

function drawing(group, now, most, apart, observed, isOpen) {
  const [first] = group;
  const names = first.other ? [el("em", {}, t("value.others"))] : [
    "category" in first ? categoryLink(first.category) : null,
    "campaign" in first ? first.campaign ? breakable(first.campaign) : el("span", {}, t("value.noCampaign")) : null,
    Object.keys(first).filter(isOther).map((name) => el("a", { href: link("experiments", { [name]: first[name] ?? "" }) }, `${dimensionName(name)}: ${isolated(first[name] ?? t("value.none"))}`)),
  ].flat().filter(Boolean);
  const crossed = crossedShare(group);
  const columns = inOrder(COLUMNS);
  const head = columns.map(({ key }) => el("th", { scope: "col", class: key === "variant" ? null : "numeric", about: t(`about.experiment.${key}`) }, t(`experiments.column.${key}`)));
  const caption = names.length ? names.map((node) => isolated(node.textContent)).join(" · ") : t("by.none");
  // What it comes to stands first, and is there where the rest is folded.
  const conclusion = el("p", { class: "verdict" }, sentence(group, now));
  const isEarly = isYoung(group);
  const doubts = [
    isEarly ? el("p", { class: "note warn" }, t("experiments.young")) : null,
    isMismatched(group) ? mismatch(first, observed, now) : null,
    crossed === null ? null : el("p", { class: "note warn" }, t(isOfOneCampaign(group) ? "experiments.crossed" : "experiments.crossedApart", { share: percent(crossed) })),
  ];
  const lines = scroller(el("table", {}, el("caption", { class: "visually-hidden" }, caption), el("thead", {}, el("tr", {}, head)), el("tbody", {}, group.map((row) => line(row, verdict(row, group, now.control), isEarly, now, most, apart, columns)))), caption);
  return el(
    "section",
    { class: "group" },
    names.length ? el("h3", {}, names.flatMap((node, index) => (index ? [" · ", node] : [node]))) : null,
    conclusion,
    doubts,
    el("details", { open: isOpen }, el("summary", {}, t("experiments.variants", { n: count(group.length) })), lines),
  );
}

/** Says that the assignment does not match the split, and offers the observed split. */
function mismatch(first, observed, now) {
  const offer = observed && observed !== now.split ? el("button", { type: "button", class: "quiet", name: "observed", onclick: () => go({ split: observed }) }, t("experiments.observed", { split: observed })) : null;
  return el("div", { class: "note warn" }, el("p", {}, t("experiments.mismatch", { p: probability(first.sample_ratio_p) })), offer);
}

function line(row, result, isEarly, now, most, apart, columns) {
  const isControl = row.variant === now.control;
  const canTell = !["few", "none"].includes(result);
  const cells = {
    variant: [row.variant ? breakable(row.variant) : "–", isControl ? badge(t("experiments.isControl")) : null, row.immature ? badge(t("badge.immature", { n: count(row.immature) }), "immature", t("about.immature")) : null],
    devices: [count(row.devices), el("div", { class: "small" }, t("experiments.expected", { assigned: count(row.assigned_devices), n: count(row.expected_devices === null ? null : Math.round(row.expected_devices)) }))],
    reached: count(row.reached),
    rate: rate(row.rate, row.rate_low, row.rate_high, most),
    difference: row.difference === null ? "–" : [points(row.difference), " ", differenceBar(row.difference_low, row.difference, row.difference_high, apart, result), el("div", { class: "small" }, t("format.interval", { low: points(row.difference_low), high: points(row.difference_high) }))],
    p_holm: [canTell ? probability(row.p_holm) : null, result ? badge(t(`experiments.verdict.${result}${isEarly && canTell && result !== "alike" ? ".young" : ""}`), isEarly && canTell ? "" : STYLES[result], t(`about.experiment.${result}`)) : null],
  };
  return el(
    "tr",
    { "data-row": row.variant, "data-verdict": result },
    columns.map(({ key }, index) => el(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: index === 0 ? null : "numeric", "data-key": key }, cells[key])),
  );
}
