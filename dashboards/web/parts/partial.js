// Queries of which not every filter of the view is taken, where that is said at the figure rather than at its panel.

import { t } from "../text/text.js";
import { badge } from "./figure.js";
import { dimensionName } from "./filters.js";

/** The query, with the filters that it does not take in `partial`. */
export function partial(query) {
  return Object.assign(query, { partial: query.ignored.splice(0) });
}

/** Says beside a figure which filters do not bear on it; null where all do. */
export function unfiltered(query) {
  return query.partial.length ? badge(t("badge.unfiltered"), "warn", t("filter.ignored", { names: query.partial.map(dimensionName).join(", ") })) : null;
}
