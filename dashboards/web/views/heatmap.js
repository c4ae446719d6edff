// At which hour of which weekday notifications reach people, by the device's own clock, and how well they do.

import { current, note } from "../data/address.js";
import { el } from "../parts/dom.js";
import { Panel } from "../parts/panel.js";
import { scroller } from "../parts/table.js";
import { count, interval, percent } from "../text/format.js";
import { locale, t } from "../text/text.js";

const LEVELS = 6;
/** The share of notifications in cells beyond the scale. A few notifications in one cell must not set the scale for all. */
const BEYOND = 0.05;
/** Fewer than this say nothing of a rate. */
const FEW = 10;

export function heatmap(context) {
  return new Panel(context, {
    title: t("heatmap.title"),
    about: t("heatmap.about", { few: FEW }),
    wide: true,
    breakdown: { name: "hours" },
    queries: [context.query("heatmap", { clock: "device" })],
    draw: ({ rows }) => {
      const known = rows.filter((row) => row.weekday !== null);
      return known.some((row) => row.reached) ? drawing(known, rows.find((row) => row.weekday === null)) : null;
    },
  }).node;
}

function drawing(rows, unknown) {
  const container = el("div");
  const shows = () => (current().parameters.get("heat") === "reached" ? "reached" : "rate");
  const choice = (name) =>
    el("label", {}, el("input", { type: "radio", name: "heat", value: name, checked: shows() === name, onchange: () => (note({ heat: name === "rate" ? null : name }), draw()) }), " " + t(`heatmap.${name}`));
  function draw() {
    container.replaceChildren(grid(rows, shows()));
  }
  draw();
  return [
    el("fieldset", { class: "choice" }, el("legend", { class: "visually-hidden" }, t("heatmap.choice")), choice("rate"), choice("reached")),
    container,
    unknown?.reached ? el("p", { class: "about" }, t("heatmap.unknown", { n: count(unknown.reached) })) : null,
  ];
}

/** The top of the scale: at most that share of notifications lies beyond it. */
function topRate(rows) {
  const falling = rows.filter((row) => row.reached >= FEW).sort((a, b) => b.engagement_rate - a.engagement_rate);
  let left = BEYOND * falling.reduce((sum, row) => sum + row.reached, 0);
  return falling.find((row) => (left -= row.reached) < 0)?.engagement_rate;
}

/** A cell's color: a level of the scale, or why it has none. */
function levelOf(row, shows, most) {
  if (!row?.reached) return "nothing";
  if (shows === "rate" && row.reached < FEW) return "few";
  const value = shows === "reached" ? row.reached : row.engagement_rate;
  return Math.min(LEVELS - 1, Math.floor((value / most) * LEVELS));
}

function grid(rows, shows) {
  const most = (shows === "reached" ? Math.max(...rows.map((row) => row.reached)) : topRate(rows)) || 1;
  const hours = [...Array(24).keys()];
  const weekday = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  const byCell = new Map(rows.map((row) => [`${row.weekday} ${row.hour}`, row]));
  const cell = (day, hour) => {
    const row = byCell.get(`${day} ${hour}`);
    const level = levelOf(row, shows, most);
    const text = row?.reached
      ? t("heatmap.cell", { reached: count(row.reached), rate: percent(row.engagement_rate), interval: interval(row.engagement_rate_low, row.engagement_rate_high) })
      : t("heatmap.nothing");
    return el("td", { class: `heat level-${level}`, "data-cell": `${day} ${hour}`, title: text }, el("span", { class: "visually-hidden" }, text));
  };
  const label = t("heatmap.title");
  // 5 January 1970 was a Monday.
  const lines = [1, 2, 3, 4, 5, 6, 7].map((day) => el("tr", {}, el("th", { scope: "row" }, weekday.format(new Date((day + 3) * 86_400_000))), hours.map((hour) => cell(day, hour))));
  const head = el("tr", {}, el("td"), hours.map((hour) => el("th", { scope: "col" }, hour % 3 ? el("span", { class: "visually-hidden" }, hour) : String(hour).padStart(2, "0"))));
  const format = shows === "reached" ? count : percent;
  const isBeyond = shows === "rate" && rows.some((row) => row.reached >= FEW && row.engagement_rate > most);
  const swatch = (level, more = "") => el("span", { class: `heat level-${level}${more}` });
  const key = el(
    "p",
    { class: "heat-key", "aria-hidden": "true" },
    format(0), [...Array(LEVELS).keys()].map((level) => swatch(level)), el("span", { class: "heat-top" }, isBeyond ? t("heatmap.beyond", { most: format(most) }) : format(most)),
    swatch("nothing", " apart"), t("heatmap.nothing"),
    shows === "rate" ? [swatch("few", " apart"), t("heatmap.few", { few: FEW })] : null,
  );
  return [scroller(el("table", { class: "heatmap" }, el("caption", { class: "visually-hidden" }, label), el("thead", {}, head), el("tbody", {}, lines)), label), key].reduce((box, node) => (box.append(node), box), el("div"));
}
