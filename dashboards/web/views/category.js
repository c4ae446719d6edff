// One category: its buttons, how soon people respond, at which hours, and what it costs.

import { go } from "../data/address.js";
import { el } from "../parts/dom.js";
import { atEqualAge, countDelta, rateDelta } from "../parts/delta.js";
import { badge, figure, figures, unheard } from "../parts/figure.js";
import { behind, breakable } from "../parts/links.js";
import { intervalBar, shares } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { optOutsSoFarIn } from "../parts/sofar.js";
import { watch } from "../parts/watch.js";
import { count, decimal, duration, interval, percent } from "../text/format.js";
import { t } from "../text/text.js";
import { actions } from "./actions.js";
import { changesQuery } from "./changes.js";
import { curve } from "./curve.js";
import { heatmap } from "./heatmap.js";
import { OPT_OUTS } from "./optouts.js";
import { removals } from "./removals.js";
import { engagementTrend } from "./trends.js";

export const category = {
  under: "categories",
  isOfOne: true,
  title: (context) => breakable(nameOf(context)),
  about: () => t("category.about"),
  panels: (context) => [chooser(context), summary(context), actions(context), engagementTrend(context), curve(context), heatmap(context), cost(context), removals(context)],
};

function nameOf(context) {
  return context.parameters.get("category") || t("value.noCategory");
}

/** Another category, among those of the same range and filters. */
function chooser(context) {
  const now = context.parameters.get("category") ?? "";
  const select = el("select", { name: "category", onchange: (event) => go({ category: event.target.value }) }, el("option", { value: now, selected: true }, nameOf(context)));
  context
    .rows("engagement", { by: "category", category: null })
    .then((rows) => {
      const names = rows.filter((row) => !row.other).map((row) => row.category ?? "");
      if (!names.includes(now)) names.unshift(now);
      select.replaceChildren(...names.map((name) => el("option", { value: name, selected: name === now }, name || t("value.noCategory"))));
    })
    // The panels say why nothing is answered.
    .catch(() => {});
  return el("label", { class: "field wide" }, el("span", {}, t("column.category")), select);
}

function summary(context) {
  const query = context.query("engagement", { by: "category" });
  const bell = (metric, what) => watch(context, { query, metric, of: { category: context.parameters.get("category") ?? "" }, what, isSmall: true });
  return new Panel(context, {
    title: t("category.summary"),
    compares: true,
    wide: true,
    early: true,
    breakdown: { name: "breakdown" },
    queries: [query, context.query("opt_outs"), changesQuery(context, "none"), ...context.queriesAtEqualAge("engagement", { by: "category" })],
    draw: (answer, costs, changes, settled, before) => {
      const [row, change, now, then] = [answer, changes, settled, before].map((one) => one?.rows[0]);
      return row ? figures(...numbers(row, costs?.rows.find((candidate) => candidate.attributed), { change, now, then }, bell, context.range)) : null;
    },
  }).node;
}

/** The way to a row's notifications: this page's category is left behind otherwise. */
function of(row, changes) {
  return { category: row.category ?? "", ...changes };
}

/**
 * @param compared the row of `changes`, and what there was at equal age, now and then. Opt-outs are seen late, so that a newer
 *   range has fewer of them: they are not compared.
 */
