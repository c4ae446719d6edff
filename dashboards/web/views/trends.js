// How reached and engagement went over time.

import { byInterval } from "../data/interval.js";
import { axisEnd, timeAxis } from "../parts/axis.js";
import { chart } from "../parts/chart.js";
import { Panel } from "../parts/panel.js";
import { count, percent, roughPercent, short } from "../text/format.js";
import { t } from "../text/text.js";

function trend(context, title, about, draw) {
  return new Panel(context, {
    title: t(title, { interval: t(`per.${context.range.interval}`) }),
    about: t(about),
    queries: [context.query("engagement", { by: "none", interval: context.range.interval })],
    draw: ({ rows }) => {
      if (!rows.length) return null;
      const buckets = byInterval(rows, context.range);
      return chart({ ...timeAxis(buckets, context), ...draw(buckets.map((bucket) => bucket.rows[0])) });
    },
  }).node;
}

export function reachedTrend(context) {
  const values = (rows, key) => rows.map((row) => row?.[key] ?? 0);
  return trend(context, "trend.reached", "trend.reached.about", (rows) => ({
    label: t("trend.reached.label"),
    unit: t("unit.notifications"),
    stacked: true,
    format: count,
    ticks: short,
    series: [
      { name: t("column.reached_seen"), kind: "bar", color: "series-1", values: values(rows, "reached_seen") },
      { name: t("column.reached_assumed"), kind: "bar", color: "series-1-soft", values: values(rows, "reached_assumed") },
    ],
  }));
}

export function engagementTrend(context) {
  const values = (rows, key) => rows.map((row) => row?.[key] ?? null);
  return trend(context, "trend.engagement", "trend.engagement.about", (rows) => ({
    label: t("trend.engagement.label"),
    unit: t("unit.ofReached"),
    format: percent,
    ticks: roughPercent,
    max: ceiling(rows.filter(Boolean)),
    series: [
      {
        name: t("column.engagement_rate"),
        kind: "line",
        color: "series-2",
        values: values(rows, "engagement_rate"),
        low: values(rows, "engagement_rate_low"),
        high: values(rows, "engagement_rate_high"),
        dashed: (index) => rows[index]?.immature > 0,
      },
    ],
  }));
}

/** Where the axis ends: a wide interval of a few notifications must not flatten all the others. */
function ceiling(rows) {
  const sure = rows.filter((row) => row.reached >= 30);
  return sure.length ? axisEnd(Math.max(...sure.map((row) => row.engagement_rate_high))) : undefined;
}
