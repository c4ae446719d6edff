// A report's columns as people read them where no view has words of its own: what they are called, and values by their units.

import { count, duration, exact, exactPercent, points, time, UNKNOWN } from "../text/format.js";
import { named, t } from "../text/text.js";
import { keyName } from "./judgement.js";

/** What a column is called; one that is no figure and names nothing keeps its own name. */
export function columnLabel(column) {
  return column.unit ? named("column", column.name) : keyName(column.name);
}

/** A value of a column. */
export function columnText(column, value, zone) {
  if (value === null || value === undefined) return UNKNOWN;
  if (column.is_difference) return points(value);
  if (column.unit === "fraction" || column.unit === "probability") return exactPercent(value);
  if (column.unit === "seconds") return duration(value);
  if (column.type === "timestamptz") return time(value, zone);
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  if (typeof value === "number") return Number.isInteger(value) ? count(value) : exact(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
