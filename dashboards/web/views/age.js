// The newest day against the same day of the week before, at equal age: both are looked at up to the same time of day,
// and only responses within an hour count, of notifications that had the hour.

import { addDays, dateIn, daysEarlier } from "../data/range.js";
import { el } from "../parts/dom.js";
import { intervalBar } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { scroller } from "../parts/table.js";
import { UNKNOWN, count, interval, percent, points, time } from "../text/format.js";
import { t } from "../text/text.js";

const HOUR = 3_600_000;

export function age(context) {
  const { range } = context;
  const isNow = !range.to || range.to > range.today;
  const day = isNow ? range.today : addDays(range.to, -1);
  const end = () => context.now - HOUR;
  const stretch = (back) => {
    const from = addDays(day, -7 * back);
    // On a past day, every notification is more than an hour old.
    return { from, to: isNow ? new Date(daysEarlier(context.zone, end(), 7 * back)).toISOString() : addDays(from, 1) };
  };
  const query = (back) => context.query("engagement", () => ({ by: "none", ...stretch(back), window: "PT1H", count_devices: false }));
  // Within its first hour, nothing of a day had the hour.
  const isTooYoung = context.byNow("the first hour", () => isNow && dateIn(context.zone, end()) < day);
  const queries = isTooYoung ? [] : [query(0), query(1)];
  for (const query of queries) query.csv = false;
  return new Panel(context, {
    breakdown: { name: "age", extra: () => ({ window: "PT1H", ...(isTooYoung ? {} : stretch(0)) }) },
    title: isNow ? t("age.today") : t("age.day", { day: time(day + "T12:00:00Z", "UTC", "day") }),
    about: t("age.about"),
    queries,
    empty: "age.none",
    draw: (now, before) => {
      if (!now?.rows.length && !before?.rows.length) return null;
      return comparison(now.rows[0], before.rows[0]);
    },
  }).node;
}

const known = (value) => value !== null && value !== undefined;

/** By how much a count is more or less than it was. */
function relative(now, before) {
  return now && before ? percent(now / before - 1, true) : UNKNOWN;
}

function difference(now, before) {
  return known(now) && known(before) ? now - before : null;
}

function comparison(now, before) {
  const most = Math.max(now?.engagement_rate_high ?? 0, before?.engagement_rate_high ?? 0) * 1.1;
  const rate = (row) => [
    percent(row?.engagement_rate),
    row ? el("div", {}, intervalBar(row.engagement_rate_low, row.engagement_rate, row.engagement_rate_high, most)) : null,
    row ? el("div", { class: "small" }, interval(row.engagement_rate_low, row.engagement_rate_high)) : null,
  ];
  const line = (label, name, ...cells) =>
    el("tr", { "data-row": name }, el("th", { scope: "row" }, label), cells.map((cell) => el("td", { class: "numeric" }, cell)));
  const counted = (name, label) => line(label, name, count(now ? now[name] : 0), count(before ? before[name] : 0), relative(now?.[name], before?.[name]));
  const rated = (name, label, show) => line(label, name, show(now), show(before), points(difference(now?.[name], before?.[name])));
  const lines = el(
    "table",
    { class: "compact" },
    el("thead", {}, el("tr", {}, el("td"), [t("age.now"), t("age.before"), t("age.change")].map((text) => el("th", { scope: "col", class: "numeric" }, text)))),
    el(
      "tbody",
      {},
      counted("reached", t("age.reached")),
      rated("engagement_rate", t("age.within"), rate),
      ["open_rate", "action_rate", "reply_rate"].map((name) => rated(name, t("age.rate", { rate: t(`column.${name}`) }), (row) => percent(row?.[name]))),
    ),
  );
  return scroller(lines, t("age.about"));
}
