// Device tokens and what became of them.

import { byInterval } from "../data/interval.js";
import { beforeLine, earlier, timeAxis } from "../parts/axis.js";
import { chart } from "../parts/chart.js";
import { badge } from "../parts/figure.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, duration, short } from "../text/format.js";
import { named, t } from "../text/text.js";

const STATES = ["active", "stale", "superseded", "moved", "invalidated", "misdirected"];

export const tokens = {
  title: () => t("nav.tokens"),
  about: () => t("tokens.about"),
  panels: (context) => [history(context), now(context)],
};

function history(context) {
  const interval = context.range.interval === "hour" ? "day" : context.range.interval;
  return new Panel(context, {
    title: t("tokens.history", { interval: t(`per.${interval}`) }),
    wide: true,
    empty: "tokens.empty",
    early: true,
    queries: [context.query("tokens", { interval }), context.queryBefore("tokens", { interval })],
    draw: ({ rows }, before) => {
      if (!rows.length) return null;
      const buckets = byInterval(rows, context.range, interval);
      const sum = (state, bucket) => bucket.rows.filter((row) => row.state === state).reduce((all, row) => all + row.tokens, 0);
      const there = STATES.filter((state) => rows.some((row) => row.state === state));
      return chart({
        label: t("tokens.label"),
        ...timeAxis(buckets, context, { interval, isState: true }),
        unit: t("unit.tokens"),
        stacked: true,
        format: count,
        ticks: short,
        series: there.map((state) => ({ name: named("token", state), kind: "bar", color: `series-${STATES.indexOf(state) + 1}`, values: buckets.map((bucket) => sum(state, bucket)) })).concat(
          beforeLine(context, buckets.length, earlier(before, context, interval, (row) => row.tokens)),
        ),
      });
    },
  }).node;
}

function now(context) {
  const text = (key, group) => ({ key, label: t(`column.${key}`), value: (row) => row[key] ?? "", cell: (row) => named(group, row[key] ?? "unknown") });
  const numeric = (key) => ({ key, label: t(`tokens.${key}`), about: t(`about.tokens.${key}`), numeric: true, value: (row) => row[key], cell: (row) => count(row[key]) });
  return new Panel(context, {
    title: t("tokens.title"),
    about: t("tokens.title.about"),
    wide: true,
    empty: "tokens.empty",
    queries: [context.query("tokens")],
    draw: ({ rows }) =>
      rows.length
        ? table(
            [
              { key: "state", label: t("column.state"), value: (row) => STATES.indexOf(row.state), cell: (row) => badge(named("token", row.state), row.state === "active" ? "good" : "") },
              text("provider", "provider"), text("type", "tokenType"), text("environment", "environment"),
              numeric("tokens"), numeric("devices"),
              { ...numeric("lifetime_p50"), cell: (row) => duration(row.lifetime_p50) },
              { ...numeric("ghost_devices"), cell: (row) => [count(row.ghost_devices), row.ghost_devices ? badge(t("tokens.ghosts"), "warn", t("about.tokens.ghost_devices")) : null] },
              { ...numeric("dead_requests"), cell: (row) => [count(row.dead_requests), row.dead_requests ? badge(t("tokens.wasted"), "warn", t("about.tokens.dead_requests")) : null] },
            ],
            rows,
            { caption: t("tokens.title"), sort: "-tokens" },
          )
        : null,
  }).node;
}
