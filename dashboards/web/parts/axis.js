// Axes: of time, with every interval of the range; intervals that are not over or lie
// outside of the range are hatched; and of rates.

import { byInterval } from "../data/interval.js";
import { intervalLabel } from "../text/format.js";
import { t } from "../text/text.js";
import { annotations } from "./annotations.js";

/**
 * The chart's options for it. `buckets` are those of `byInterval`. `isState` is for values at the end of an interval, for
 * which the interval's start does not matter.
 */
export function timeAxis(buckets, context, { interval = context.range.interval, isState = false } = {}) {
  return {
    labels: buckets.map((bucket) => intervalLabel(new Date(bucket.start).toISOString(), interval, context.zone)),
    axis: t("axis.time", { zone: context.zone }),
    hatched: (index) => !(isState ? buckets[index].isOver : buckets[index].isWhole),
    hatching: t("chart.incomplete"),
    annotations: () => annotations(buckets, context),
    noting: { context, buckets },
  };
}

/** The sum of counts for each interval of the range before; none if they are unknown. */
export function earlier(answer, context, interval, counted) {
  if (!answer) return [];
  return sinceFirst(byInterval(answer.rows, context.before, interval).map((bucket) => bucket.rows.reduce((sum, row) => sum + counted(row), 0)));
}

/** Without the zeros before the first count: so far back, nothing need have been recorded. */
export function sinceFirst(counts) {
  const first = counts.findIndex(Boolean);
  return counts.map((value, index) => (index < first ? null : value));
}

/**
 * A faint line for the range before, aligned with this range; none if its values are unknown. If there are several lines,
 * `of` names each.
 */
export function beforeLine(context, length, values, { of = null, color = "text" } = {}) {
  if (!context.before || !values.some(Boolean)) return [];
  const word = t(`chart.before.${context.against}`);
  return [{ name: of ? `${of}: ${word}` : word, word, kind: "line", isFaint: true, color, stack: "before", values: values.slice(0, length) }];
}

/** Where an axis of rates ends, by the highest that it has to show. */
export function axisEnd(highest) {
  const most = highest * 1.15;
  // On a grid line, or the two topmost labels would overlap.
  const step = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1].find((size) => most / size <= 6) ?? 0.2;
  return Math.min(1, Math.ceil(most / step) * step) || 1;
}
