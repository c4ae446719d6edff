// Charts by Chart.js, from Debian's package libjs-chart.js; beside each, the same figures as a table.

import { session } from "../data/session.js";
import { t } from "../text/text.js";
import { flags } from "./annotations.js";
import { el } from "./dom.js";
import { isAlone, overlay } from "./overlay.js";
import { scroller } from "./table.js";

let library = null;
/** How often it failed to come. */
let failures = 0;

/** The library, asked for when the first chart is drawn; null where it does not come, and then the next chart asks again. */
function load() {
  // To browsers, a file that failed stays so; by another address it is another one. It is written for scripts of any kind, and leaves
  // its name behind.
  library ??= import(failures ? `../lib/chart.min.js?${failures}` : "../lib/chart.min.js").then(
    () => globalThis.Chart,
    () => {
      [library, failures] = [null, failures + 1];
      return null;
    },
  );
  return library;
}

/** For each chart, what gives a promise of what was noted, and what that was; null where it could not be drawn. */
const notes = new WeakMap();

/** Whether the charts in a node are drawn, with all that is noted by now. */
export async function areCurrent(node) {
  const all = [...node.querySelectorAll(".chart")].map((one) => notes.get(one));
  const said = await Promise.all(all.map(([noting]) => noting()));
  return said.every((noted, index) => JSON.stringify(noted) === JSON.stringify(all[index][1]));
}

/** Charts by their element, and those that are painted. */
const charts = new WeakMap();
const painted = new Set();

/**
 * Each is painted as soon as it stands somewhere, which is when there is room to measure, and fills that room in the same
 * frame in which the window changes it: Chart.js itself is a frame late, or as many as a busy machine takes for it.
 */
const room = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    const item = charts.get(target);
    if (!target.isConnected) {
      item.chart?.destroy();
      painted.delete(item);
      room.unobserve(target);
    } else if (item.chart) item.chart.resize();
    else item.paint();
  }
});

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Redraws in the current colours. */
function repaint() {
  for (const item of painted) item.paint();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

/**
 * A chart.
 *
 * @param options label: what it shows, for those who do not see it; labels: of the x axis, named `axis`;
 *   series: `{name, values, kind: "line" | "bar" | "area" | "points", low, high, color, dashed: index → boolean, stack, format,
 *   isFaint: only to compare with, word: what it is called}`;
 *   hatched: index → boolean, and the word for what is; annotations: gives a promise of what was noted, by index; noting: the context
 *   and intervals by which more can be noted;
 *   format: of values; ticks: of the y axis, if others; max, stepped, stacked
 */
export async function chart(given) {
  const noting = given.annotations ?? (async () => []);
  const [Chart, noted] = await Promise.all([load(), noting()]);
  const node = Chart ? drawing(Chart, { ...given, noted }) : undrawn({ ...given, noted });
  notes.set(node, [noting, Chart ? noted : null]);
  return node;
}

/** The figures alone, where there is nothing to draw them with. */
function undrawn(options) {
  return el("div", { class: "chart" }, el("p", { class: "about warn" }, t("chart.missing")), details(options, true));
}

function drawing(Chart, options) {
  const canvas = el("canvas", { role: "img", "aria-label": options.label });
  const container = el("div", { class: `canvas ${options.size ?? ""}` }, canvas);
  const item = { chart: null, paint: null };
  item.paint = () => {
    item.chart?.destroy();
    item.chart = new Chart(canvas, configuration(options));
    painted.add(item);
  };
  charts.set(container, item);
  room.observe(container);
  const note = options.noting && session.isAdmin ? noter(options, canvas, item) : null;
  return el("div", { class: "chart" }, legend(options), container, el("div", { class: "chart-end" }, details(options, false), note));
}

/** Lets a click on the chart note something of that moment, and a button for those who do not click. */
function noter({ noting, noted }, canvas, item) {
  const open = async (moment) => (await import("./note.js")).note(noting.context, noted.flat(), moment);
  canvas.classList.add("noting");
  canvas.addEventListener("click", ({ offsetX }) => open(momentAt(offsetX, item.chart, noting.buckets)));
  return el("button", { type: "button", class: "quiet", name: "note", onclick: () => open(null) }, t("note.title"));
}

/** The moment that a place on the x axis stands for, whose intervals are as wide as each other. */
function momentAt(offset, { chartArea: area }, buckets) {
  const place = Math.min(Math.max((offset - area.left) / (area.right - area.left), 0), 1) * buckets.length;
  const index = Math.min(Math.floor(place), buckets.length - 1);
  const { start, end } = buckets[index];
  return Math.min(start + (place - index) * (end - start), Date.now());
}

/** Where something on the x axis is hatched. */
function hatchedAt({ labels, hatched }) {
  return hatched ? labels.map((_, index) => hatched(index)) : [];
}

function legend(options) {
  const { series, hatching, noted } = options;
  const isHatched = hatchedAt(options).some(Boolean);
  const faint = series.find((one) => one.isFaint);
  const isNoted = noted.some((here) => here.length);
  if (series.length < 2 && !series[0]?.dashed && !series[0]?.low && !isHatched && !isNoted) return null;
  return el(
    "ul",
    { class: "legend", "aria-hidden": "true" },
    series.filter((one) => !one.isFaint).map((one) => el("li", {}, el("span", { class: `key ${one.color} ${one.kind}` }), one.name)),
    faint ? el("li", {}, el("span", { class: "key text line faint" }), faint.word) : null,
    series.some((one) => one.low) ? el("li", {}, el("span", { class: `key ${series.find((one) => one.low).color} band` }), t("chart.band")) : null,
    series.some((one) => one.dashed) ? el("li", {}, el("span", { class: "key dashed" }), t("chart.immature")) : null,
    isHatched ? el("li", {}, el("span", { class: "key hatched" }), hatching) : null,
    isNoted ? el("li", {}, el("span", { class: "key noted" }), t("chart.noted")) : null,
  );
}

function details(options, isOpen) {
  const { label, axis, labels, series, format, hatching, noted } = options;
  const marked = hatchedAt(options);
  const value = (one, index) => {
    const show = one.format ?? format;
    const isKnown = one.low && one.values[index] !== null && one.values[index] !== undefined;
    return isKnown ? [show(one.values[index]), el("span", { class: "small" }, ` ${t("format.interval", { low: show(one.low[index]), high: show(one.high[index]) })}`)] : show(one.values[index]);
  };
  const head = el("tr", {}, el("th", { scope: "col" }, axis), series.map((one) => el("th", { scope: "col", class: "numeric" }, one.name)));
  const rows = () =>
    labels.map((text, index) =>
      el(
        "tr",
        { "data-hatched": marked[index] },
        el("th", { scope: "row" }, text, marked[index] ? el("span", { class: "small" }, ` (${hatching})`) : null, noted[index]?.map(({ label }) => el("div", { class: "small noted" }, label))),
        series.map((one) => el("td", { class: "numeric" }, value(one, index))),
      ),
    );
  const body = el("tbody");
  const node = el(
    "details",
    { class: "values", ontoggle: () => node.open && !body.children.length && body.append(...rows()) },
    el("summary", {}, t("chart.values")),
    scroller(el("table", {}, el("caption", { class: "visually-hidden" }, label), el("thead", {}, head), body), label),
  );
  if (isOpen) node.open = true;
  return node;
}

function configuration(options) {
  const { labels, axis, unit, series, format, ticks, noted, stacked = false, stepped = false, max } = options;
  const [text, line] = [color("--text-soft"), color("--line")];
  return {
    type: "bar",
    plugins: [
      overlay({ hatched: hatchedAt(options), series, colors: { ink: text, ground: color("--surface") }, paint: (one) => color(`--${one.color}`) }),
      flags(noted, color("--text")),
    ],
    data: { labels, datasets: series.flatMap((one) => datasets(one, stepped)) },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      interaction: { mode: "index", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: (item) => !item.dataset.isEdge,
          callbacks: { label: (item) => tooltip(item, series, format), footer: (items) => (noted[items[0]?.dataIndex] ?? []).map(({ label }) => label) },
        },
      },
      scales: {
        x: { stacked, grid: { display: false }, border: { color: line }, title: { display: true, text: axis, color: text }, ticks: { color: text, maxRotation: 0, autoSkipPadding: 14 } },
        y: { stacked, beginAtZero: true, max, grid: { color: line, drawBorder: false }, title: { display: true, text: unit, color: text }, ticks: { color: text, maxTicksLimit: 6, callback: ticks ?? format } },
      },
    },
  };
}

