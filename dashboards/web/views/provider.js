// What push providers answered.

import { byInterval } from "../data/interval.js";
import { beforeLine, earlier, timeAxis } from "../parts/axis.js";
import { chart } from "../parts/chart.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { watch } from "../parts/watch.js";
import { count, percent, short, time } from "../text/format.js";
import { named, t } from "../text/text.js";

const GROUPS = { accepted: "series-1", dead: "series-4", misdirected: "series-2", other: "series-5", rest: "series-6" };

export const provider = {
  title: () => t("nav.provider"),
  about: () => t("provider.about"),
  panels: (context) => [history(context), answers(context)],
};

/** An error without a verdict on the token concerns keys or messages. For answers beyond the rows shown, the group is unknown. */
function groupOf(row) {
  return row.other ? "rest" : (row.verdict ?? "other");
}

function history(context) {
  const { interval } = context.range;
  return new Panel(context, {
    title: t("provider.history", { interval: t(`per.${interval}`) }),
    about: t("provider.history.about"),
    wide: true,
    empty: "provider.empty",
    early: true,
    queries: [context.query("push_results", { interval }), context.queryBefore("push_results", { interval })],
    draw: ({ rows }, before) => {
      const refused = rows.filter((row) => groupOf(row) !== "accepted");
      if (!rows.length) return null;
      const buckets = byInterval(refused, context.range);
      const sum = (group, bucket) => bucket.rows.filter((row) => groupOf(row) === group).reduce((all, row) => all + row.results, 0);
      return chart({
        label: t("provider.label"),
        ...timeAxis(buckets, context),
        unit: t("unit.answers"),
        stacked: true,
        format: count,
        ticks: short,
        series: Object.keys(GROUPS).filter((group) => group !== "accepted" && (group !== "rest" || refused.some((row) => row.other))).map((group) => ({ name: named("verdict", group), kind: "bar", color: GROUPS[group], values: buckets.map((bucket) => sum(group, bucket)) })).concat(
          beforeLine(context, buckets.length, earlier(before, context, interval, (row) => (groupOf(row) === "accepted" ? 0 : row.results))),
        ),
      });
    },
  }).node;
}

function answers(context) {
  const query = context.query("push_results");
  const of = ({ provider, status, reason }) => ({ provider, status, reason });
  const bell = (row) => watch(context, { query, metric: "results", of: of(row), what: row.reason ?? String(row.status ?? "–"), isSmall: true });
  return new Panel(context, {
    title: t("provider.title"),
    wide: true,
    empty: "provider.empty",
    queries: [query],
    draw: (answer) =>
      answer.rows.length
        ? table(
            [
              { key: "reason", label: t("column.reason"), value: (row) => row.reason ?? "", cell: (row) => (row.reason ? el("code", {}, row.reason) : "–") },
              { key: "provider", isKey: true, label: t("column.provider"), value: (row) => row.provider ?? "", cell: (row) => named("provider", row.provider ?? "unknown") },
              { key: "status", isKey: true, label: t("column.status"), value: (row) => row.status, cell: (row) => (row.status === null ? "–" : String(row.status)) },
              { key: "verdict", isKey: true, label: t("column.verdict"), about: t("about.verdict"), value: (row) => groupOf(row), cell: (row) => badge(named("verdict", groupOf(row)), groupOf(row) === "accepted" ? "good" : "warn") },
              { key: "results", label: t("provider.title"), numeric: true, value: (row) => row.results, cell: (row) => count(row.results) },
              { key: "share", label: t("column.share"), numeric: true, value: (row) => row.share, cell: (row) => percent(row.share) },
              { key: "first_at", label: t("column.first_at"), value: (row) => row.first_at, cell: (row) => time(row.first_at, context.zone) },
              { key: "last_at", label: t("column.last_at"), value: (row) => row.last_at, cell: (row) => time(row.last_at, context.zone) },
            ],
            answer.rows,
            { answer, caption: t("provider.title"), sort: "-results", watch: bell },
          )
        : null,
  }).node;
}
