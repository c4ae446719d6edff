// At which hour of which weekday notifications reach people, by the device's own clock, and how well they do.

import { current, note } from "../app/address.js";
import { el } from "../app/dom.js";
import { count, interval, percent } from "../app/format.js";
import { locale, t } from "../app/text.js";
import { Panel } from "../parts/panel.js";
import { scroller } from "../parts/table.js";

const LEVELS = 6;
/** Fewer than this say nothing of a rate. */
const FEW = 10;

export function heatmap(context) {
  return new Panel(context, {
    title: t("heatmap.title"),
    about: t("heatmap.about", { few: FEW }),
    wide: true,
    queries: [context.query("heatmap", { clock: "device" })],
    draw: ({ rows }) => {
      const known = rows.filter((row) => row.weekday !== null);
      return known.some((row) => row.reached) ? drawing(known, rows.find((row) => row.weekday === null)) : null;
    },
  }).node;
}

function drawing(rows, unknown) {
  const place = el("div");
  const shows = () => (current().parameters.get("heat") === "reached" ? "reached" : "rate");
  const choice = (name) =>
    el("label", {}, el("input", { type: "radio", name: "heat", value: name, checked: shows() === name, onchange: () => (note({ heat: name === "rate" ? null : name }), draw()) }), " " + t(`heatmap.${name}`));
  function draw() {
    place.replaceChildren(grid(rows, shows()));
  }
  draw();
  return [
    el("fieldset", { class: "choice" }, el("legend", { class: "visually-hidden" }, t("heatmap.choice")), choice("rate"), choice("reached")),
    place,
    unknown?.reached ? el("p", { class: "about" }, t("heatmap.unknown", { n: count(unknown.reached) })) : null,
  ];
}

function grid(rows, shows) {
  const value = (row) => (shows === "reached" ? row.reached : row.reached >= FEW ? row.engagement_rate : null);
  const most = Math.max(...rows.map((row) => value(row) ?? 0)) || 1;
  const hours = [...Array(24).keys()];
  const weekday = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  const byPlace = new Map(rows.map((row) => [`${row.weekday} ${row.hour}`, row]));
  const cell = (day, hour) => {
    const row = byPlace.get(`${day} ${hour}`);
    const level = value(row) === null ? "none" : Math.min(LEVELS - 1, Math.floor((value(row) / most) * LEVELS));
    const text = row.reached
      ? t("heatmap.cell", { reached: count(row.reached), rate: percent(row.engagement_rate), interval: interval(row.engagement_rate_low, row.engagement_rate_high) })
      : t("heatmap.nothing");
    return el("td", { class: `heat level-${level}`, title: text }, el("span", { class: "visually-hidden" }, text));
  };
  const label = t("heatmap.title");
  // 5 January 1970 was a Monday.
  const lines = [1, 2, 3, 4, 5, 6, 7].map((day) => el("tr", {}, el("th", { scope: "row" }, weekday.format(new Date((day + 3) * 86_400_000))), hours.map((hour) => cell(day, hour))));
  const head = el("tr", {}, el("td"), hours.map((hour) => el("th", { scope: "col" }, hour % 3 ? el("span", { class: "visually-hidden" }, hour) : String(hour).padStart(2, "0"))));
  const format = shows === "reached" ? count : percent;
  const key = el("p", { class: "heat-key", "aria-hidden": "true" }, format(0), [...Array(LEVELS).keys()].map((level) => el("span", { class: `heat level-${level}` })), format(most));
  return [scroller(el("table", { class: "heatmap" }, el("caption", { class: "visually-hidden" }, label), el("thead", {}, head), el("tbody", {}, lines)), label), key].reduce((box, node) => (box.append(node), box), el("div"));
}
