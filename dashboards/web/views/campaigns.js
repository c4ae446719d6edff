// Whether campaigns worked: each beside what is usual for its categories at the same age, the newest first.

import { go, link } from "../data/address.js";
import { addDays, lengthOf, matureEnd } from "../data/range.js";
import { measure } from "../parts/breakdown.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { dimensionName, partial } from "../parts/filters.js";
import { behind, breakable } from "../parts/links.js";
import { differenceBar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { optOutsSoFar } from "../parts/sofar.js";
import { table } from "../parts/table.js";
import { count, decimal, duration, percent, points, time } from "../text/format.js";
import { t } from "../text/text.js";

export const campaigns = {
  title: () => t("nav.campaigns"),
  about: () => t("campaigns.about"),
  panels: (context) => [search(context), list(context)],
};

function search(context) {
  const input = el("input", { type: "search", name: "search", value: context.parameters.get("search") ?? "", autocomplete: "off", spellcheck: "false", size: 28 });
  const submit = (event) => {
    event.preventDefault();
    go({ search: input.value.trim() || null });
  };
  return el("form", { class: "wide controls", role: "search", onsubmit: submit }, el("label", { class: "field" }, el("span", {}, t("campaigns.search")), input), el("button", { type: "submit" }, t("campaigns.find")));
}

const ENGAGED = measure("campaigns", "responded_in_window", "rate_denominator", "engagement_rate");

function list(context) {
  // A campaign has a row for each conversion.
  const after = Object.assign(partial(context.query("outcomes", { limit: 1000 })), { csv: false, isSecond: true });
  return new Panel(context, {
    title: t("nav.campaigns"),
    about: t("campaigns.list.about"),
    wide: true,
    empty: context.parameters.has("search") ? "campaigns.unfound" : "campaigns.empty",
    early: true,
    // Each campaign's rate is at an age of its own: of several, only those with the whole window can be summed.
    breakdown: { name: "breakdown", measure: ENGAGED, extra: () => ({ to: matureEnd(context.range, context.window) }) },
    queries: [context.query("campaigns", { search: context.parameters.get("search") || null }), after, goingOn(context)],
    draw: (answer, outcomes, later) => {
      if (!answer.rows.length) return null;
      const rows = ended(context, answer.rows, later);
      const names = after.partial.map(dimensionName).join(", ");
      return [
        names ? el("p", { class: "about warn" }, t("campaigns.unfiltered", { names })) : null,
        byChance(rows),
        table(columns(rows, outcomes && byCampaign(outcomes.rows), context.now), rows, { answer, caption: t("nav.campaigns"), sort: "-first_day", rowName: (row) => row.campaign }),
      ];
    },
  }).node;
}

/** How long after the range is looked for more of its campaigns, in days: as long as before it. */
const LATER = 31;

/** What campaigns reached after the range, whatever the other filters; null if it ends now. */
export function goingOn(context) {
  const { filters, range } = context;
  if (!range.to || range.to > range.today) return null;
  const others = Object.fromEntries(filters.filter(([name]) => name !== "campaign").map(([name]) => [name, null]));
  const query = context.query("engagement", { ...others, by: "campaign", from: range.to, to: addDays(range.to, LATER), count_devices: false, limit: 1000 });
  return Object.assign(query, { csv: false, isSecond: true });
}

/** The rows, with what they reached after the range, and whether people still have time to respond. */
export function ended(context, rows, later) {
  const after = new Map((later?.rows ?? []).filter((row) => !row.other).map((row) => [row.campaign, row.reached]));
  const window = lengthOf(context.window) / 1000;
  const isYoung = (row) => row.reached > 0 && ((row.age < window && !row.window_approximate) || row.rate_denominator < row.reached);
  return rows.map((row) => (row.other ? row : { ...row, reached_after: after.get(row.campaign) ?? 0, isYoung: isYoung(row) }));
}

/** Each difference has an interval of 95 %, for itself: of many, some differ by chance alone. */
function byChance(rows) {
  const compared = rows.map(campaignVerdict).filter(Boolean);
  const apart = compared.filter((verdict) => verdict !== "alike").length;
  return apart ? el("p", { class: "about" }, t("campaigns.byChance", { n: count(apart), of: count(compared.length), chance: decimal(compared.length * 0.05, 1) })) : null;
}

/** What a difference to the usual comes to; null where nothing can be said. */
export function campaignVerdict(row) {
  if (row.difference === null) return null;
  if (row.difference_low > 0) return "better";
  return row.difference_high < 0 ? "worse" : "alike";
}

const STYLES = { better: "good", worse: "bad", alike: "" };

/** The difference to the usual, drawn, with its interval and what it comes to. */
export function difference(row, most) {
  const verdict = campaignVerdict(row);
  if (!verdict) return el("span", { class: "soft" }, t("campaigns.noUsual"));
  return [
    el("b", {}, points(row.difference)), " ",
    differenceBar(row.difference_low, row.difference, row.difference_high, most, verdict),
    el("div", { class: "small" }, t("format.interval", { low: points(row.difference_low), high: points(row.difference_high) })),
    // Of a part, nobody should take it for the campaign's.
    badge(t(`campaigns.verdict.${verdict}`), row.reached_before || row.reached_after ? "" : STYLES[verdict], t(`about.campaigns.${verdict}`)),
  ];
}

/** Of each campaign, its conversions, those after most responses first. */
function byCampaign(rows) {
  const found = new Map();
  for (const row of rows.filter((one) => !one.other && one.conversion)) found.set(row.campaign, [...(found.get(row.campaign) ?? []), row]);
  for (const all of found.values()) all.sort((a, b) => b.direct - a.direct);
  return found;
}

/** What came after a campaign: the shares of devices with each conversion after they responded, the largest three. */
function after(rows) {
  if (!rows?.length) return "–";
  return rows.slice(0, 3).map((row) => el("div", { title: t("about.outcomes.direct_rate") }, el("b", {}, percent(row.direct_rate)), " ", breakable(row.conversion), el("div", { class: "small" }, t("campaigns.converted", { n: count(row.direct), of: count(row.devices) }))));
}

function columns(rows, outcomes, now) {
  const most = Math.max(...rows.map((row) => row.engagement_rate_high ?? 0));
  const apart = Math.max(...rows.flatMap((row) => [Math.abs(row.difference_low ?? 0), Math.abs(row.difference_high ?? 0)]));
  return [
    { key: "campaign", label: t("filter.campaign"), value: (row) => row.campaign ?? "", cell: (row) => el("a", { href: link("campaign", { campaign: row.campaign, search: null }) }, breakable(row.campaign)) },
    { key: "first_day", label: t("campaigns.date"), about: t("about.campaigns.date"), value: (row) => row.first_day, cell: (row) => [days(row), cut(row)] },
    { key: "reached", label: t("column.reached"), about: t("about.reached"), numeric: true, value: (row) => row.reached, cell: (row) => behind(count(row.reached), { campaign: row.campaign, state: "reached", search: null }, row.reached) },
    {
      key: "engagement_rate", label: t("column.engagement_rate"), about: t("about.campaigns.rate"), numeric: true, isRate: true, value: (row) => row.engagement_rate,
      cell: (row) => [rate(row.engagement_rate, row.engagement_rate_low, row.engagement_rate_high, most), row.age === null ? null : el("div", { class: "small" }, t("campaigns.within", { time: duration(row.age) }))],
    },
    { key: "difference", label: t("campaigns.difference"), about: t("about.campaigns.difference"), numeric: true, isRate: true, value: (row) => row.difference, cell: (row) => difference(row, apart) },
    { key: "usual", label: t("campaigns.usual"), about: t("about.campaigns.usual"), numeric: true, value: (row) => row.usual, cell: (row) => percent(row.usual) },
    { key: "opt_outs", label: t("campaigns.optOuts"), about: t("about.campaigns.optOuts"), numeric: true, value: (row) => row.opt_outs, cell: (row) => [decimal(row.opt_outs, 1), el("div", { class: "small" }, t("value.per1000", { n: decimal(row.opt_outs_per_1000) })), optOutsSoFar(row.last_day, now)] },
    { key: "outcomes", label: t("campaigns.outcomes"), about: t("about.campaigns.outcomes"), numeric: true, value: (row) => outcomes?.get(row.campaign)?.[0].direct_rate ?? null, cell: (row) => (outcomes ? after(outcomes.get(row.campaign)) : "…") },
  ];
}

/** Says that the range begins or ends in the middle of the campaign, so that its figures are of a part; or that they still grow. */
export function cut(row) {
  const about = [row.reached_before ? t("about.campaigns.cut") : null, row.reached_after ? t("about.campaigns.goesOn") : null].filter(Boolean);
  return [
    about.length ? badge(t("campaigns.cut"), "immature", about.join(" ")) : null,
    row.isYoung ? badge(t("optouts.soFar"), "immature", t("about.campaigns.young")) : null,
  ];
}

/** The days on which it reached people, of UTC, by which the report counts them. */
function days(row) {
  const [first, last] = [row.first_day, row.last_day].map((day) => time(day, "UTC", "date"));
  return el("span", { class: "whole" }, first === last ? first : t("format.interval", { low: first, high: last }));
}
