// Axes: of time, with every interval of the range; intervals that are not over or lie
// outside of the range are hatched; and of rates.

import { byInterval } from "../data/interval.js";
import { intervalLabel } from "../text/format.js";
import { t } from "../text/text.js";
import { annotations } from "./annotations.js";

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
    annotations: annotations(buckets, context),
    noting: { context, buckets },
  };
}

/** Of each interval of the range before, the sum of a row's counts; none where they are not known. */
export function earlier(answer, context, interval, counted) {
  if (!answer) return [];
  return byInterval(answer.rows, context.before, interval).map((bucket) => bucket.rows.reduce((sum, row) => sum + counted(row), 0));
}

/**
 * A faint line of the range before, its values in the places of those of this one; none where they are not known. Of several
 * lines, `of` says of what each is.
 */
export function beforeLine(context, length, values, { of = null, color = "text" } = {}) {
  if (!context.before || !values.some(Boolean)) return [];
  const said = t(`chart.before.${context.against}`);
  return [{ name: of ? `${of}: ${said}` : said, said, kind: "line", isFaint: true, color, stack: "before", values: values.slice(0, length) }];
}

/** Where an axis of rates ends, by the highest that it has to show. */
export function axisEnd(highest) {
  const most = highest * 1.15;
  // On a line of the axis, or the topmost two would stand on each other.
  const step = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1].find((size) => most / size <= 6) ?? 0.2;
  return Math.min(1, Math.ceil(most / step) * step) || 1;
}
