// How a figure changed since the range before: by how much, how sure that is, and whether that range was recorded at all.

import { addDays, dateIn, momentIn } from "../data/range.js";
import { count, date, percent, points, time, UNKNOWN } from "../text/format.js";
import { t } from "../text/text.js";
import { el, hidden } from "./dom.js";

const known = (value) => value !== null && value !== undefined;

function shown(difference, text, range) {
  // What rounds to nothing points nowhere.
  const arrow = !/[1-9]/.test(text) ? "=" : difference > 0 ? "▲" : "▼";
  return el("span", { class: "delta" }, el("span", { "aria-hidden": "true" }, `${arrow} `), hidden(t("delta.change")), " ", text, range ? el("span", { class: "soft" }, ` (${range})`) : null);
}

/** If the range before has this much less, it was not yet recorded as this one is, and shows no change. */
const LEAST = 0.1;

/** Whether the range before has enough beside this one to be compared. */
export function isComparable(now, before) {
  return known(now) && before > 0 && before >= now * LEAST;
}

/** The relative change of a count; nothing if there was none before, or next to none. */
export function countDelta(now, before) {
  if (!isComparable(now, before)) return null;
  return shown(now - before, percent(now / before - 1, true));
}

/** By how many points a rate is more or less, with the interval where it is known. */
export function rateDelta(difference, low, high) {
  if (!known(difference)) return null;
  return shown(difference, points(difference), known(low) ? t("format.interval", { low: points(low), high: points(high) }) : null);
}

/** Of which two rates the change is, where it is of fewer notifications than the rate that is shown; else null. */
export function atEqualAge(row, change) {
  if (!known(change?.difference) || change.rate_denominator === row.rate_denominator) return null;
  return t("delta.equalAge", { rate: percent(change.engagement_rate), before: percent(change.engagement_rate_before), n: count(change.rate_denominator) });
}

/** The days of the range before, as people write them. */
export function daysBefore(before) {
  if (!before) return UNKNOWN;
  const last = new Date(Date.parse(before.to) - 86_400_000).toISOString().slice(0, 10);
  if (before.from === last) return date(last);
  // Without the years, 27 Nov to 26 Nov would run backwards; and those of a year ago pass for this year's.
  const isRecent = before.from.slice(0, 4) === last.slice(0, 4) && before.now - Date.parse(last) < 300 * 86_400_000;
  const shown = isRecent ? date : (day) => time(`${day}T12:00:00Z`, "UTC", "year");
  return t("format.interval", { low: shown(before.from), high: shown(last) });
}

/** How much of the range before has to lie behind the first notification that is known: a log that began within it says nothing of a change. */
const RECORDED = 0.9;
/** How many days before that are looked at: apps that send each week or month are recorded all the time. */
const EARLIER = 31;

/** What reached devices up to the end of the range before, whatever the filters; null where none is compared with. */
export function recordedQuery(context) {
  const { before, filters } = context;
  if (!before) return null;
  const interval = before.days <= 2 ? "hour" : before.days <= 180 ? "day" : "week";
  const all = Object.fromEntries(filters.map(([name]) => [name, null]));
  const query = context.query("engagement", () => ({ ...all, by: "none", interval, from: addDays(context.before.from, -EARLIER), to: context.before.until }));
  return Object.assign(query, { csv: false, isSecond: true });
}

/** Why the range before cannot be compared with, in words; null where it can, or before there is an answer. */
export function unrecorded(answer, { before }) {
  if (!before || !answer) return null;
  const starts = answer.rows.filter((row) => row.reached > 0).map((row) => Date.parse(row.interval_start));
  if (!starts.length) return t("recorded.none", { days: EARLIER });
  const [from, to] = [before.from, before.to].map((day) => momentIn(before.zone, `${day}T00:00`));
  const first = Math.min(...starts);
  return to - first >= RECORDED * (to - from) ? null : t("recorded.partly", { first: date(dateIn(before.zone, first)) });
}
