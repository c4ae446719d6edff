// What came of campaigns, and what they caused: the devices that a campaign was sent to beside those held out of it.

import { go, link } from "../data/address.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { dimensionName } from "../parts/filters.js";
import { breakable } from "../parts/links.js";
import { differenceBar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, decimal, money, percent, points, probability } from "../text/format.js";
import { t } from "../text/text.js";
import { ended } from "./campaigns.js";
import { liveActivities } from "./liveactivities.js";
import { prompts } from "./prompts.js";

export const outcomes = {
  title: () => t("nav.outcomes"),
  about: () => t("outcomes.about"),
  panels: (context) => [chooser(context), lift(context, chosen(context)), credit(context, chosen(context)), prompts(context), liveActivities(context)],
};

/** What rows of the report may stand for, and whether each currency has a row of its own. */
const BY = ["campaign", "category", "variant"];
const CURRENCIES = ["together", "apart"];
/** Fewer devices held out than this say little of what a campaign caused. */
const FEW = 30;
/** Below this p a difference is taken for one. */
const LEVEL = 0.05;

function chosen(context) {
  const known = (name, values) => (values.includes(context.parameters.get(name)) ? context.parameters.get(name) : values[0]);
  return { by: known("by", BY), currencies: known("currencies", CURRENCIES), conversion: context.parameters.get("conversion") };
}

/** The report's query. Panels that ask the same share one request. */
function query(context, { by = BY[0], currencies = CURRENCIES[0], conversion = null } = {}) {
  return context.query("outcomes", { by, currencies, conversion });
}

function chooser(context) {
  const now = chosen(context);
  const select = (name, options, value) => el("select", { name, onchange: (event) => go({ [name]: event.target.value || null }) }, options.map(([one, label]) => el("option", { value: one, selected: one === value }, label)));
  const conversions = (names) => ["", ...new Set([now.conversion ?? "", ...names].filter(Boolean))].map((name) => [name, name || t("outcomes.conversion.all")]);
  const conversion = select("conversion", conversions([]), now.conversion ?? "");
  const offer = (names) => {
    conversion.replaceChildren(...conversions(names).map(([name, label]) => el("option", { value: name }, label)));
    conversion.value = now.conversion ?? "";
  };
  context
    .run(query(context))
    .then(({ rows }) => offer(rows.map((row) => row.conversion).sort()))
    // The panels say why nothing is answered.
    .catch(() => {});
  const field = (label, control) => el("label", { class: "field" }, el("span", {}, label), control);
  return el(
    "div",
    { class: "wide controls" },
    field(t("outcomes.by"), select("by", BY.map((name) => [name, dimensionName(name)]), now.by)),
    field(t("outcomes.currencies"), select("currencies", CURRENCIES.map((name) => [name, t(`outcomes.currencies.${name}`)]), now.currencies)),
    field(t("outcomes.conversion"), conversion),
  );
}

const campaign = () => ({ key: "campaign", isKey: true, label: t("filter.campaign"), value: (row) => row.campaign ?? "", cell: (row) => nameOf(row.campaign, "value.noCampaign") });
const conversion = () => ({ key: "conversion", isKey: true, label: t("outcomes.conversion"), value: (row) => row.conversion ?? "", cell: (row) => el("code", {}, nameOf(row.conversion)) });

function nameOf(name, none = "value.none") {
  return name === null || name === undefined ? t(none) : breakable(name);
}

function numeric(key, show = count) {
  return { key, label: t(`outcomes.${key}`), about: t(`about.outcomes.${key}`), numeric: true, value: (row) => row[key], cell: (row) => show(row[key]) };
}

/** What a campaign caused, if devices were held out of it. Devices that do not allow notifications are a check: no effect is possible there. */
export function lift(context, { conversion: name = null } = {}) {
  return new Panel(context, {
    title: t("outcomes.lift.title"),
    about: t("outcomes.lift.about"),
    wide: true,
    empty: "outcomes.lift.empty",
    queries: [query(context, { conversion: name })],
    draw: (answer) => {
      const rows = answer.rows.filter((row) => row.held_out_assigned);
      if (!rows.length) return null;
      const keys = ["lift", "reachable_lift", "unreachable_lift"];
      const apart = Math.max(...rows.flatMap((row) => keys.flatMap((key) => [`${key}_low`, `${key}_high`]).map((key) => Math.abs(row[key] ?? 0))));
      const lifted = (key) => ({ ...numeric(key), cell: (row) => (row[key] === null ? "–" : difference(row, key, apart)) });
      const of = (key, devices) => ({ ...lifted(key), cell: (row) => [lifted(key).cell(row), el("div", { class: "small" }, t("outcomes.ofDevices", { n: count(row[devices]) }))] });
      const columns = [
        campaign(), conversion(), { ...numeric("sent_devices"), cell: sent }, { ...numeric("held_out_devices"), cell: heldOut }, numeric("sent_rate", percent), numeric("held_out_rate", percent),
        { ...lifted("lift"), isRate: true },
        { ...numeric("lift_p", probability), cell: (row) => [probability(row.lift_p), isMismatched(row) ? badge(t("outcomes.mismatch"), "warn", t("about.outcomes.mismatch")) : null] },
        of("reachable_lift", "reachable_devices"), of("unreachable_lift", "unreachable_devices"), numeric("crossed"),
      ];
      return [byChance(rows), table(columns, rows, { answer, caption: t("outcomes.lift.title"), sort: "-sent_devices", name: "lift" })];
    },
  }).node;
}

