// Ways from a figure to what is behind it.

import { link } from "../data/address.js";
import { t, visible } from "../text/text.js";
import { el } from "./dom.js";

/** A name that may be broken where its parts end, and whose direction is its own. */
export function breakable(name) {
  return el("bdi", {}, visible(name).split(/(?<=[._/-])/).flatMap((part, index) => (index ? [el("wbr"), part] : [part])));
}

export function categoryLink(name) {
  return el("a", { href: link("category", { category: name ?? "" }) }, name === null ? t("value.noCategory") : breakable(name));
}

/** A figure as a link to the notifications that it counts; plain text if there are none. */
export function behind(text, changes, value = 1) {
  return value ? el("a", { class: "behind", href: link("notifications", changes), title: t("list.open") }, text) : text;
}

export function deviceLink(id, text = id) {
  return el("a", { href: link("device", { device: id, id: null }) }, text);
}

export function notificationLink(device, id, text = id) {
  return el("a", { href: link("notification", { device, id }) }, text);
}
