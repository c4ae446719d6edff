// The time that is looked at: days of one time zone.

/** The lengths that are offered, in days. */
export const LENGTHS = [1, 7, 30, 90, 365];

/** What a range may be compared with: the one before, the same a year before, or nothing. */
export const AGAINST = ["previous", "year", "none"];

/** The times to respond that are offered. */
export const WINDOWS = ["PT1H", "PT6H", "P1D", "P3D", "P7D", "P30D"];

const DAY = 86_400_000;

const calendars = new Map();

/** The date of a moment in a zone, as YYYY-MM-DD. */
export function dateIn(zone, moment = Date.now()) {
  const options = { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" };
  if (!calendars.has(zone)) calendars.set(zone, new Intl.DateTimeFormat("sv-SE", options));
  return calendars.get(zone).format(moment);
}

/** A date some days later or earlier. */
export function addDays(date, days) {
  return new Date(Date.parse(date + "T00:00:00Z") + days * DAY).toISOString().slice(0, 10);
}

/** The last week, from Monday, and the last month that are over, as ranges have them: `to` is the day after the last one. */
export function wholePeriods(today) {
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
  const first = `${today.slice(0, 8)}01`;
  return { week: { from: addDays(monday, -7), to: monday }, month: { from: `${addDays(first, -1).slice(0, 8)}01`, to: first } };
}

/** What the clock of a zone says at a moment, YYYY-MM-DDTHH:MM, as fields for dates and times have it. */
export function clockIn(zone, moment) {
  const options = { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return `${dateIn(zone, moment)}T${new Intl.DateTimeFormat("en-GB", options).format(moment)}`;
}

/** The moment at which the clock of a zone says that; where it leaps over it, an hour beside. */
export function momentIn(zone, clock) {
  const wanted = Date.parse(`${clock}Z`);
  let moment = wanted;
  for (let turn = 0; turn < 2; turn += 1) moment += wanted - Date.parse(`${clockIn(zone, moment)}Z`);
  return moment;
}

/** The moment some days before at which the clock of a zone says the same: where clocks changed since, no multiple of 24 hours. */
export function daysEarlier(zone, moment, days) {
  const [day, clock] = clockIn(zone, moment).split("T");
  return momentIn(zone, `${addDays(day, -days)}T${clock}`) + (moment % 60_000);
}

/** Whether the browser knows a time zone. */
export function isZone(zone) {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}

/** Reads the range from the address: `from` and `to` half-open as reports take them, `to` null for `now`, the moment that it is of. */
export function readRange(parameters, now = Date.now()) {
  const given = parameters.get("tz") ?? "UTC";
  const zone = isZone(given) ? given : "UTC";
  const isDate = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "");
  const today = dateIn(zone, now);
  let last = null;
  let from = parameters.get("from");
  let to = parameters.get("to");
  if (!isDate(from)) {
    const days = Math.min(Math.max(parseInt(parameters.get("last") ?? "30", 10) || 30, 1), 400);
    last = days;
    from = addDays(today, 1 - days);
    to = null;
  } else if (!isDate(to)) {
    to = null;
  }
  const days = Math.max(1, Math.round((Date.parse(to ?? addDays(today, 1)) - Date.parse(from)) / DAY));
  const chosen = parameters.get("interval");
  const known = ["hour", "day", "week", "month"].includes(chosen) ? chosen : null;
  return { zone, unknownZone: zone === given ? null : given, now, from, to, last, days, today, chosen: known, interval: known ?? automatic(days) };
}

/**
 * The range before: as many days, which end where this one begins, or the same weekdays 52 weeks back; null where none is
 * compared with. `to` is the day after its last one, `until` the moment at which it is as old as this one is now.
 */
export function rangeBefore(range, against) {
  if (against === "none") return null;
  const tomorrow = addDays(range.today, 1);
  const isOver = range.to && range.to < tomorrow;
  const end = isOver ? range.to : tomorrow;
  const length = Math.max(1, Math.round((Date.parse(end) - Date.parse(range.from)) / DAY));
  const days = against === "year" ? Math.max(364, length) : length;
  const to = addDays(end, -days);
  const until = isOver ? to : new Date(daysEarlier(range.zone, range.now, days)).toISOString();
  return { ...range, from: addDays(range.from, -days), to, until, last: null, days: length };
}

/** The milliseconds of an ISO 8601 duration of days, hours, minutes and seconds; null for another. */
export function lengthOf(duration) {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(duration);
  if (!parts) return null;
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return days * DAY + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/**
 * Where the parts of a range and of the one before end whose time to respond is over, for what is compared at equal age;
 * null where there is none yet.
 */
export function matureEnds(range, before, window) {
  const length = lengthOf(window);
  if (!before || length === null) return null;
  const end = range.now - length;
  if (range.to && dateIn(range.zone, end) >= range.to) return [range.to, before.to];
  if (dateIn(range.zone, end) < range.from) return null;
  const days = (Date.parse(range.from) - Date.parse(before.from)) / DAY;
  return [end, daysEarlier(range.zone, end, days)].map((moment) => new Date(moment).toISOString());
}

/** Where the part of a range ends whose time to respond is over, by whole hours; where there is none yet, a moment after its start. */
export function matureEnd(range, window) {
  const length = lengthOf(window);
  if (length === null || (range.to && dateIn(range.zone, range.now - length) >= range.to)) return range.to;
  const start = momentIn(range.zone, `${range.from}T00:00`);
  const over = Math.floor((range.now - length) / 3_600_000) * 3_600_000;
  return new Date(Math.max(over, start + 1)).toISOString();
}

/** An interval that gives some dozens of points. */
function automatic(days) {
  if (days <= 2) return "hour";
  if (days <= 62) return "day";
  return days <= 200 ? "week" : "month";
}