function numbers(row, cost, { change, now, then }, bell, range) {
  const isKnown = (value) => value !== null && value !== undefined;
  const dismissed = isKnown(now?.dismiss_rate) && isKnown(then?.dismiss_rate) ? now.dismiss_rate - then.dismiss_rate : null;
  const label = t("overview.seenAssumed", { seen: count(row.reached_seen), assumed: count(row.reached_assumed) });
  return [
    figure({
      name: "reached", label: t("column.reached"), value: behind(count(row.reached), of(row, { state: "reached" }), row.reached), unit: t("unit.notifications"), about: t("about.reached"),
      watch: bell("reached", t("column.reached")),
      delta: countDelta(change?.reached, change?.reached_before),
      mark: shares([{ value: row.reached_seen, kind: "seen" }, { value: row.reached_assumed, kind: "assumed" }], label),
      note: [label, row.immature ? behind(badge(t("badge.immature", { n: count(row.immature) }), "immature", t("about.immature")), of(row, { state: "immature" })) : null],
    }),
    figure({
      name: "engagement_rate", label: t("column.engagement_rate"), value: behind(percent(row.engagement_rate), of(row, { state: "responded" }), row.responded), about: t("about.engagement_rate"),
      watch: bell("engagement_rate", t("column.engagement_rate")),
      delta: rateDelta(change?.difference, change?.difference_low, change?.difference_high),
      mark: intervalBar(row.engagement_rate_low, row.engagement_rate, row.engagement_rate_high, row.engagement_rate_high * 1.3),
      note: [t("value.of", { n: count(row.responded_in_window), of: count(row.rate_denominator) }), t("mark.interval", { interval: interval(row.engagement_rate_low, row.engagement_rate_high) }), t("overview.rates", { open: percent(row.open_rate), action: percent(row.action_rate), reply: percent(row.reply_rate) }), atEqualAge(row, change), unheard(row)],
    }),
    figure({
      name: "response_p50", label: t("column.response_p50"), value: duration(row.response_p50), about: t("about.response_p50"),
      watch: bell("response_p50", t("column.response_p50")),
      delta: countDelta(now?.response_p50, then?.response_p50),
      note: t("category.percentiles", { p90: duration(row.response_p90), p99: duration(row.response_p99) }),
    }),
    figure({
      name: "dismiss_rate", label: t("column.dismiss_rate"), about: t("about.dismiss_rate"),
      watch: bell("dismiss_rate", t("column.dismiss_rate")),
      value: row.dismiss_rate === null ? el("span", { class: "figure-word" }, t("value.unobserved")) : "≥ " + percent(row.dismiss_rate),
      delta: rateDelta(dismissed),
      note: row.dismiss_rate === null ? t("about.dismiss.unobserved") : [
        t("category.dismissed", { n: count(row.dismissed_in_window), of: count(row.dismiss_observable) }),
        behind(t("actions.anyTime", { n: count(row.dismissed) }), of(row, { state: "dismissed" }), row.dismissed),
      ],
    }),
    figure({
      name: "opt_outs_per_1000", label: t("column.opt_outs_per_1000"), value: decimal(cost?.opt_outs_per_1000), about: t("about.opt_outs_per_1000"),
      note: cost ? [behind(t("category.optOuts", { n: decimal(cost.opt_outs, 1), reached: count(cost.reached) }), of(cost, { turned_off: "authorization_status" }), cost.opt_outs), optOutsSoFarIn(range)] : null,
    }),
  ];
}

function cost(context) {
  return new Panel(context, {
    title: t("category.cost"),
    about: t("optouts.about"),
    wide: true,
    breakdown: { name: "costs", measure: OPT_OUTS },
    queries: [context.query("opt_outs")],
    draw: ({ rows }) => {
      const row = rows.find((candidate) => candidate.attributed);
      if (!row) return null;
      const item = (key, value, note) => figure({ name: key, label: t(`column.${key}`), value, note, about: t(`about.${key}`) });
      return figures(
        item("opt_outs", behind(decimal(row.opt_outs, 1), of(row, { turned_off: "authorization_status" }), row.opt_outs), t("value.per1000", { n: decimal(row.opt_outs_per_1000) })),
        item("softer", behind(decimal(row.softer, 1), of(row, { turned_off: "softer" }), row.softer), t("value.per1000", { n: decimal(row.softer_per_1000) })),
        item("changes", count(row.changes), t("optouts.ambiguous", { n: count(row.ambiguous) })),
        item("gap_p50", duration(row.gap_p50)),
        item("open_settings", count(row.open_settings)),
        item("tokens_died", count(row.tokens_died)),
      );
    },
  }).node;
}
