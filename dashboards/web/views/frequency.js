// Whether devices that get more notifications respond less, and opt out more: by how many a device got in a week.

import { wilson } from "../data/interval.js";
import { axisEnd, beforeLine } from "../parts/axis.js";
import { measure } from "../parts/breakdown.js";
import { chart } from "../parts/chart.js";
import { el } from "../parts/dom.js";
import { rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, decimal, percent, roughPercent } from "../text/format.js";
import { t } from "../text/text.js";

/** Fewer device-weeks than this say nothing of a rate. */
const FEW = 30;

const ENGAGED = measure("frequency", "responded_in_window", "reached", "engagement_rate");
/** A device-week in which a device got notifications of two values is one of each. */
const OPTED_OUT = measure("frequency", "opt_outs", "device_weeks", "opt_out_rate", { isDistinct: true });

const isFew = (row) => row.device_weeks < FEW;

/** Opt-outs for each device-week, possibly fractions; Wilson's interval counts them as whole ones. */
function optOutRate(row) {
  return { value: row.opt_out_rate, ...wilson(row.opt_outs, row.device_weeks) };
}

function panel(context, options) {
  return new Panel(context, {
    about: `${t("frequency.caveat")} ${t("frequency.about", { few: FEW })}`,
    early: true,
    empty: "frequency.empty",
    breakdown: { name: "engagement", measure: ENGAGED },
    queries: [context.query("frequency"), context.queryBefore("frequency")],
    ...options,
    draw: ({ rows }, before) => (rows.length ? options.draw(rows, before?.rows ?? []) : null),
  }).node;
}

/**
 * A chart with a bar for each number of notifications; those of few device-weeks are hatched, without a figure. What is seen late
 * is not compared with the range before, which had more time.
 */
function byFrequency(context, rows, before, options, one) {
  const sure = (value, all = rows) => all.map((row) => (!row || isFew(row) ? null : value(row)));
  const earlier = rows.map((row) => before.find((other) => other.per_week === row.per_week));
  return chart({
    labels: rows.map((row) => row.per_week),
    axis: t("frequency.axis"),
    format: percent,
    ticks: roughPercent,
    max: axisEnd(Math.max(0, ...sure(one.high))),
    hatched: (index) => isFew(rows[index]),
    hatching: t("frequency.few", { few: FEW }),
    ...options,
    series: [{ ...one, kind: "points", values: sure(one.value), low: sure(one.low), high: sure(one.high) }, ...(one.isLate ? [] : beforeLine(context, rows.length, sure(one.value, earlier)))],
  });
}

function charted(context, title, unit, one, more = {}) {
  return panel(context, { ...more, title: t(title), draw: (rows, before) => byFrequency(context, rows, before, { label: t(title), unit: t(unit) }, one) });
}

export function engagementByFrequency(context) {
  const [value, low, high] = ["engagement_rate", "engagement_rate_low", "engagement_rate_high"].map((key) => (row) => row[key]);
  return charted(context, "frequency.chart", "unit.ofReached", { name: t("column.engagement_rate"), color: "series-2", value, low, high });
}

export function optOutsByFrequency(context) {
  const [value, low, high] = ["value", "low", "high"].map((key) => (row) => optOutRate(row)[key]);
  return charted(context, "frequency.costs", "frequency.costs.unit", { name: t("column.opt_out_rate"), color: "series-4", isLate: true, value, low, high }, { breakdown: { name: "costs", measure: OPTED_OUT } });
}

export function frequencies(context) {
  return panel(context, {
    title: t("frequency.title"),
    wide: true,
    breakdown: { name: "frequent", measure: ENGAGED },
    draw: (rows) => {
      const sure = rows.filter((row) => !isFew(row));
      const most = Math.max(0, ...sure.map((row) => row.engagement_rate_high ?? 0));
      const mostOptOuts = Math.max(0, ...sure.map((row) => optOutRate(row).high));
      const few = el("span", { class: "soft" }, t("frequency.few", { few: FEW }));
      const known = (show) => (row) => (isFew(row) ? few.cloneNode(true) : show(row));
      const optOuts = (row) => {
        const { value, low, high } = optOutRate(row);
        return [rate(value, low, high, mostOptOuts), el("div", { class: "small" }, t("frequency.counted", { n: decimal(row.opt_outs, 1), weeks: count(row.device_weeks) }))];
      };
      return table(
        [
          { key: "per_week", label: t("frequency.axis"), value: (row) => row.at_least, cell: (row) => row.per_week },
          { key: "device_weeks", label: t("column.device_weeks"), numeric: true, value: (row) => row.device_weeks, cell: (row) => count(row.device_weeks) },
          { key: "engagement_rate", label: t("column.engagement_rate"), about: t("about.engagement_rate"), numeric: true, isRate: true, value: (row) => row.engagement_rate, cell: known((row) => rate(row.engagement_rate, row.engagement_rate_low, row.engagement_rate_high, most)) },
          { key: "active_rate", label: t("column.active_rate"), about: t("about.active_rate"), numeric: true, value: (row) => row.active_rate, cell: known((row) => percent(row.active_rate)) },
          { key: "opt_out_rate", label: t("column.opt_out_rate"), about: t("about.opt_out_rate"), numeric: true, value: (row) => row.opt_out_rate, cell: known(optOuts) },
        ],
        rows,
        { caption: t("frequency.title"), sort: "per_week", name: "frequency" },
      );
    },
  });
}
