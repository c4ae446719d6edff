// Which notifications are followed by opt-outs, and whether devices that get more do so more.

import { measure } from "../parts/breakdown.js";
import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { behind, categoryLink } from "../parts/links.js";
import { bar } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { optOutsSoFarIn } from "../parts/sofar.js";
import { table } from "../parts/table.js";
import { watch } from "../parts/watch.js";
import { count, decimal, duration } from "../text/format.js";
import { t } from "../text/text.js";
import { engagementByFrequency, frequencies, optOutsByFrequency } from "./frequency.js";

export const optOuts = {
  title: () => t("nav.optouts"),
  about: () => t("optouts.about"),
  panels: (context) => [byCategory(context), engagementByFrequency(context), optOutsByFrequency(context), frequencies(context)],
};

/** Of those reached, what was followed by an opt-out; one that nothing came before bears on no notification. */
const OF_REACHED = measure("opt_outs", "opt_outs", "reached", "opt_outs_per_1000", { per: 1000 });
export const OPT_OUTS = { ...OF_REACHED, of: (rows) => OF_REACHED.of(rows.filter((row) => row.attributed)) };

function byCategory(context) {
  const query = context.query("opt_outs");
  const bell = (row) => (row.attributed ? watch(context, { query, metric: "opt_outs_per_1000", of: { category: row.category }, what: row.category ?? t("value.noCategory"), isSmall: true }) : null);
  return new Panel(context, {
    title: t("optouts.title"),
    wide: true,
    breakdown: { name: "breakdown", measure: OPT_OUTS },
    queries: [query],
    draw: (answer) => (answer.rows.length ? [optOutsSoFarIn(context.range), table(columns(answer.rows), answer.rows, { answer, caption: t("optouts.title"), sort: "-opt_outs_per_1000", watch: bell })] : null),
  }).node;
}

function columns(rows) {
  const most = Math.max(...rows.map((row) => row.opt_outs_per_1000 ?? 0));
  const part = (key) => ({ key, label: t(`column.${key}`), about: t(`about.${key}`), numeric: true, value: (row) => row[key], cell: (row) => decimal(row[key], 1) });
  const whole = (key) => ({ ...part(key), cell: (row) => count(row[key]) });
  const shared = (key, setting) => ({ ...part(key), cell: (row) => behind(decimal(row[key], 1), { category: row.category ?? "", turned_off: setting }, row.attributed && row[key]) });
  return [
    { key: "category", label: t("column.category"), value: (row) => (row.attributed ? (row.category ?? "") : "\uffff"), cell: (row) => (row.attributed ? categoryLink(row.category) : el("em", {}, t("optouts.unattributed"))) },
    whole("reached"),
    shared("opt_outs", "authorization_status"),
    { ...part("opt_outs_per_1000"), isRate: true, cell: (row) => [decimal(row.opt_outs_per_1000), row.opt_outs_per_1000 === null ? null : bar(row.opt_outs_per_1000, most, "bad")] },
    shared("softer", "softer"),
    { ...part("softer_per_1000"), cell: (row) => decimal(row.softer_per_1000) },
    { ...whole("changes"), cell: (row) => [count(row.changes), row.ambiguous ? badge(t("optouts.ambiguous", { n: count(row.ambiguous) }), "soft", t("about.ambiguous")) : null] },
    { ...part("gap_p50"), cell: (row) => duration(row.gap_p50) },
    whole("open_settings"),
    whole("tokens_died"),
  ];
}
