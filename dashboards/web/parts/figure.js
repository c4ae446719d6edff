// One figure with what it is, its unit, and what to know of it.

import { count } from "../text/format.js";
import { t } from "../text/text.js";
import { el } from "./dom.js";

/** @param note what stands below: text or nodes; mark: a drawing; delta: how it changed; watch: a way to watch it; name: how tests and styles find it */
export function figure({ label, value, unit, note, mark, name, about, delta, watch }) {
  return el(
    "div",
    { class: "figure", "data-figure": name },
    el("dt", {}, el("span", { about }, label), watch),
    el("dd", {}, el("span", { class: "figure-value" }, value), unit ? el("span", { class: "figure-unit" }, " " + unit) : null),
    delta ? el("dd", { class: "figure-delta" }, delta) : null,
    mark ? el("dd", { class: "figure-mark" }, mark) : null,
    [note].flat().filter(Boolean).map((line) => el("dd", { class: "figure-note" }, line)),
  );
}

export function figures(...items) {
  return el("dl", { class: "figures" }, items);
}

/** A word that qualifies a figure: assumed, immature, a lower bound. */
export function badge(text, kind = "", about = null) {
  return el("span", { class: `badge ${kind}`, about }, text);
}

/** Of what was reached, from how much on it is said what no rate counts. */
const PART = 0.2;

/** Says that much is known only by a response or a dismissal, which no rate counts: what is left was hardly ever answered. */
export function unheard(row) {
  return row.response_only > row.reached * PART ? badge(t("badge.unheard", { n: count(row.response_only) }), "warn", t("about.unheard")) : null;
}
