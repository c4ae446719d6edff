// How the settings in force let notifications reach people, from a banner to nothing at all.

import { measure } from "../parts/breakdown.js";
import { el } from "../parts/dom.js";
import { categoryLink } from "../parts/links.js";
import { rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, percent } from "../text/format.js";
import { named, t } from "../text/text.js";

const ENGAGED = measure("reachability", "engaged", "reached", "engagement_rate");

export function reachability(context) {
  const numeric = (key) => ({ key, label: t(`column.${key}`), numeric: true, value: (row) => row[key], cell: (row) => count(row[key]) });
  return new Panel(context, {
    title: t("reachability.title"),
    about: t("reachability.about"),
    wide: true,
    empty: "reachability.empty",
    breakdown: { name: "reach", measure: ENGAGED },
    queries: [context.query("reachability", { by: "category" })],
    draw: (answer) => {
      if (!answer.rows.length) return null;
      const most = Math.max(...answer.rows.map((row) => row.engagement_rate_high ?? 0));
      return table(
        [
          { key: "category", label: t("column.category"), value: (row) => row.category ?? "", cell: (row) => categoryLink(row.category) },
          { key: "class", isKey: true, label: t("reachability.class"), value: (row) => row.class, cell: (row) => el("span", { about: t(`about.reachability.class.${row.class}`) }, named("reachability.class", row.class)) },
          numeric("notifications"),
          { key: "share", label: t("column.share"), about: t("about.reachability.share"), numeric: true, value: (row) => row.share, cell: (row) => percent(row.share) },
          numeric("reached"),
          { key: "engagement_rate", label: t("column.engagement_rate"), numeric: true, isRate: true, value: (row) => row.engagement_rate, cell: (row) => rate(row.engagement_rate, row.engagement_rate_low, row.engagement_rate_high, most) },
        ],
        answer.rows,
        { answer, caption: t("reachability.title"), sort: "-notifications", name: "reachability" },
      );
    },
  }).node;
}
