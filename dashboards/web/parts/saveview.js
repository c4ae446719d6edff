// A report of the page, saved under a name that all who read the app share.

import { link } from "../data/address.js";
import { ask } from "../data/api.js";
import { addDays } from "../data/range.js";
import { t } from "../text/text.js";
import { choice, dialog, field } from "./dialog.js";
import { el } from "./dom.js";

/** @param query what is saved; title: of the panel, which names it until somebody else does */
export function saveView(context, query, title) {
  const name = el("input", { name: "name", required: true, maxlength: 100, autocomplete: "off", value: title });
  const replaced = el("span", { class: "small", role: "status" });
  const { range } = context;
  const hasDays = query.saved.has("from");
  const days = choice("days", [["moving", t("saved.moving", { n: range.last ?? 30 })], ["fixed", t("saved.fixed", { from: range.from, to: range.to ? addDays(range.to, -1) : range.today })]], range.last ? "moving" : "fixed");
  let known = [];
  const say = () => (replaced.textContent = known.includes(name.value.trim()) ? t("saved.replaces") : "");
  name.addEventListener("input", say);
  ask("v1/views").then(({ views }) => ((known = views.map((view) => view.name)), say()), () => {});
  const lines = [...new Set(query.saved.keys())].filter((one) => !["from", "to"].includes(one)).map((one) => `${one}=${query.saved.getAll(one).join(",")}`);
  return dialog({
    title: t("saved.save"),
    about: t("saved.save.about", { report: query.name, parameters: lines.join(" ") || "–" }),
    fields: [field(t("saved.name"), name), replaced, hasDays ? field(t("saved.days"), days) : null],
    action: t("saved.save"),
    send: async () => {
      const parameters = {};
      for (const [key, value] of query.saved) {
        if (["from", "to"].includes(key) && days.value === "moving") continue;
        (parameters[key] ??= []).push(value);
      }
      if (hasDays && days.value === "moving") parameters.from = [`P${range.last ?? 30}D`];
      if (hasDays && days.value === "fixed" && !parameters.to) parameters.to = [new Date().toISOString()];
      const view = await ask(`v1/views/${encodeURIComponent(name.value.trim())}`, { method: "PUT", body: { report: query.name, parameters } });
      return el("p", { role: "status" }, t("saved.done"), " ", el("a", { href: link("saved", { name: view.name }) }, view.name));
    },
  });
}
