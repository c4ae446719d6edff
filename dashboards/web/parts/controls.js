// Range, zone, interval, time to respond and filters: each changes the address, and the address what is shown.

import { go } from "../data/address.js";
import { addDays, AGAINST, isZone, LENGTHS, wholePeriods, WINDOWS } from "../data/range.js";
import { isolated, t } from "../text/text.js";
import { el } from "./dom.js";
import { filters } from "./filters.js";

/** Collapsed on small screens, until opened; on others there is no summary to open it by. */
const wide = matchMedia("(min-width: 48.01rem)");
let isOpen = wide.matches;
wide.addEventListener("change", () => {
  const node = document.querySelector("details.range");
  if (wide.matches && node) node.open = true;
});

export function controls(context) {
  const { range, zone } = context;
  const length = range.last ? t(LENGTHS.includes(range.last) ? `range.${range.last}` : "range.days", { n: range.last }) : `${range.from} – ${range.to ? addDays(range.to, -1) : range.today}`;
  const parts = [length, zone, ...context.filters.map(([, value]) => isolated(value || t("value.none")))];
  const node = el("details", { class: "range", open: isOpen, ontoggle: () => (isOpen = node.open) }, el("summary", {}, parts.join(" · ")), group(context));
  return node;
}

function group(context) {
  return el("div", { class: "controls", role: "group", "aria-label": t("control.group") }, length(context), dates(context), context.asks("interval") ? interval(context) : null, context.asks("window") ? responding(context) : null, context.canCompare ? against(context) : null, zone(context), filters(context), unknownZone(context.range));
}

function field(label, control) {
  return el("label", { class: "field" }, el("span", {}, label), control);
}

function select(name, options, value, change) {
  return el(
    "select",
    { name, onchange: (event) => change(event.target.value) },
    options.map(([key, label]) => el("option", { value: key, selected: key === value }, label)),
  );
}

function length({ range }) {
  const periods = wholePeriods(range.today);
  const options = [...LENGTHS, ...Object.keys(periods)].map((name) => [String(name), t(`range.${name}`)]);
  const period = Object.keys(periods).find((name) => periods[name].from === range.from && periods[name].to === range.to);
  const value = LENGTHS.includes(range.last) ? String(range.last) : period ?? "";
  if (!value) options.push(["", range.last ? t("range.days", { n: range.last }) : t("range.dates")]);
  const choose = (name) => name && go({ last: periods[name] ? null : `${name}d`, from: null, to: null, ...periods[name] });
  return field(t("control.range"), select("last", options, value, choose));
}

/** The first and the last day; the address, as reports, names the day after the last. */
function dates({ range }) {
  const last = range.to ? addDays(range.to, -1) : range.today;
  return [
    field(t("control.from"), day(range, "from", range.from, (day) => go({ last: null, from: day, to: day > last ? addDays(day, 1) : addDays(last, 1) }))),
    field(t("control.to"), day(range, "to", last, (day) => go({ last: null, from: day < range.from ? day : range.from, to: addDays(day, 1) }))),
  ];
}

/** A day that is picked is chosen at once; one that is typed, when the field is left or Enter is pressed: each digit makes a day. */
function day(range, name, value, change) {
  let isTyped = false;
  const choose = () => {
    isTyped = false;
    if (node.value !== value && node.checkValidity()) change(node.value);
  };
  const typed = (event) => {
    if (event.key === "Enter") choose();
    else if (event.key !== "Tab") isTyped = true;
  };
  const node = el("input", { type: "date", name, value, max: range.today, required: true, onkeydown: typed, onchange: () => isTyped || choose(), onblur: () => isTyped && choose() });
  return node;
}

function interval({ range }) {
  const names = ["hour", "day", "week", "month"].map((name) => [name, t(`interval.${name}`)]);
  const automatic = t("interval.auto", { interval: t(`interval.${range.interval}`) });
  const value = range.chosen ?? "";
  return field(t("control.interval"), select("interval", [["", automatic], ...names], value, (name) => go({ interval: name || null })));
}

function responding(context) {
  const value = context.window;
  const options = WINDOWS.map((name) => [name, t(`window.${name}`)]);
  if (!WINDOWS.includes(value)) options.push([value, value]);
  return field(t("control.window"), select("window", options, value, (name) => go({ window: name === "P3D" ? null : name })));
}

/** What figures and charts are compared with. */
function against(context) {
  return field(t("control.against"), select("against", AGAINST.map((name) => [name, t(`against.${name}`)]), context.against, (name) => go({ against: name === AGAINST[0] ? null : name })));
}

/** Says that days and times are not those of the zone in the address. */
function unknownZone({ unknownZone: name, zone }) {
  return name === null ? null : el("p", { class: "about warn", role: "status" }, t("control.zone.instead", { name, zone }));
}

function zone(context) {
  const list = el("datalist", { id: "zones" });
  // Some hundreds, loaded only when the control is used.
  const fill = () => list.children.length || list.append(...(Intl.supportedValuesOf?.("timeZone") ?? []).map((name) => el("option", { value: name })));
  const input = el("input", {
    name: "tz", value: context.zone, list: "zones", size: 16, autocomplete: "off", spellcheck: "false", onfocus: fill,
    onchange: (event) => {
      const name = event.target.value.trim();
      const isKnown = isZone(name);
      event.target.setCustomValidity(isKnown ? "" : t("control.zone.unknown"));
      if (isKnown) go({ tz: name });
      else event.target.reportValidity();
    },
  });
  return [field(t("control.zone"), input), list];
}


