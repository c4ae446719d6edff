// What came of campaigns, and what they caused: the devices that a campaign was sent to beside those held out of it.

import { go } from "../data/address.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { dimensionName } from "../parts/filters.js";
import { differenceBar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, percent, points, probability } from "../text/format.js";
import { t } from "../text/text.js";
import { liveActivities } from "./liveactivities.js";
import { prompts } from "./prompts.js";

export const outcomes = {
  title: () => t("nav.outcomes"),
  about: () => t("outcomes.about"),
  panels: (context) => [lift(context), chooser(context), credit(context, chosen(context)), prompts(context), liveActivities(context)],
};

/** What rows of the report may stand for. */
const BY = ["campaign", "category", "variant"];

function chosen(context) {
  const by = context.parameters.get("by");
  return BY.includes(by) ? by : BY[0];
}

function chooser(context) {
  const now = chosen(context);
  const select = el("select", { name: "by", onchange: (event) => go({ by: event.target.value === BY[0] ? null : event.target.value }) }, BY.map((name) => el("option", { value: name, selected: name === now }, dimensionName(name))));
  return el("label", { class: "field wide" }, el("span", {}, t("outcomes.by")), select);
}

const campaign = () => ({ key: "campaign", isKey: true, label: t("filter.campaign"), value: (row) => row.campaign ?? "", cell: (row) => row.campaign ?? t("value.noCampaign") });
const conversion = () => ({ key: "conversion", isKey: true, label: t("outcomes.conversion"), value: (row) => row.conversion ?? "", cell: (row) => el("code", {}, row.conversion ?? "–") });

function numeric(key, show = count) {
  return { key, label: t(`outcomes.${key}`), about: t(`about.outcomes.${key}`), numeric: true, value: (row) => row[key], cell: (row) => show(row[key]) };
}

/** What a campaign caused, where devices were held out of it. */
export function lift(context) {
  return new Panel(context, {
    title: t("outcomes.lift.title"),
    about: t("outcomes.lift.about"),
    wide: true,
    empty: "outcomes.lift.empty",
    queries: [context.query("outcomes")],
    draw: (answer) => {
      const rows = answer.rows.filter((row) => row.held_out_devices);
      if (!rows.length) return null;
      const apart = Math.max(...rows.flatMap((row) => [Math.abs(row.lift_low ?? 0), Math.abs(row.lift_high ?? 0)]));
      return table(
        [
          campaign(), conversion(), numeric("sent_devices"), numeric("held_out_devices"), numeric("sent_rate", percent), numeric("held_out_rate", percent),
          { ...numeric("lift"), cell: (row) => (row.lift === null ? "–" : difference(row, apart)) },
          { ...numeric("lift_p", probability), cell: (row) => [probability(row.lift_p), isMismatched(row) ? badge(t("outcomes.mismatch"), "warn", t("about.outcomes.mismatch")) : null] },
        ],
        rows,
        { answer, caption: t("outcomes.lift.title"), sort: "-sent_devices", name: "lift" },
      );
    },
  }).node;
}

function difference(row, apart) {
  const kind = row.lift_low > 0 ? "better" : row.lift_high < 0 ? "worse" : "alike";
  return [points(row.lift), " ", differenceBar(row.lift_low, row.lift, row.lift_high, apart, kind), el("div", { class: "small" }, t("format.interval", { low: points(row.lift_low), high: points(row.lift_high) }))];
}

/** Whether devices were not held out as declared, so that no lift can be trusted. */
function isMismatched(row) {
  return row.sample_ratio_p !== null && row.sample_ratio_p < 0.001;
}

/** What came after responses and after notifications without one; the same devices before and after. */
export function credit(context, by = BY[0]) {
  const of = { key: by, isKey: true, label: dimensionName(by), value: (row) => row[by] ?? "", cell: (row) => row[by] ?? t("value.none") };
  return new Panel(context, {
    title: t("outcomes.title"),
    about: t("outcomes.how"),
    wide: true,
    empty: "outcomes.empty",
    queries: [context.query("outcomes", { by })],
    draw: (answer) => {
      if (!answer.rows.length) return null;
      const most = Math.max(...answer.rows.flatMap((row) => [row.direct_rate_high ?? 0, row.influenced_rate_high ?? 0]));
      const share = (key) => ({ ...numeric(key), cell: (row) => rate(row[key], row[`${key}_low`], row[`${key}_high`], most) });
      return table(
        [
          of, conversion(), numeric("devices"), share("direct_rate"), share("influenced_rate"), numeric("baseline_before_rate", percent),
          numeric("baseline_after_rate", percent), numeric("conversions"), numeric("conversions_shared"), numeric("last_touch"),
        ],
        answer.rows,
        { answer, caption: t("outcomes.title"), sort: "-devices", name: "outcomes" },
      );
    },
  }).node;
}
