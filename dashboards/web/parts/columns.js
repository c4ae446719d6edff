// A report's columns as people read them where no view has words of its own: what they are called, and values by their units.

import { count, duration, exact, exactPercent, points, time, UNKNOWN } from "../text/format.js";
import { named, t } from "../text/text.js";
import { keyName } from "./judgement.js";

/** The views' own words for columns of a report that mean something else in others. */
const GROUPS = {
  actions: ["option"], authorization: ["authorization", "prompts"], campaigns: ["campaigns"], changes: ["changes"], engagement: ["listState"],
  extensions: ["extensions"], instrumentation: ["instrumentation"], live_activities: ["activities"], outcomes: ["outcomes"], removals: ["removals"],
  settings: ["settings"], tokens: ["tokens"],
};
const ENDS = /_(low|high|before)$/;

/** Rates of what is not always reported: there are at least as many. */
const AT_LEAST = ["dismiss_rate"];

/** What a column of a report is called. Where a count has the same words, a share is told from it. */
export function columnLabel(column, report = null) {
  const label = plainLabel(column, report);
  const isTwice = column.unit === "fraction" && report?.columns.some((other) => other.unit !== "fraction" && plainLabel(other, report) === label);
  return isTwice ? t("columns.share", { name: label }) : label;
}

/** The words of the view that shows the report; one without words there is called by its name, readably. */
function plainLabel({ name, unit }, report) {
  return wordsOf(name, unit, GROUPS[report?.name] ?? []) ?? readable(name);
}

function wordsOf(name, unit, groups) {
  const own = groups.find((one) => named(one, name) !== name);
  const known = own ? named(own, name) : unit ? named("column", name) : keyName(name);
  if (known !== name) return known;
  const end = ENDS.exec(name)?.[1];
  const whole = end && wordsOf(name.replace(ENDS, ""), unit, groups);
  return whole ? t(`columns.${end}`, { name: whole }) : null;
}

function readable(name) {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/** A value of a column. */
export function columnText(column, value, zone) {
  if (value === null || value === undefined) return UNKNOWN;
  if (column.is_difference) return points(value);
  if (AT_LEAST.includes(column.name)) return `≥ ${exactPercent(value)}`;
  if (column.unit === "fraction" || column.unit === "probability") return exactPercent(value);
  if (column.unit === "seconds") return duration(value);
  if (column.type === "timestamptz") return time(value, zone);
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : exact(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
