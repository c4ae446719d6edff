// What is noted of the app at a moment, such as a release: added and removed where time is drawn.

import { ask } from "../data/api.js";
import { clockIn, momentIn } from "../data/range.js";
import { time } from "../text/format.js";
import { reason, t } from "../text/text.js";
import { dialog, field } from "./dialog.js";
import { el } from "./dom.js";

/** @param noted what is there already, as the service gives it; moment: what was clicked at, else now */
export function note(context, noted, moment) {
  const { zone } = context;
  const label = el("input", { name: "label", required: true, maxlength: 200, autocomplete: "off", placeholder: t("note.label.example"), autofocus: true });
  const at = el("input", { type: "datetime-local", name: "at", required: true, value: clockIn(zone, moment ?? Date.now()) });
  const problem = el("p", { class: "error-text", role: "alert" });

  async function remove(id, item) {
    try {
      await ask(`v1/annotations/${id}`, { method: "DELETE" });
      await context.again("v1/annotations");
      item.remove();
      label.focus();
    } catch (error) {
      problem.textContent = reason(error);
    }
  }

  const items = [...noted]
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .map((one) => {
      const item = el("div", { "data-note": one.label }, el("dt", {}, time(one.at, zone)), el("dd", {}, el("span", {}, one.label), el("button", { type: "button", class: "quiet", "aria-label": t("note.remove", { label: one.label }), onclick: () => remove(one.id, item) }, t("dialog.remove"))));
      return item;
    });
  return dialog({
    title: t("note.title"),
    about: t("note.about"),
    fields: [
      el("div", { class: "dialog-fields" }, field(t("note.label"), label), field(t("note.at", { zone }), at)),
      items.length ? el("details", { class: "noted-list", open: items.length <= 5 }, el("summary", {}, t("note.there", { n: items.length })), el("dl", { class: "list" }, items)) : null,
      problem,
    ],
    action: t("note.add"),
    send: async () => {
      await ask("v1/annotations", { method: "POST", body: { label: label.value.trim(), at: new Date(momentIn(zone, at.value)).toISOString() } });
      await context.again("v1/annotations");
    },
  });
}
