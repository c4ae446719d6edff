// Where a rate is of those that the app heard nothing but silence of.

import { count } from "../text/format.js";
import { t } from "../text/text.js";
import { badge } from "./figure.js";

/** Of what was reached, from how much on it is said what no rate counts. */
const PART = 0.2;

/** Says that much is known only by a response or a dismissal, which no rate counts: what is left was hardly ever answered. */
export function unheard(row) {
  return row.response_only > row.reached * PART ? badge(t("badge.unheard", { n: count(row.response_only) }), "warn", t("about.unheard")) : null;
}
