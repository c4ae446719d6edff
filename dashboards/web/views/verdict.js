// The verdict on a variant against the control, if one is possible, and a sentence on all variants.

import { percent, plainPoints, points } from "../text/format.js";
import { t, visible } from "../text/text.js";

/** Below this p, variants were not assigned as intended. */
const MISMATCH = 0.001;
/** Above this share of devices with several variants, variants were not assigned by device. */
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

/** Whether the difference counts a rate as exactly known because nobody, or everybody, responded, and the rates' own intervals overlap. */
function isTooFew(row, other) {
  const isExact = [row, other].some(({ rate }) => rate === 0 || rate === 1);
  return isExact && row.difference !== 0 && row.rate_low <= other.rate_high && other.rate_low <= row.rate_high;
}

/** `better`, `worse`, `alike` (no clear difference), `few` (too few devices to tell) or `none` (there can be no verdict); null for what is not compared. */
export function verdict(row, group, control) {
  if (row.variant === control || row.other) return null;
  if (isMismatched(group) || crossedShare(group) !== null) return "none";
  if (row.difference === null || row.difference_low === null) return null;
  if (isTooFew(row, group.find((one) => one.variant === control))) return "few";
  // Where neither rate varies from device to device there is no p. The interval of the difference decides.
  const isClear = row.p_holm === null ? row.difference_low > 0 || row.difference_high < 0 : row.p_holm < LEVEL;
  if (!isClear) return "alike";
  return row.difference > 0 ? "better" : "worse";
}

/** Whether the time to respond is not over for most of a group's notifications, so that nothing is decided yet. */
export function isYoung(group) {
  const sum = (key) => group.reduce((total, row) => total + row[key], 0);
  return 2 * sum("immature") > sum("reached");
}

/** Whether a group is of one campaign. Of several, a device may rightly have got a variant of each. */
export function isOfOneCampaign(group) {
  return "campaign" in group[0];
}

/** The best first. A proven difference comes before any unclear one, however large; one of too few devices may be better than all alike. */
const ORDER = ["better", "few", "alike", "worse"];

/** The result of a group in one sentence: its best variant, or why there is no verdict. */
export function sentence(group, { control, metric }) {
  if (group[0].other) return t("experiments.said.others");
  if (isMismatched(group)) return t("experiments.said.none");
  if (crossedShare(group) !== null) return t(isOfOneCampaign(group) ? "experiments.said.none" : "experiments.said.crossed");
  const compared = group.map((row) => ({ row, result: verdict(row, group, control) })).filter((one) => ORDER.includes(one.result));
  if (!group.some((row) => row.variant === control)) return t("experiments.said.noControl", { control });
  if (!compared.length) return t("experiments.said.alone");
  const [{ row: best, result }] = compared.sort((a, b) => ORDER.indexOf(a.result) - ORDER.indexOf(b.result) || b.row.difference - a.row.difference);
  const isLess = result === "worse";
  const [low, high] = isLess ? [-best.difference_high, -best.difference_low] : [best.difference_low, best.difference_high];
  // The interval is of one comparison, the verdict of all.
  const isCorrected = result === "alike" && (low > 0 || high < 0);
  const isEarly = ["better", "worse"].includes(result) && isYoung(group);
  return t(`experiments.said.${isCorrected ? "corrected" : result}${isEarly ? ".young" : ""}`, {
    variant: visible(best.variant), control: visible(control), verb: t(`experiments.verb.${metric}`), points: plainPoints(Math.abs(best.difference)),
    low: result === "alike" ? points(low) : plainPoints(low), high: result === "alike" ? points(high) : plainPoints(high),
    rate: percent(best.rate),
  });
}
