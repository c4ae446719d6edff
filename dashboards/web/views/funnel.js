// How far notifications got, why the others did not, and what nobody can observe.

import { el } from "../parts/dom.js";
import { shares } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { count, percent } from "../text/format.js";
import { named, t } from "../text/text.js";

const inStage = (rows, stage) => rows.find((row) => row.stage === stage)?.notifications ?? 0;
/** Of what was requested, what reached people. */
const REACHED = { report: "funnel", whole: "requested", rate: "reached_rate", of: (rows) => ({ part: inStage(rows, "reached"), whole: inStage(rows, "requested") }) };

export function funnel(context) {
  return new Panel(context, {
    title: t("funnel.title"),
    about: t("funnel.about"),
    empty: "funnel.empty",
    breakdown: { name: "funnel", measure: REACHED },
    queries: [context.query("funnel")],
    draw: ({ rows }) => {
      const most = rows.find((row) => row.stage === "requested")?.notifications;
      return most ? el("ol", { class: "funnel" }, rows.map((row) => stage(row, most))) : null;
    },
  }).node;
}

function stage(row, most) {
  const known = row.notifications - (row.assumed ?? 0);
  const rest = Math.max(most - row.notifications - row.unobserved, 0);
  const label = t("funnel.bar", { n: count(row.notifications), unobserved: count(row.unobserved) });
  const lost = Object.entries(row.lost_by ?? {}).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  return el(
    "li",
    { "data-stage": row.stage },
    el("div", { class: "funnel-head" }, el("strong", { about: t(`about.stage.${row.stage}`) }, t(`stage.${row.stage}`)), el("span", {}, el("b", {}, count(row.notifications)), ` · ${percent(row.notifications / most)}`)),
    shares([{ value: known, kind: "seen" }, { value: row.assumed ?? 0, kind: "assumed" }, { value: row.unobserved, kind: "unobserved" }, { value: rest, kind: "rest" }], label),
    el(
      "div",
      { class: "small" },
      list([
        row.outside ? t("funnel.outside", { n: count(row.outside), all: count(row.notifications + row.outside) }) : null,
        row.assumed ? t("funnel.assumed", { n: count(row.assumed) }) : null,
        row.unobserved ? t("funnel.unobserved", { n: count(row.unobserved) }) : null,
        row.lost ? [t("funnel.lost", { n: count(row.lost) }), ": ", list(lost.map(([reason, n]) => [word(reason), ` ${count(n)}`]), ", ")] : null,
      ]),
    ),
  );
}

/** What there is, with something between. */
function list(all, between = " · ") {
  return all.filter(Boolean).map((one, index) => [index ? between : null, one]);
}

/** A reason with its definition. `rejected:BadDeviceToken` keeps the provider's own word. */
function word(reason) {
  const [name, detail] = reason.split(/:(.*)/s);
  return [el("span", { about: t(`about.lost.${name}`) }, named("lost", name)), detail ? ` (${detail})` : null];
}