function tooltip(item, series, format) {
  const one = series.find((candidate) => candidate.name === item.dataset.label);
  const show = one?.format ?? format;
  const range = one?.low ? ` (${show(one.low[item.dataIndex])} – ${show(one.high[item.dataIndex])})` : "";
  return `${item.dataset.label}: ${show(item.raw)}${range}`;
}

function datasets(one, stepped) {
  const paint = color(`--${one.color}`);
  const main = { label: one.name, data: one.values, borderColor: paint, backgroundColor: paint };
  if (one.kind === "bar") return [{ ...main, type: "bar", borderWidth: 0, categoryPercentage: 0.9, barPercentage: 0.9, stack: one.stack ?? "all" }];
  const area = one.kind === "area";
  const lined = {
    ...main,
    type: "line",
    borderColor: one.isFaint ? paint + "99" : paint,
    borderWidth: one.isFaint ? 1.5 : 2,
    stack: one.stack,
    // Over bars, which would hide it.
    order: one.isFaint ? -1 : 0,
    showLine: one.kind !== "points",
    // One that no line leads to is a point however many there are.
    pointRadius: one.values.map((_, index) => (one.kind === "points" ? 4 : (one.values.length <= 40 && !one.isFaint) || isAlone(one.values, index) ? 2 : 0)),
    pointHitRadius: 8,
    stepped: stepped ? "before" : false,
    fill: area ? "stack" : false,
    backgroundColor: area ? paint + "59" : paint,
    segment: one.dashed ? { borderDash: (context) => (one.dashed(context.p1DataIndex) ? [4, 4] : undefined) } : undefined,
  };
  if (!one.low || one.kind === "points") return [lined];
  const edge = { type: "line", isEdge: true, borderWidth: 0, pointRadius: 0, stepped: lined.stepped };
  return [
    lined,
    { ...edge, label: "low", data: one.low, fill: false },
    { ...edge, label: "high", data: one.high, fill: "-1", backgroundColor: paint + "2e" },
  ];
}
