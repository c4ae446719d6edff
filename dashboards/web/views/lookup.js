// From an id to its timeline.

import { go, link } from "../data/address.js";
import { el } from "../parts/dom.js";
import { t } from "../text/text.js";

export const lookup = {
  title: () => t("nav.lookup"),
  about: () => t("lookup.about"),
  isTimeless: true,
  panels: () => [form(), el("p", { class: "wide" }, el("a", { href: link("notifications") }, t("list.all")))],
};

function form() {
  const input = (name, required) =>
    el("div", { class: "field" }, el("label", { for: name }, t(`lookup.${name}`)), el("input", { id: name, name, required, size: 40, autocomplete: "off", spellcheck: "false" }));
  const submit = (event) => {
    event.preventDefault();
    const [device, id] = ["device", "id"].map((name) => event.target.elements[name].value.trim());
    go({ device, id: id || null }, id ? "notification" : "device");
  };
  return el("form", { class: "panel wide lookup", onsubmit: submit }, input("device", true), input("id", false), el("button", { type: "submit", class: "primary" }, t("lookup.show")));
}
