// One campaign: whether it did better than usual, which variant did best, and with whom.

import { countDelta, rateDelta } from "../parts/delta.js";
import { el } from "../parts/dom.js";
import { figure, figures } from "../parts/figure.js";
import { behind, breakable } from "../parts/links.js";
import { differenceBar, intervalBar } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { optOutsSoFar } from "../parts/sofar.js";
import { count, decimal, duration, interval, percent, plainPoints, points, time } from "../text/format.js";
import { t } from "../text/text.js";
import { campaignVerdict, cut, ended, goingOn } from "./campaigns.js";
import { changesQuery } from "./changes.js";
import { curve } from "./curve.js";
import { variants } from "./experiments.js";
import { credit, lift } from "./outcomes.js";
import { engagementTrend } from "./trends.js";

export const campaign = {
  under: "campaigns",
  isOfOne: true,
  title: (context) => breakable(nameOf(context)),
  about: () => t("campaign.about"),
  panels: (context) => [summary(context), credit(context), variants(context), lift(context), engagementTrend(context), curve(context, "none")],
};

function nameOf(context) {
  return context.parameters.get("campaign") || t("value.noCampaign");
}

function summary(context) {
  return new Panel(context, {
    title: t("category.summary"),
    wide: true,
    compares: true,
    breakdown: { name: "breakdown" },
    early: true,
    queries: [context.query("campaigns"), changesQuery(context, "none"), goingOn(context)],
    draw: ({ rows }, changes, later) => {
      const [row] = ended(context, rows, later);
      if (!row) return null;
      // The range before holds the campaign's own beginning, if the range cuts it: that is nothing to compare with.
      const change = row.reached_before ? null : changes?.rows[0];
      return [
        el("p", { class: "verdict" }, sentence(row)),
        row.reached_before ? el("p", { class: "note warn" }, t("campaign.cut", { n: count(row.reached_before) })) : null,
        row.reached_after ? el("p", { class: "note warn" }, t("campaign.goesOn", { n: count(row.reached_after) })) : null,
        figures(...numbers(row, change, context.now)),
      ];
    },
  }).node;
}

/** What it comes to, in one sentence. */
function sentence(row) {
  const verdict = campaignVerdict(row);
  if (!verdict) return t("campaign.verdict.none");
  const values = { points: plainPoints(Math.abs(row.difference)), low: points(row.difference_low), high: points(row.difference_high), time: duration(row.age) };
  return t(`campaign.verdict.${verdict}`, values);
}

/** @param change what there was of the same campaign in the range before, which many a campaign has none in */
function numbers(row, change, now) {
  const of = (changes) => ({ campaign: row.campaign, ...changes });
  const [first, last] = [row.first_day, row.last_day].map((day) => time(day, "UTC", "date"));
  const apart = Math.max(Math.abs(row.difference_low ?? 0), Math.abs(row.difference_high ?? 0));
  return [
    figure({
      name: "reached", label: t("column.reached"), value: behind(count(row.reached), of({ state: "reached" }), row.reached), unit: t("unit.notifications"), about: t("about.reached"),
      delta: countDelta(change?.reached, change?.reached_before),
      note: [first === last ? first : t("format.interval", { low: first, high: last }), ...cut(row)],
    }),
    figure({
      name: "engagement_rate", label: t("campaign.rate", { time: duration(row.age) }), value: percent(row.engagement_rate), about: t("about.campaigns.rate"),
      delta: rateDelta(change?.difference, change?.difference_low, change?.difference_high),
      mark: intervalBar(row.engagement_rate_low, row.engagement_rate, row.engagement_rate_high, (row.engagement_rate_high ?? 0) * 1.3),
      note: [t("value.of", { n: count(row.responded_in_window), of: count(row.rate_denominator) }), t("mark.interval", { interval: interval(row.engagement_rate_low, row.engagement_rate_high) })],
    }),
    figure({
      name: "difference", label: t("campaigns.difference"), value: points(row.difference), about: t("about.campaigns.difference"),
      mark: differenceBar(row.difference_low, row.difference, row.difference_high, apart, campaignVerdict(row)),
      note: [row.difference === null ? t("campaigns.noUsual") : t("format.interval", { low: points(row.difference_low), high: points(row.difference_high) }), row.usual === null ? null : t("campaign.usual", { rate: percent(row.usual) })],
    }),
    figure({
      name: "opt_outs", label: t("campaigns.optOuts"), value: behind(decimal(row.opt_outs, 1), of({ turned_off: "authorization_status" }), row.opt_outs), about: t("about.campaigns.optOuts"),
      note: [t("value.per1000", { n: decimal(row.opt_outs_per_1000) }), optOutsSoFar(row.last_day, now)],
    }),
  ];
}
