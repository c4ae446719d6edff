// What notification service extensions made of pushes, and whether a version still hears of what happens.

import { byInterval } from "../data/interval.js";
import { beforeLine, earlier, timeAxis } from "../parts/axis.js";
import { measure } from "../parts/breakdown.js";
import { chart } from "../parts/chart.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, duration, percent, short } from "../text/format.js";
import { named, t } from "../text/text.js";
import { instrumentation } from "./instrumentation.js";

const OUTCOMES = { modified: "series-1", unmodified: "series-5", expired: "series-2", filtered: "series-4", unstated: "series-6" };

const EXPIRED = measure("extensions", "expired", "runs", "expired_rate");
const ENGAGED = measure("extensions", "responded_in_window", "reached", "engagement_rate");

export const extensions = {
  title: () => t("nav.extensions"),
  about: () => t("extensions.about"),
  panels: (context) => [history(context), versions(context), engagement(context), instrumentation(context)],
};

function history(context) {
  const { interval } = context.range;
  return new Panel(context, {
    title: t("extensions.history", { interval: t(`per.${interval}`) }),
    wide: true,
    empty: "extensions.empty",
    early: true,
    queries: [context.query("extensions", { interval }), context.queryBefore("extensions", { interval })],
    draw: ({ rows }, before) => {
      if (!rows.length) return null;
      const buckets = byInterval(rows, context.range);
      const sum = (outcome, bucket) => bucket.rows.reduce((all, row) => all + row[outcome], 0);
      return chart({
        label: t("extensions.label"),
        ...timeAxis(buckets, context),
        unit: t("unit.runs"),
        stacked: true,
        format: count,
        ticks: short,
        series: Object.keys(OUTCOMES).filter((outcome) => rows.some((row) => row[outcome])).map((outcome) => ({ name: named("extension", outcome), kind: "bar", color: OUTCOMES[outcome], values: buckets.map((bucket) => sum(outcome, bucket)) })).concat(
          beforeLine(context, buckets.length, earlier(before, context, interval, (row) => row.runs)),
        ),
      });
    },
  }).node;
}

function versions(context) {
  return byVersion(context, "extensions.title", "extensions", EXPIRED, [
    numeric("runs"), numeric("modified"), numeric("unmodified"), numeric("expired"), numeric("filtered"),
    { ...numeric("attachments_failed"), cell: (row) => [count(row.attachments_failed), row.attachment_failure_rate === null ? null : ` (${percent(row.attachment_failure_rate)})`] },
    numeric("duration_p50", duration), numeric("duration_p99", duration),
  ]);
}

function engagement(context) {
  const rates = ["engagement_rate", "modified_engagement_rate", "unmodified_engagement_rate", "expired_engagement_rate"];
  return byVersion(context, "extensions.engagement", "extension-rates", ENGAGED, [numeric("runs"), ...rates.map((key) => numeric(key, percent))]);
}

function numeric(key, show = count) {
  return { key, label: t(`extensions.${key}`), about: t(`about.extensions.${key}`), numeric: true, value: (row) => row[key], cell: (row) => show(row[key]) };
}

function byVersion(context, title, name, rated, columns) {
  const version = { key: "app_version", label: t("filter.app_version"), value: (row) => row.app_version ?? "", cell: (row) => row.app_version ?? t("value.none") };
  return new Panel(context, {
    title: t(title),
    wide: true,
    empty: "extensions.empty",
    breakdown: { name: `${name}-by`, measure: rated },
    queries: [context.query("extensions")],
    draw: (answer) => (answer.rows.length ? table([version, ...columns], answer.rows, { answer, caption: t(title), sort: "-runs", name }) : null),
  }).node;
}
