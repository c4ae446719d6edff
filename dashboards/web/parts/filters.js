// Filters: the active ones, each removable, a control to add one of the known values, and what is said where they do not bear on a figure.

import { go, OWN } from "../data/address.js";
import { short } from "../text/format.js";
import { isolated, named, t, visible } from "../text/text.js";
import { el } from "./dom.js";
import { badge } from "./figure.js";

export function filters(context) {
  // The view of a category or a campaign is of that alone: its name is no filter that anybody adds or takes away.
  const isShown = (name) => name !== context.view;
  const offered = context.offered.filter(isShown);
  return el(
    "div",
    { class: "filters" },
    context.filters.filter(([name]) => isShown(name)).map(([name, value]) => chip(context, name, value, offered.includes(name))),
    offered.length ? adder(context, offered) : null,
  );
}

/** Says that there is nothing; and that filters may be why, where the reports take some. A category's own view is of no other. */
export function nothing({ filters, catalogue, view }, queries, text = "state.empty") {
  const isFiltered = filters.some(([name]) => name !== view && queries.some((query) => catalogue.get(query.name)?.filters.includes(name)));
  return isFiltered ? `${t(text)} ${t("state.filtered")}` : t(text);
}

/** A query of which not every filter of the view is taken, where that is said at the figure rather than at its panel: with those in `partial`. */
export function partial(query) {
  return Object.assign(query, { partial: query.ignored.splice(0) });
}

/** Says beside a figure which filters do not bear on it; null where all do. */
export function unfiltered(query) {
  return query.partial.length ? badge(t("badge.unfiltered"), "warn", t("filter.ignored", { names: query.partial.map(dimensionName).join(", ") })) : null;
}

/** A dimension in words; of the app's own its key. */
export function dimensionName(name) {
  return name.startsWith(OWN) ? isolated(name.slice(OWN.length)) : named("filter", name);
}

/** A filter in force; where nothing in the view takes it, it waits for the next view. */
function chip(context, name, value, applies) {
  const text = `${dimensionName(name)}: ${value === "" ? t("value.none") : isolated(visible(value))}`;
  const others = context.parameters.getAll(name).filter((other) => other !== value);
  return el(
    "span",
    { class: `chip${applies ? "" : " off"}`, title: applies ? null : t("filter.ignored", { names: dimensionName(name) }) },
    text,
    el("button", { type: "button", "aria-label": t("filter.remove", { filter: text }), onclick: () => go({ [name]: others }) }, "×"),
  );
}

/** Asks for the values of a dimension when it is chosen: most used first. */
function adder(context, offered) {
  let known = [];
  const values = el("select", { name: "filter-value", "aria-label": t("filter.value"), hidden: true });
  const names = el(
    "select",
    { name: "filter-name", "aria-label": t("filter.add") },
    el("option", { value: "" }, t("filter.add")),
    offered.map((name) => el("option", { value: name }, dimensionName(name))),
  );
  names.addEventListener("change", async () => {
    values.hidden = true;
    if (!names.value) return;
    const name = names.value;
    const rows = await context.rows("engagement", { by: name, [name]: null }).catch(() => []);
    if (names.value !== name) return;
    known = rows.filter((row) => !row.other).sort((a, b) => b.reached - a.reached).slice(0, 200);
    values.replaceChildren(
      el("option", { value: "-1" }, t(known.length ? "filter.choose" : "state.empty")),
      ...known.map((row, index) => el("option", { value: index }, `${isolated(row[name] ? visible(row[name]) : t("value.none"))} (${short(row.reached)})`)),
    );
    values.hidden = false;
    values.focus();
  });
  values.addEventListener("change", () => {
    const name = names.value;
    const row = known[Number(values.value)];
    // A filter for what carries none is the empty value.
    if (row) go({ [name]: [...new Set([...context.parameters.getAll(name), row[name] ?? ""])] });
  });
  return [names, values];
}
