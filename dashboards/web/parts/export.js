// One menu of all that a view can be saved as: each report of its panels, with the same parameters.

import { t } from "../text/text.js";
import { el } from "./dom.js";

export function exportMenu(context) {
  if (!items(context).length) return null;
  const list = el("ul", {});
  const menu = el(
    "details",
    {
      class: "menu",
      ontoggle: () => menu.open && list.replaceChildren(...items(context)),
      onkeydown: (event) => {
        if (event.key !== "Escape" || !menu.open) return;
        menu.open = false;
        menu.querySelector("summary").focus();
      },
    },
    el("summary", {}, t("export.title")),
    list,
  );
  // A click elsewhere leaves it.
  document.addEventListener("click", (event) => !menu.contains(event.target) && (menu.open = false), { signal: context.abort.signal });
  return menu;
}

/** What panels ask, once where several ask the same. */
function items(context) {
  const seen = new Set();
  return context.panels.flatMap((panel) =>
    panel.queries
      .filter((query) => query.csv !== false)
      .filter((query) => !seen.has(`${query.path}?${query.saved}`) && seen.add(`${query.path}?${query.saved}`))
      .map((query) => el("li", {}, button(panel, query))),
  );
}

function button(panel, query) {
  const report = nameOf(query);
  return el("button", { type: "button", "data-csv": query.name, onclick: () => panel.download(query) }, t("export.csv", { title: panel.title, report }));
}

/** A report's name, with the interval where it has one: the same report may be asked both ways. */
function nameOf(query) {
  const interval = query.parameters.get("interval");
  return interval ? `${query.name}, ${t(`per.${interval}`)}` : query.name;
}
