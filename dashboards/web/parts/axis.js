// Axes: of time, with every interval of the range; intervals that are not over or lie
// outside of the range are hatched; and of rates.

import { intervalLabel } from "../text/format.js";
import { t } from "../text/text.js";

/**
 * What a chart takes of it. `buckets` are those of `byInterval`; `isState` is for what is counted at the end of an
 * interval, of which it does not matter when it began.
 */
export function timeAxis(buckets, context, { interval = context.range.interval, isState = false } = {}) {
  return {
    labels: buckets.map((bucket) => intervalLabel(new Date(bucket.start).toISOString(), interval, context.zone)),
    axis: t("axis.time", { zone: context.zone }),
    hatched: (index) => !(isState ? buckets[index].isOver : buckets[index].isWhole),
    hatching: t("chart.incomplete"),
  };
}

/** Where an axis of rates ends, by the highest that it has to show. */
export function axisEnd(highest) {
  const most = highest * 1.15;
  // On a line of the axis, or the topmost two would stand on each other.
  const step = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1].find((size) => most / size <= 6) ?? 0.2;
  return Math.min(1, Math.ceil(most / step) * step) || 1;
}
