// Figures as people read them. What is not known is a dash, never a nought.

import { locale, t } from "./text.js";

export const UNKNOWN = "–";

const cache = new Map();
function number(options) {
  const key = JSON.stringify(options);
  if (!cache.has(key)) cache.set(key, new Intl.NumberFormat(locale, options));
  return cache.get(key);
}

export function count(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return number({ maximumFractionDigits: Number.isInteger(value) ? 0 : 1 }).format(value);
}

/** Large counts for small spaces: 12,345 is 12.3K. */
export function short(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return Math.abs(value) < 10_000 ? count(value) : number({ notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** A fraction as a percentage; small ones keep two digits that count. */
export function percent(value, isSigned = false) {
  if (value === null || value === undefined) return UNKNOWN;
  const digits = value !== 0 && Math.abs(value) < 0.01 ? 2 : 1;
  return number({ style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: isSigned ? "exceptZero" : "auto" }).format(value);
}

/** The same for an axis, where whole ones do. */
export function roughPercent(value) {
  return number({ style: "percent", maximumFractionDigits: Math.abs(value) < 0.02 ? 1 : 0 }).format(value);
}

/** A figure of any size with four significant digits, at most six after the point. */
export function exact(value) {
  if (value === null || value === undefined) return UNKNOWN;
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return count(value);
  return number({ maximumFractionDigits: 6 }).format(Number(value.toPrecision(4)));
}

/** The same for a fraction as a percentage, with no fewer digits than other percentages. */
export function exactPercent(value) {
  if (value === null || value === undefined) return UNKNOWN;
  const digits = value !== 0 && Math.abs(value) < 0.01 ? 2 : 1;
  return number({ style: "percent", minimumFractionDigits: digits, maximumFractionDigits: 6 }).format(Number(value.toPrecision(4)));
}

/** An amount in the minor units of a currency, or a plain number if the currency is unknown. */
export function money(value, currency) {
  if (value === null || value === undefined) return UNKNOWN;
  if (!/^[A-Z]{3}$/.test(currency ?? "")) return count(value);
  const shown = number({ style: "currency", currency });
  return shown.format(value / 10 ** shown.resolvedOptions().maximumFractionDigits);
}

/** A difference of two fractions, in percentage points. */
export function points(value) {
  return value === null || value === undefined ? UNKNOWN : t("unit.points", { n: plainPoints(value, "exceptZero") });
}

/** The same without a sign, for sentences that name the direction. Bounds of an interval may lie beyond what a difference can be. */
export function plainPoints(value, signDisplay = "auto") {
  return number({ minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay }).format(Math.min(Math.max(value, -1), 1) * 100);
}

export function interval(low, high) {
  if (low === null || low === undefined || high === null || high === undefined) return UNKNOWN;
  return t("format.interval", { low: percent(low), high: percent(high) });
}

export function decimal(value, digits = 2) {
  if (value === null || value === undefined) return UNKNOWN;
  return number({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

export function probability(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return value < 0.001 ? "< " + decimal(0.001, 3) : decimal(value, 3);
}

const STEPS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

/** Seconds in the largest unit that fits, with two digits that count. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? STEPS[3];
  const value = seconds / size;
  return number({ style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** A difference of two durations, with a sign. Below a second it is in milliseconds. */
export function longer(seconds) {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  const [unit, size] = [...STEPS, ["millisecond", 0.001]].find(([, size]) => Math.abs(seconds) >= size) ?? STEPS[3];
  const value = seconds / size;
  return number({ style: "unit", unit, unitDisplay: "short", maximumFractionDigits: Math.abs(value) < 10 && unit !== "millisecond" ? 1 : 0, signDisplay: "exceptZero" }).format(value);
}

/** A time in a zone. `style`: full, minute, day or hour. */
export function time(text, zone, style = "minute") {
  if (!text) return UNKNOWN;
  const options = {
    full: { dateStyle: "medium", timeStyle: "medium" },
    minute: { dateStyle: "medium", timeStyle: "short" },
    clock: { timeStyle: "medium" },
    day: { weekday: "short", day: "numeric", month: "short" },
    date: { day: "numeric", month: "short" },
    year: { day: "numeric", month: "short", year: "numeric" },
    hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
    month: { month: "short", year: "numeric" },
  }[style];
  const key = `${style} ${zone}`;
  if (!cache.has(key)) cache.set(key, new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }));
  return cache.get(key).format(new Date(text));
}

/** A date alone, YYYY-MM-DD, whatever the zone. */
export function date(text) {
  return time(`${text}T12:00:00Z`, "UTC", "date");
}

/** The label of an interval by its start. */
export function intervalLabel(start, interval, zone) {
  return time(start, zone, { hour: "hour", month: "month" }[interval] ?? "date");
}
