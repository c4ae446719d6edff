// What a rule of alerts says of a day, without raising anything.

import { ask } from "../data/api.js";
import { inTurn } from "../data/queue.js";
import { addDays } from "../data/range.js";
import { count, duration, exact, exactPercent } from "../text/format.js";
import { isolated, named, reason, t } from "../text/text.js";
import { dialog, field } from "./dialog.js";
import { el } from "./dom.js";
import { dimensionName } from "./filters.js";
import { scroller } from "./table.js";

/** Shows what a rule says of a day that is chosen. */
export function tryRule(context, one) {
  const place = el("div", { class: "panel-body" });
  const day = el("input", { type: "date", name: "day", max: newestDay(one) });
  let turn = 0;
  const show = async () => {
    // Another day may be chosen before the answer is there.
    const ownTurn = (turn += 1);
    const onDay = (shown) => ownTurn === turn && (day.value ||= shown);
    const content = await judgement(context, one, day.value || null, onDay);
    if (ownTurn === turn) place.replaceChildren(content);
  };
  day.addEventListener("change", show);
  show();
  return dialog({ title: t("rule.try.of", { name: one.name }), about: t("rule.try.about"), fields: [field(t("alerts.day"), day), place] });
}

/** The newest day that can be judged: the one before the next day, or a later one that the rule is late to judge. */
function newestDay(one, now = Date.now()) {
  const late = Math.floor((now - Date.parse(one.due_at)) / 86_400_000) + 1;
  return addDays(one.next_day, Math.max(late, 0) - 1);
}

/** What a rule says of a day, as a table; why not, where it says nothing. */
export async function judgement(context, one, day = null, onDay = () => {}) {
  const parameters = new URLSearchParams(day ? { day } : {});
  try {
    const path = `v1/alert_rules/${encodeURIComponent(one.name)}/test`;
    // It runs the rule's report.
    const answer = await inTurn({ name: one.report }, null, () => ask(path, { parameters }));
    onDay(answer.day);
    return cells(answer, one, isRateOf(context, one));
  } catch (problem) {
    return el("p", { class: "error-text", role: "alert" }, reason(problem));
  }
}

function isRateOf(context, one) {
  const metric = one.when.split(" ")[0];
  return context.catalogue.get(one.report)?.columns.find((column) => column.name === metric)?.unit === "fraction";
}

/** A dimension, or another column that distinguishes rows. */
export function keyName(name) {
  const text = dimensionName(name);
  return text === name ? named("column", name) : text;
}

/** What values of such columns are in words; of a period its ends. */
const VALUES = {
  class: (value) => named("reachability.class", value),
  outcome: (value) => named("outcome", value),
  attributed: (value) => t(value === "true" ? "value.yes" : "value.no"),
  since: duration,
  until: duration,
};

/** A cell by its values, as in the page's own words. */
export function cellName(cell) {
  const shown = (name, value) => (value === null ? t("value.none") : (VALUES[name]?.(value) ?? isolated(value)));
  return Object.entries(cell).map(([name, value]) => `${keyName(name)}: ${shown(name, value)}`).join(" · ") || t("alerts.all");
}

function cells(answer, one, isRate) {
  if (!answer.cells.length) return el("p", { class: "empty" }, t("rule.try.none", { day: answer.day }));
  const show = (value) => (value === null ? "–" : isRate ? exactPercent(value) : exact(value));
  const reason = (cell) => (cell.verdict !== "not judged" ? null : el("div", { class: "small" }, cell.volume < one.least_volume ? t("rule.try.few", { n: count(one.least_volume) }) : t("rule.try.learning")));
  const style = { alert: "bad", quiet: "good" };
  const head = ["cell", "value", "volume", "usual", "verdict"].map((key, index) => el("th", { scope: "col", class: index && key !== "verdict" ? "numeric" : null }, t(`alerts.${key}`)));
  const rows = answer.cells.map((cell) =>
    el(
      "tr",
      { "data-verdict": cell.verdict },
      el("th", { scope: "row" }, cellName(cell.cell)),
      el("td", { class: "numeric" }, show(cell.value)),
      el("td", { class: "numeric" }, count(cell.volume)),
      el("td", { class: "numeric" }, cell.usual === null ? "–" : t("alerts.range", { usual: show(cell.usual), low: show(cell.low), high: show(cell.high) })),
      el("td", {}, el("span", { class: `badge ${style[cell.verdict] ?? ""}` }, named("alerts.verdict", cell.verdict)), reason(cell)),
    ),
  );
  const caption = t("rule.try.day", { day: answer.day });
  return el("div", { class: "tried" }, el("p", { class: "about" }, caption), scroller(el("table", {}, el("caption", { class: "visually-hidden" }, caption), el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)), caption));
}
