// A timeline that comes in pages.

import { ask } from "../data/api.js";
import { count } from "../text/format.js";
import { reason, t } from "../text/text.js";
import { el } from "./dom.js";
import { timeline } from "./timeline.js";

const LIMIT = 100;

/** A query of a timeline, for a panel: the first page. */
export function timelineQuery(path) {
  return { path, parameters: new URLSearchParams({ limit: LIMIT }), ignored: [], csv: false };
}

/** The first page, and a way to the next ones. */
export function pages(path, answer, options) {
  const list = timeline(answer.events, options);
  const status = el("p", { class: "about", role: "status" });
  const more = el("button", { type: "button", onclick: next }, t("timeline.more"));
  const events = [...answer.events];
  let cursor = answer.next_cursor;
  show();

  function show() {
    status.textContent = t(cursor ? "timeline.countMore" : "timeline.count", { n: count(events.length) });
    more.hidden = !cursor;
  }

  async function next() {
    more.disabled = true;
    // A refresh leaves it alone from here on.
    list.dataset.continued = "";
    try {
      const page = await ask(path, { parameters: new URLSearchParams({ limit: LIMIT, cursor }) });
      events.push(...page.events);
      cursor = page.next_cursor;
      list.replaceChildren(...timeline(events, options).children);
      show();
    } catch (problem) {
      status.textContent = reason(problem);
      if (events.length === answer.events.length) delete list.dataset.continued;
    }
    more.disabled = false;
  }
  return [status, list, more];
}
