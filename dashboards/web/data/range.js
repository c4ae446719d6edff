// The time that is looked at: days of one time zone.

/** The lengths that are offered, in days. */
export const LENGTHS = [1, 7, 30, 90, 365];

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

/** Whether the browser knows a time zone. */
export function isZone(zone) {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}

/** Reads the range from the address: `from` and `to` half-open as reports take them, `to` null for now. */
export function readRange(parameters) {
  const given = parameters.get("tz") ?? "UTC";
  const zone = isZone(given) ? given : "UTC";
  const isDate = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "");
  const today = dateIn(zone);
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
  return { zone, from, to, last, days, today, chosen: known, interval: known ?? automatic(days) };
}

/** An interval that gives some dozens of points. */
function automatic(days) {
  if (days <= 2) return "hour";
  if (days <= 62) return "day";
  return days <= 200 ? "week" : "month";
}
