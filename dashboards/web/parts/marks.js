// Small drawings beside a figure: an interval, a row of values, a share.

import { interval, percent } from "../text/format.js";
import { t } from "../text/text.js";
import { el, svg } from "./dom.js";

const WIDTH = 120;

/** A rate as a point on its 95 % interval; `most` is the value of the right edge, so that rows can be compared. */
export function intervalBar(low, value, high, most) {
  if (value === null || value === undefined) return null;
  const at = (part) => (Math.min(Math.max(part / (most || 1), 0), 1) * (WIDTH - 6) + 3).toFixed(1);
  return svg(
    "svg",
    { class: "interval", width: WIDTH, height: 14, viewBox: `0 0 ${WIDTH} 14`, "aria-hidden": "true" },
    svg("line", { class: "track", x1: 0, x2: WIDTH, y1: 7, y2: 7 }),
    svg("rect", { class: "band", x: at(low), width: Math.max(at(high) - at(low), 1).toFixed(1), y: 3.5, height: 7, rx: 2 }),
    svg("circle", { class: "point", cx: at(value), cy: 7, r: 3 }),
  );
}

/** A rate with its interval, in figures, as `show` writes them, and drawn. */
export function rate(value, low, high, most, show = percent) {
  if (value === null || value === undefined) return show(null);
  const range = show === percent ? interval(low, high) : t("format.interval", { low: show(low), high: show(high) });
  return el(
    "span",
    { class: "rate", title: t("mark.interval", { interval: range }) },
    el("span", { class: "rate-value" }, show(value)),
    intervalBar(low, value, high, most),
    el("span", { class: "rate-range" }, range),
  );
}

/** A difference to nought, on its interval, nought in the middle; `kind` is what it comes to, such as better. */
export function differenceBar(low, value, high, most, kind) {
  if (value === null || value === undefined) return null;
  const at = (part) => (WIDTH / 2 + Math.min(Math.max(part / (most || 1), -1), 1) * (WIDTH / 2 - 4)).toFixed(1);
  return svg(
    "svg",
    { class: `interval ${kind ?? ""}`, width: WIDTH, height: 14, viewBox: `0 0 ${WIDTH} 14`, "aria-hidden": "true" },
    svg("line", { class: "track", x1: 0, x2: WIDTH, y1: 7, y2: 7 }),
    svg("line", { class: "zero", x1: WIDTH / 2, x2: WIDTH / 2, y1: 0, y2: 14 }),
    svg("rect", { class: "band", x: at(low), width: Math.max(at(high) - at(low), 1).toFixed(1), y: 3.5, height: 7, rx: 2 }),
    svg("circle", { class: "point", cx: at(value), cy: 7, r: 3 }),
  );
}

/** A sparkline, with gaps for missing values. */
export function sparkline(values, label) {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (known.length < 2) return null;
  const [width, height] = [96, 24];
  const most = Math.max(...known) || 1;
  const x = (index) => ((index / (values.length - 1)) * (width - 4) + 2).toFixed(1);
  const y = (value) => (height - 2 - (value / most) * (height - 4)).toFixed(1);
  let path = "";
  values.forEach((value, index) => {
    if (value === null || value === undefined) return;
    const begins = index === 0 || values[index - 1] === null || values[index - 1] === undefined;
    path += `${begins ? "M" : "L"}${x(index)} ${y(value)}`;
    // One that stands alone is a dot: a line of no length, whose ends are round.
    if (begins) path += "h0";
  });
  return svg("svg", { class: "sparkline", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, svg("path", { d: path }));
}

/** Parts of a whole, side by side: `[{name, value, kind}]`. */
export function shares(parts, label) {
  const whole = parts.reduce((sum, part) => sum + (part.value ?? 0), 0);
  if (!whole) return null;
  let left = 0;
  const rects = parts.map((part) => {
    const width = (part.value / whole) * 100;
    const rect = svg("rect", { class: part.kind, x: left.toFixed(2), width: width.toFixed(2), y: 0, height: 8 });
    left += width;
    return rect;
  });
  return svg("svg", { class: "shares", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": label }, rects);
}

/** A length beside a figure. */
export function bar(value, most, kind = "") {
  return svg(
    "svg",
    { class: `bar ${kind}`, viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", x: 0, y: 0, width: 100, height: 10 }),
    svg("rect", { class: "fill", x: 0, y: 0, width: ((value / (most || 1)) * 100).toFixed(2), height: 10 }),
  );
}
