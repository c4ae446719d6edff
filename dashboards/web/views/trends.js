// How reached and engagement went over time.

import { byInterval } from "../data/interval.js";
import { axisEnd, beforeLine, sinceFirst, timeAxis } from "../parts/axis.js";
import { chart } from "../parts/chart.js";
import { Panel } from "../parts/panel.js";
import { count, percent, roughPercent, short } from "../text/format.js";
import { t } from "../text/text.js";

function trend(context, title, about, draw, breakdown) {
  const asked = { by: "none", interval: context.range.interval, count_devices: false };
  return new Panel(context, {
    title: t(title, { interval: t(`per.${context.range.interval}`) }),
    about: t(about),
    early: true,
    breakdown,
    queries: [context.query("engagement", asked), context.queryBefore("engagement", asked)],
    draw: (now, before) => {
      if (!now.rows.length) return null;
      const buckets = byInterval(now.rows, context.range);
      return chart({ ...timeAxis(buckets, context), ...draw(buckets.map((bucket) => bucket.rows[0]), rowsBefore(before, context)) });
    },
  }).node;
}

/** The rows of the range before, in the places of those of this one; none where they are not known. */
function rowsBefore(answer, context) {
  return answer ? byInterval(answer.rows, context.before, context.range.interval).map((bucket) => bucket.rows[0]) : [];
}

export function reachedTrend(context) {
  const values = (rows, key) => rows.map((row) => row?.[key] ?? 0);
  return trend(context, "trend.reached", "trend.reached.about", (rows, before) => ({
    label: t("trend.reached.label"),
    unit: t("unit.notifications"),
    stacked: true,
    format: count,
    ticks: short,
    series: [
      { name: t("column.reached_seen"), kind: "bar", color: "series-1", values: values(rows, "reached_seen") },
      { name: t("column.reached_assumed"), kind: "bar", color: "series-1-soft", values: values(rows, "reached_assumed") },
      ...beforeLine(context, rows.length, sinceFirst(before.map((row) => row?.reached ?? 0))),
    ],
  }));
}

export function engagementTrend(context) {
  const values = (rows, key) => rows.map((row) => row?.[key] ?? null);
  return trend(
    context,
    "trend.engagement",
    "trend.engagement.about",
    (rows, before) => ({
      label: t("trend.engagement.label"),
      unit: t("unit.ofReached"),
      format: percent,
      ticks: roughPercent,
      max: ceiling([...rows, ...before].filter(Boolean)),
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
        ...beforeLine(context, rows.length, values(before, "engagement_rate")),
      ],
    }),
    { name: "trend" },
  );
}

/** Where the axis ends: a wide interval of a few notifications must not flatten all the others. */
function ceiling(rows) {
  const sure = rows.filter((row) => row.reached >= 30);
  return sure.length ? axisEnd(Math.max(...sure.map((row) => row.engagement_rate_high))) : undefined;
}
