// Figures that are of the past, and yet go on growing.

import { t } from "../text/text.js";
import { badge } from "./figure.js";

const DAY = 86_400_000;

/** How long most opt-outs stay unseen: they are seen when the app is opened again, half of them some days later. */
const UNSEEN = 7;

/** Says that opt-outs after a day are still to be seen. */
export function optOutsSoFar(day, now) {
  return now - Date.parse(day) < UNSEEN * DAY ? badge(t("optouts.soFar"), "immature", t("about.optouts.soFar")) : null;
}

/** Says so of a range of which more than a third is that young. */
export function optOutsSoFarIn(range) {
  const end = range.to && range.to <= range.today ? Date.parse(range.to) : range.now;
  const young = UNSEEN - (range.now - end) / DAY;
  return young > range.days / 3 ? badge(t("optouts.soFar"), "immature", t("about.optouts.soFar")) : null;
}
