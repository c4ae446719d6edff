// Panels of something that may not exist: one sentence says so, in the place of them all.

import { t } from "../text/text.js";
import { el } from "./dom.js";
import { Panel } from "./panel.js";

/** What makes the panels, and what puts them, with whatever stands among them, on the page. */
export function perhaps(context, text, values) {
  const place = el("div", { class: "wide panels" });
  let shown = [];
  let wasMissing = null;
  const missing = (isMissing) => {
    if (isMissing !== wasMissing) place.replaceChildren(...(isMissing ? [el("p", { class: "wide missing", role: "status" }, t(text, values))] : shown));
    wasMissing = isMissing;
  };
  const panel = (options) => new Panel(context, { ...options, missing }).node;
  const put = (nodes) => {
    shown = nodes;
    missing(false);
    return [place];
  };
  return [panel, put];
}
