// Tables that can be sorted by each column, by mouse and keyboard; the address holds the order.

import { current, note } from "../data/address.js";
import { count } from "../text/format.js";
import { t } from "../text/text.js";
import { el } from "./dom.js";

/**
 * @param given columns: key, label; value: what to sort by; cell: what to show; numeric; isRate: what a phone shows first;
 *   about: a sentence on the column
 * @param options caption: what the table says; sort: the column to begin with, `-` before it for falling;
 *   name: under which the address holds the order; rowName: what tells a row from the others; answer: the report's, where
 *   it has no more rows than it was asked for, and one of what is beyond them; watch: a way to watch a row
 */
export function table(given, rows, { caption, sort, name = "sort", rowName, answer, watch }) {
  const columns = inOrder(given);
  // What a row is of stays together on a phone, in one cell.
  const keys = isNarrow() ? given.slice(1).filter((column) => column.isKey) : [];
  let order = current().parameters.get(name) ?? sort ?? "";
  const head = el("tr");
  const body = el("tbody");

  function draw() {
    const falling = order.startsWith("-");
    const key = order.replace(/^-/, "");
    const by = columns.find((column) => column.key === key);
    const rank = by ? (a, b) => compare(by.value(a), by.value(b), falling) : () => 0;
    const sorted = [...rows].sort((a, b) => Boolean(a.other) - Boolean(b.other) || rank(a, b));
    head.replaceChildren(...columns.map((column) => header(column, column === by, falling)));
    body.replaceChildren(...sorted.map((row) => el("tr", { "data-row": rowName?.(row) }, columns.map((column, index) => cell(column, row, index, watch, keys)))));
  }

  function header(column, isBy, falling) {
    const attributes = { scope: "col", class: column.numeric ? "numeric" : null };
    if (!column.value) return el("th", attributes, el("span", { class: "plain", about: column.about }, column.label));
    const next = isBy ? (falling ? column.key : "-" + column.key) : (column.numeric ? "-" : "") + column.key;
    const button = el(
      "button",
      { type: "button", class: "sort", about: column.about, onclick: () => choose(next) },
      column.label,
      el("span", { class: "arrow", "aria-hidden": "true" }, isBy ? (falling ? "↓" : "↑") : ""),
    );
    return el("th", { ...attributes, "aria-sort": isBy ? (falling ? "descending" : "ascending") : null }, button);
  }

  function choose(next) {
    const index = [...head.children].findIndex((th) => th.contains(document.activeElement));
    order = next;
    note({ [name]: order });
    draw();
    head.children[index]?.querySelector("button")?.focus();
  }

  draw();
  return [bound(answer), scroller(el("table", {}, el("caption", { class: "visually-hidden" }, caption), el("thead", {}, head), body), caption)];
}

const isNarrow = () => matchMedia("(max-width: 48rem)").matches;

/** On a phone the rate comes first, because nobody looks for a column out of sight; further keys stand in the first cell. */
export function inOrder(columns) {
  if (!isNarrow()) return columns;
  const isFirst = (column, index) => index === 0 || column.isRate;
  const isLater = (column, index) => !isFirst(column, index) && !column.isKey;
  return [...columns.filter(isFirst), ...columns.filter(isLater)];
}

/** How many rows are shown, if not all. */
export function bound(answer) {
  const [shown, all] = [answer?.parameters.limit, answer?.rows_total];
  return all > shown ? el("p", { class: "about bound" }, t("table.bound", { shown: count(shown), all: count(all), others: count(all - shown) })) : null;
}

function cell(column, row, index, watch, keys) {
  const more = index === 0 ? [keys.map((key) => el("div", { class: "small", "data-key": key.key }, key.cell(row))), watch?.(row)] : [];
  const content = row.other ? others(column, row, index) : [column.cell(row), more];
  return el(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: column.numeric ? "numeric" : null, "data-key": column.key }, content);
}

/** For the row of all others: it has no key, and no link to what it counts. */
function others(column, row, index) {
  if (index === 0) return el("em", {}, t("value.others"));
  if (column.isKey) return "–";
  const box = el("div", {}, column.cell(row));
  for (const link of box.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  return [...box.childNodes];
}

/** What is not known comes last, whichever way round. */
function compare(a, b, falling) {
  const none = (value) => value === null || value === undefined;
  if (none(a) || none(b)) return none(a) - none(b);
  const order = typeof a === "string" ? a.localeCompare(b) : a - b;
  return falling ? -order : order;
}

/** Lets what is too wide be scrolled, by keyboard too. */
export function scroller(node, label) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("table.region", { caption: label }) }, node);
}
