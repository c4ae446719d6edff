// What the words of a panel mean, in one list that needs no mouse.

import { t } from "../text/text.js";
import { el } from "./dom.js";

/** The definitions of all that is drawn in a node, each once; null where there are none. */
export function definitions(node) {
  const found = new Map();
  for (const term of node.querySelectorAll("[data-about]")) {
    // A badge says a number too, which is not what it means.
    const name = term.textContent.replaceAll(term.matches(".badge") ? /[\d.,]+/g : /[↓↑]/g, "").trim();
    if (name && !found.has(term.dataset.about)) found.set(term.dataset.about, name);
  }
  if (!found.size) return null;
  const items = [...found].map(([about, name]) => el("div", {}, el("dt", {}, name), el("dd", {}, about)));
  return el("details", { class: "definitions" }, el("summary", {}, t("definitions.title")), el("dl", { class: "list" }, items));
}
