// How soon notifications come to their end, and to which: those still open are censored, not dropped.

import { beforeLine } from "../parts/axis.js";
import { chart } from "../parts/chart.js";
import { Panel } from "../parts/panel.js";
import { duration, percent, roughPercent } from "../text/format.js";
import { named, t } from "../text/text.js";

const COLORS = { opened: "series-1", acted: "series-2", replied: "series-3", dismissed: "series-4", withdrawn: "series-5", gone: "series-6" };

/** @param by the one dimension that the rows are of */
export function curve(context, by = "category") {
  return new Panel(context, {
    title: t("curve.title"),
    about: t("curve.about"),
    empty: "curve.empty",
    breakdown: { name: "curve" },
    early: true,
    queries: [context.query("response_times", { by }), context.queryBefore("response_times", { by })],
    draw: ({ rows }, before) => {
      const ends = [...new Set(rows.map((row) => row.until))].sort((a, b) => a - b);
      const outcomes = Object.keys(COLORS).filter((name) => rows.some((row) => row.outcome === name && row.incidence > 0));
      if (!outcomes.length) return null;
      const value = (rows, outcome, end) => rows.find((row) => row.outcome === outcome && row.until === end)?.incidence ?? null;
      const values = (rows, outcome) => [0, ...ends.map((end) => value(rows, outcome, end))];
      return chart({
        label: t("curve.label"),
        labels: ["0", ...ends.map(duration)],
        axis: t("curve.axis"),
        unit: t("curve.unit"),
        format: percent,
        ticks: roughPercent,
        stepped: false,
        series: [
          ...outcomes.map((outcome) => ({ name: named("outcome", outcome), kind: "line", color: COLORS[outcome], values: values(rows, outcome) })),
          ...outcomes.flatMap((outcome) => beforeLine(context, ends.length + 1, before ? values(before.rows, outcome) : [], { of: named("outcome", outcome), color: COLORS[outcome] })),
        ],
      });
    },
  }).node;
}
