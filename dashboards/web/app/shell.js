// What stands around every view: name, ways to the views, controls, and how fresh the figures are.

import { SHARED, current, isFilter, link } from "../data/address.js";
import { controls } from "../parts/controls.js";
import { el } from "../parts/dom.js";
import { exportMenu } from "../parts/export.js";
import { t } from "../text/text.js";
import { MENU } from "../views/index.js";

const ICON = new URL("../style/icon.svg", import.meta.url).href;

export function shell(leave) {
  const nav = el("nav", { "aria-label": t("nav.label") });
  const banner = el("div", { class: "banner", role: "status" });
  const main = el("main", { id: "main", tabindex: "-1" });
  const app = el("span", { class: "app" });
  const node = el(
    "div",
    { class: "shell" },
    // The address holds the view, so the way to the contents is no link but a button.
    el("button", { type: "button", class: "skip", onclick: () => main.focus() }, t("nav.skip")),
    el(
      "header",
      { class: "top" },
      el("span", { class: "brand" }, el("img", { src: ICON, alt: "", width: 24, height: 24 }), "Notilog", app),
      banner,
      el("button", { type: "button", class: "quiet", onclick: leave }, t("signin.leave")),
    ),
    nav,
    main,
  );

  function show(name, heading, view, context, panels) {
    const chosen = view.under ?? name;
    app.textContent = context.catalogue.app;
    // The menu leads to a view as it begins, without what is chosen in this one.
    const own = [...current().parameters.keys()].filter((one) => !SHARED.includes(one) && !isFilter(one));
    const cleared = Object.fromEntries(own.map((one) => [one, null]));
    nav.replaceChildren(
      el("ul", {}, MENU.map((item) => el("li", {}, el("a", { href: link(item, cleared), "aria-current": item === chosen ? "page" : null }, t(`nav.${item}`))))),
    );
    const about = view.about?.(context);
    main.replaceChildren(
      el("div", { class: "head" }, heading, exportMenu(context), about ? el("p", { class: "about" }, about) : null),
      view.isTimeless ? "" : controls(context),
      el("div", { class: "panels" }, panels),
    );
    nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  return { node, banner, show };
}
