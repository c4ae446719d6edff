// The newest day against the same day of the week before, at equal age: both are looked at up to the same time of day,
// and only responses within an hour count, of notifications that had the hour.

import { count, interval, percent, points, time } from "../app/format.js";
import { addDays, dateIn } from "../app/range.js";
import { t } from "../app/text.js";
import { el } from "../app/dom.js";
import { intervalBar } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { scroller } from "../parts/table.js";

const [HOUR, WEEK] = [3_600_000, 7 * 86_400_000];

export function age(context) {
  const { range } = context;
  const isNow = !range.to || range.to > range.today;
  const day = isNow ? range.today : addDays(range.to, -1);
  const end = isNow ? Date.now() : null;
  const instant = (moment) => new Date(moment).toISOString();
  const limits = (back) => {
    const from = addDays(day, -7 * back);
    if (end) return { from, to: instant(end - back * WEEK), mature: instant(end - back * WEEK - HOUR) };
    return { from, to: addDays(from, 1), mature: addDays(from, 1) };
  };
  const queries = [0, 1].flatMap((back) => {
    const { from, to, mature } = limits(back);
    // A day that is less than an hour old has nothing that had its hour.
    const rated = end && dateIn(context.zone, Date.parse(mature)) < from ? to : mature;
    return [context.query("engagement", { by: "none", from, to }), context.query("engagement", { by: "none", from, to: rated, window: "PT1H" })];
  });
  for (const query of queries) query.csv = false;
  return new Panel(context, {
    title: isNow ? t("age.today") : t("age.day", { day: time(day + "T12:00:00Z", "UTC", "day") }),
    about: t("age.about"),
    queries,
    empty: isNow ? "age.none" : "state.empty",
    draw: (now, rated, before, ratedBefore) => {
      if (!now.rows.length && !before.rows.length) return null;
      return comparison(now.rows[0], rated.rows[0], before.rows[0], ratedBefore.rows[0]);
    },
  }).node;
}

function comparison(now, rated, before, ratedBefore) {
  const most = Math.max(rated?.engagement_rate_high ?? 0, ratedBefore?.engagement_rate_high ?? 0) * 1.1;
  const change = now?.reached && before?.reached ? percent(now.reached / before.reached - 1) : "–";
  const rate = (row) => [
    percent(row?.engagement_rate),
    row ? el("div", {}, intervalBar(row.engagement_rate_low, row.engagement_rate, row.engagement_rate_high, most)) : null,
    row ? el("div", { class: "small" }, interval(row.engagement_rate_low, row.engagement_rate_high)) : null,
  ];
  const apart = (rated?.engagement_rate ?? null) === null || (ratedBefore?.engagement_rate ?? null) === null ? null : rated.engagement_rate - ratedBefore.engagement_rate;
  const line = (label, name, a, b, c) =>
    el("tr", { "data-row": name }, el("th", { scope: "row" }, label), el("td", { class: "numeric" }, a), el("td", { class: "numeric" }, b), el("td", { class: "numeric" }, c));
  const lines = el(
    "table",
    { class: "compact" },
    el("thead", {}, el("tr", {}, el("td"), [t("age.now"), t("age.before"), t("age.change")].map((text) => el("th", { scope: "col", class: "numeric" }, text)))),
    el(
      "tbody",
      {},
      line(t("column.reached"), "reached", count(now?.reached ?? 0), count(before?.reached ?? 0), change),
      line(t("age.within"), "rate", rate(rated), rate(ratedBefore), points(apart)),
    ),
  );
  return scroller(lines, t("age.about"));
}
