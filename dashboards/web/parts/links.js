// Ways from a figure to what is behind it.

import { link } from "../app/address.js";
import { el } from "../app/dom.js";
import { t } from "../app/text.js";

export function categoryLink(name) {
  return el("a", { href: link("category", { category: name ?? "" }) }, name ?? t("value.noCategory"));
}

export function deviceLink(id, text = id) {
  return el("a", { href: link("device", { device: id, id: null }) }, text);
}

export function notificationLink(device, id, text = id) {
  return el("a", { href: link("notification", { device, id }) }, text);
}
