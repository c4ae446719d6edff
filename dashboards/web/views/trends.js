// How reached and engagement went over time.

import { count, intervalLabel, percent, roughPercent, short } from "../app/format.js";
import { t } from "../app/text.js";
import { chart } from "../parts/chart.js";
import { Panel } from "../parts/panel.js";

function trend(context, title, about, draw) {
  return new Panel(context, {
    title: t(title, { interval: t(`per.${context.range.interval}`) }),
    about: t(about),
    queries: [context.query("engagement", { by: "none", interval: context.range.interval })],
    draw: ({ rows }) => {
      if (!rows.length) return null;
      const labels = rows.map((row) => intervalLabel(row.interval_start, context.range.interval, context.zone));
      return chart({ labels, axis: t("axis.time", { zone: context.zone }), ...draw(rows) });
    },
  }).node;
}

export function reachedTrend(context) {
  return trend(context, "trend.reached", "trend.reached.about", (rows) => ({
    label: t("trend.reached.label"),
    unit: t("unit.notifications"),
    stacked: true,
    format: count,
    ticks: short,
    series: [
      { name: t("column.reached_seen"), kind: "bar", color: "series-1", values: rows.map((row) => row.reached_seen) },
      { name: t("column.reached_assumed"), kind: "bar", color: "series-1-soft", values: rows.map((row) => row.reached_assumed) },
    ],
  }));
}

export function engagementTrend(context) {
  return trend(context, "trend.engagement", "trend.engagement.about", (rows) => ({
    label: t("trend.engagement.label"),
    unit: t("unit.ofReached"),
    format: percent,
    ticks: roughPercent,
    max: ceiling(rows),
    series: [
      {
        name: t("column.engagement_rate"),
        kind: "line",
        color: "series-2",
        values: rows.map((row) => row.engagement_rate),
        low: rows.map((row) => row.engagement_rate_low),
        high: rows.map((row) => row.engagement_rate_high),
        dashed: (index) => rows[index].immature > 0,
      },
    ],
  }));
}

/** Where the axis ends: a wide interval of a few notifications must not flatten all the others. */
function ceiling(rows) {
  const sure = rows.filter((row) => row.reached >= 30);
  if (!sure.length) return undefined;
  const most = Math.max(...sure.map((row) => row.engagement_rate_high)) * 1.15;
  // On a line of the axis, or the topmost two would stand on each other.
  const step = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1].find((size) => most / size <= 6) ?? 0.2;
  return Math.min(1, Math.ceil(most / step) * step);
}
