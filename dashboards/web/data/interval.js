// Intervals of local time, as reports cut them, and how sure a share of few is.

import { addDays, dateIn } from "./range.js";

const HOUR = 3_600_000;

/** The moment at which a date begins in a zone; where clocks leap over midnight, the first moment after. */
function midnight(date, zone) {
  const start = Date.parse(date + "T00:00:00Z");
  // No clock is further than 14 hours from UTC, and all offsets are of quarter hours.
  let [low, high] = [start - 15 * HOUR, start + 15 * HOUR];
  while (high - low > 900_000) {
    const middle = low + Math.round((high - low) / 1_800_000) * 900_000;
    if (dateIn(zone, middle) >= date) high = middle;
    else low = middle;
  }
  return high;
}

/** The first day of the week or month that a date is in. */
function firstDay(date, interval) {
  if (interval === "month") return date.slice(0, 8) + "01";
  // 5 January 1970 was a Monday.
  return interval === "week" ? addDays(date, -((Date.parse(date) / 86_400_000 + 3) % 7)) : date;
}

function nextDay(date, interval) {
  if (interval === "month") return firstDay(addDays(date, 31), "month");
  return addDays(date, interval === "week" ? 7 : 1);
}

/**
 * Every interval of a range, oldest first, with or without anything in it: start and end; isWhole: whether all of it lies in the
 * range and is over; isOver: whether it is over.
 */
export function intervals(range, interval) {
  const from = midnight(range.from, range.zone);
  const to = Math.min(range.to ? midnight(range.to, range.zone) : range.now, range.now);
  const found = [];
  const add = (start, end) => found.push({ start, end, isWhole: start >= from && end <= to, isOver: end <= to });
  if (interval === "hour") {
    for (let start = from; start < to; start += HOUR) add(start, start + HOUR);
    return found;
  }
  let date = firstDay(range.from, interval);
  while (midnight(date, range.zone) < to) {
    const next = nextDay(date, interval);
    add(midnight(date, range.zone), midnight(next, range.zone));
    date = next;
  }
  return found;
}

/** Each interval of a range with the rows that a report has of it, in `rows`; none where it has none. */
export function byInterval(rows, range, interval = range.interval) {
  const all = intervals(range, interval);
  // Where a zone's clocks moved within an hour, what a report calls an interval's start is in one all the same.
  const buckets = new Map(all.map((one) => [one.start, Object.assign(one, { rows: [] })]));
  for (const row of rows) {
    const at = Date.parse(row.interval_start);
    const bucket = buckets.get(at) ?? all.findLast((one) => one.start <= at) ?? all[0];
    bucket?.rows.push(row);
  }
  return all;
}

/** 95 % Wilson score interval of `part` of `whole`; parts of one are taken as they are. */
export function wilson(part, whole) {
  if (!whole) return { low: null, high: null };
  const z = 1.959963984540054;
  const share = Math.min(part / whole, 1);
  const middle = share + (z * z) / (2 * whole);
  const spread = z * Math.sqrt((share * (1 - share)) / whole + (z * z) / (4 * whole * whole));
  const scale = 1 + (z * z) / whole;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}
