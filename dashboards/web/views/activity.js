// Received events, by kind.

import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count } from "../text/format.js";
import { named, t } from "../text/text.js";

export function activity(context) {
  const numeric = (key) => ({ key, label: t(`column.${key}`), about: t(`about.activity.${key}`), numeric: true, value: (row) => row[key], cell: (row) => count(row[key]) });
  const query = context.query("activity");
  return new Panel(context, {
    title: t("activity.title"),
    about: t("activity.about"),
    wide: true,
    empty: "activity.empty",
    queries: [query],
    draw: ({ rows }) =>
      rows.length
        ? table(
            [
              { key: "kind", label: t("column.kind"), value: (row) => row.kind ?? "", cell: (row) => named("kind", row.kind ?? "unknown") },
              ...["events", "duplicates", "rejected", "quarantined", "clamped", "duplicate_callbacks", "reused_identifiers"].map(numeric),
            ],
            rows,
            { caption: t("activity.title"), sort: "-events", name: "activity" },
          )
        : null,
  }).node;
}