/** Each p is of one difference: of many, some are small by chance alone. */
function byChance(rows) {
  const all = rows.filter((row) => row.lift_p !== null);
  const small = all.filter((row) => row.lift_p < LEVEL).length;
  return small ? el("p", { class: "about" }, t("outcomes.byChance", { n: count(small), of: count(all.length), chance: decimal(all.length * LEVEL, 1) })) : null;
}

function difference(row, key, apart) {
  const [low, high] = [row[`${key}_low`], row[`${key}_high`]];
  const kind = low > 0 ? "better" : high < 0 ? "worse" : "alike";
  return [points(row[key]), " ", differenceBar(low, row[key], high, apart, kind), el("div", { class: "small" }, t("format.interval", { low: points(low), high: points(high) }))];
}

/** Devices whose time is not over yet: until then nobody knows what the campaign caused. */
const waiting = (row) => row.held_out_assigned - row.held_out_devices;

function sent(row) {
  return [count(row.sent_devices), waiting(row) ? el("div", { class: "small" }, t("outcomes.waiting.others")) : null];
}

function heldOut(row) {
  const isFew = row.lift !== null && row.held_out_devices < FEW;
  return [count(row.held_out_devices), isFew ? badge(t("outcomes.few"), "warn", t("about.outcomes.few", { few: FEW })) : null, waiting(row) ? el("div", { class: "small" }, t("outcomes.waiting", { n: count(waiting(row)) })) : null];
}

/** Whether devices were not held out as declared, so that no lift can be trusted. */
function isMismatched(row) {
  return row.sample_ratio_p !== null && row.sample_ratio_p < 0.001;
}

/** What came after responses and after notifications without one; the same devices before and after. */
export function credit(context, chosen = {}) {
  const by = chosen.by ?? BY[0];
  // Of one campaign or category alone, the report knows no other that a conversion is shared with.
  const isAlone = ["campaign", "category"].some((name) => context.parameters.has(name));
  const of = { key: by, isKey: true, label: dimensionName(by), value: (row) => row[by] ?? "", cell: (row) => nameOf(row[by]) };
  return new Panel(context, {
    title: t("outcomes.title"),
    about: t(by === "campaign" ? "outcomes.how" : "outcomes.how.all"),
    wide: true,
    empty: "outcomes.empty",
    queries: [query(context, chosen), by === "campaign" ? Object.assign(context.query("campaigns"), { csv: false, isSecond: true }) : null],
    early: true,
    draw: (answer, campaigns) => {
      let apart = null;
      // Asked only where an amount is missing, and known to the cells of the table however it is sorted.
      const currencies = () => (apart ??= context.run(Object.assign(query(context, { ...chosen, currencies: CURRENCIES[1] }), { isSecond: true })));
      const young = new Set(ended(context, campaigns?.rows ?? [], null).filter((row) => row.isYoung).map((row) => row.campaign));
      // With a row for each currency, most campaigns have some in which nothing was.
      const rows = answer.rows.filter((row) => !row.currency || row.conversions || row.baseline_before_converted || row.baseline_after_converted);
      if (!rows.length) return null;
      const most = Math.max(...rows.flatMap((row) => [row.direct_rate_high ?? 0, row.influenced_rate_high ?? 0]));
      const share = (key) => ({ ...numeric(key), cell: (row) => rate(row[key], row[`${key}_low`], row[`${key}_high`], most) });
      return table(
        [
          of, conversion(), { ...numeric("devices"), cell: devices }, { ...share("direct_rate"), isRate: true, cell: (row) => [rate(row.direct_rate, row.direct_rate_low, row.direct_rate_high, most), young.has(row.campaign) ? soFar() : null] }, share("influenced_rate"),
          // A category has notifications all the time: conversions after any of them are of other stretches than the baseline.
          ...(by === "campaign" ? [numeric("baseline_before_rate", percent), numeric("baseline_after_rate", percent)] : []), numeric("conversions"), ...(isAlone ? [] : [numeric("conversions_shared"), numeric("last_touch")]),
          { ...numeric("value"), cell: (row) => value(row, context, currencies) },
        ],
        rows,
        { answer, caption: t("outcomes.title"), sort: "-devices", name: "outcomes" },
      );
    },
  }).node;
}

/** The sum of one currency; of several there is none, but a way to each. Conversions without an amount have none either. */
function value(row, context, currencies) {
  const isApart = context.parameters.get("currencies") === CURRENCIES[1];
  const shown = el("span", {}, money(row.value, row.currency));
  if (row.value !== null || !row.conversions || isApart || row.other) return shown;
  const isOfRow = (one) => one.currency && one.conversions && ["conversion", ...BY].every((name) => one[name] === row[name]);
  currencies()
    .then(({ rows }) => rows.some(isOfRow) && shown.replaceChildren(el("a", { href: link("outcomes", { currencies: CURRENCIES[1], campaign: context.parameters.getAll("campaign") }) }, t("outcomes.value.apart"))))
    // Without them there is no way to them.
    .catch(() => {});
  return shown;
}

/** Says that the time to respond is not over for all notifications, so that conversions are still to come. */
function soFar() {
  return badge(t("outcomes.soFar"), "immature", t("about.outcomes.soFar"));
}

/** With the devices that have too many events, whose conversions are left out. */
function devices(row) {
  return [count(row.devices), row.devices_excess ? badge(t("outcomes.excess", { n: count(row.devices_excess) }), "warn", t("about.outcomes.excess")) : null];
}
