// Panels of something that may not exist: one sentence replaces them all.

import { t } from "../text/text.js";
import { el } from "./dom.js";
import { Panel } from "./panel.js";

/** Creates the panels and adds them to the page, with other elements between them. */
export function perhaps(context, text, values) {
  const container = el("div", { class: "wide panels" });
  let shown = [];
  let wasMissing = null;
  const missing = (isMissing) => {
    if (isMissing !== wasMissing) container.replaceChildren(...(isMissing ? [el("p", { class: "wide missing", role: "status" }, t(text, values))] : shown));
    wasMissing = isMissing;
  };
  const panel = (options) => new Panel(context, { ...options, missing }).node;
  const put = (nodes) => {
    shown = nodes;
    missing(false);
    return [container];
  };
  return [panel, put];
}
