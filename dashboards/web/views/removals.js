// Notifications that were taken away again: by the app, by their successor, or by the person.

import { measure } from "../parts/breakdown.js";
import { el } from "../parts/dom.js";
import { categoryLink } from "../parts/links.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, duration, percent } from "../text/format.js";
import { named, t } from "../text/text.js";

// What was withdrawn reached nobody: it is a part of what was requested.
const WITHDRAWN = measure("engagement", "withdrawn", "requested", "withdrawn_rate");

// Beside them those known only by a response, which no rate counts.
function known(row) {
  return [
    count(row.notifications),
    row.response_only ? el("div", { class: "small", title: t("about.responseOnly") }, t("removals.responseOnly", { n: count(row.response_only) })) : null,
  ];
}

export function removals(context) {
  const numeric = (key) => ({ key, label: t(`column.${key}`), numeric: true, value: (row) => row[key], cell: (row) => count(row[key]) });
  return new Panel(context, {
    title: t("removals.title"),
    about: t("removals.about"),
    wide: true,
    empty: "removals.empty",
    breakdown: { name: "withdrawn", measure: WITHDRAWN },
    queries: [context.query("removals")],
    draw: (answer) =>
      answer.rows.length
        ? table(
            [
              { key: "category", label: t("column.category"), value: (row) => row.category ?? "", cell: (row) => categoryLink(row.category) },
              { key: "reason", isKey: true, label: t("column.reason"), value: (row) => row.reason ?? "", cell: (row) => named("removal", row.reason ?? "unknown") },
              { ...numeric("notifications"), cell: known },
              { key: "share", label: t("column.share"), about: t("about.removals.share"), numeric: true, value: (row) => row.share, cell: (row) => percent(row.share) },
              { ...numeric("pending"), label: t("removals.pending") },
              { ...numeric("delivered"), label: t("removals.delivered") },
              numeric("withdrawn"),
              numeric("responded"),
              { key: "delivered_p50", label: t("removals.after"), numeric: true, value: (row) => row.delivered_p50, cell: (row) => duration(row.delivered_p50) },
            ],
            answer.rows,
            { answer, caption: t("removals.title"), sort: "-notifications", name: "removals" },
          )
        : null,
  }).node;
}
