// Whether the range before was recorded: a log that began within it says nothing of a change.

import { addDays, dateIn, momentIn } from "../data/range.js";
import { date } from "../text/format.js";
import { t } from "../text/text.js";

/** How much of the range before has to lie behind the first notification that is known. */
const LEAST = 0.9;
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
  return to - first >= LEAST * (to - from) ? null : t("recorded.partly", { first: date(dateIn(before.zone, first)) });
}
