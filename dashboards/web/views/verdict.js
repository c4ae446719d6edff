// What a comparison of a variant to the control comes to: a word only where there may be one, and a sentence on them all.

import { percent, plainPoints, points } from "../text/format.js";
import { t } from "../text/text.js";

/** Below this the variants were not given out as meant. */
const MISMATCH = 0.001;
/** Above this part of devices with several variants, they were not given out by device. */
const CROSSED = 0.1;
/** Below this the difference counts. */
const LEVEL = 0.05;

/** Whether the assignment of a group's devices does not match the split. */
export function isMismatched(group) {
  return group.some((row) => row.sample_ratio_p !== null && row.sample_ratio_p < MISMATCH);
}

/** The largest part of a variant's devices that got another as well, where it is too large; else null. */
export function crossedShare(group) {
  const share = Math.max(...group.map((row) => (row.devices ? row.crossed_devices / row.devices : 0)));
  return share > CROSSED ? share : null;
}

/** `better`, `worse`, `alike` (no clear difference) or `none` (there can be no verdict); null for what is not compared. */
export function verdict(row, group, control) {
  if (row.variant === control || row.other) return null;
  if (isMismatched(group) || crossedShare(group) !== null) return "none";
  if (row.p_holm === null || row.difference === null) return null;
  if (row.p_holm >= LEVEL) return "alike";
  return row.difference > 0 ? "better" : "worse";
}

/** The best first: what is proven to be better, however large a difference that is not clear may be. */
const ORDER = ["better", "alike", "worse"];

/** What a group comes to, in one sentence: of its best variant, or why nothing can be said. */
export function sentence(group, { control, metric }) {
  if (group[0].other) return t("experiments.said.others");
  if (isMismatched(group) || crossedShare(group) !== null) return t("experiments.said.none");
  const compared = group.map((row) => ({ row, said: verdict(row, group, control) })).filter((one) => ORDER.includes(one.said));
  if (!compared.length) return t("experiments.said.alone");
  const [{ row: best, said }] = compared.sort((a, b) => ORDER.indexOf(a.said) - ORDER.indexOf(b.said) || b.row.difference - a.row.difference);
  const isLess = said === "worse";
  const [low, high] = isLess ? [-best.difference_high, -best.difference_low] : [best.difference_low, best.difference_high];
  return t(`experiments.said.${said}`, {
    variant: best.variant, control, verb: t(`experiments.verb.${metric}`), points: plainPoints(Math.abs(best.difference)),
    low: said === "alike" ? points(low) : plainPoints(low), high: said === "alike" ? points(high) : plainPoints(high),
    rate: percent(best.rate),
  });
}
