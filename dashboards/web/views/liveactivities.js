// How Live Activities live: how they start, whether pushes reach them, and how they end.

import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, duration } from "../text/format.js";
import { t } from "../text/text.js";

export function liveActivities(context) {
  const numeric = (key, show = count) => ({ key, label: t(`activities.${key}`), about: t(`about.activities.${key}`), numeric: true, value: (row) => row[key], cell: (row) => show(row[key]) });
  return new Panel(context, {
    title: t("activities.title"),
    about: t("activities.about"),
    wide: true,
    empty: "activities.empty",
    queries: [context.query("live_activities")],
    draw: (answer) => {
      if (!answer.rows.length) return null;
      return table(
        [
          { key: "attributes_type", isKey: true, label: t("filter.attributes_type"), value: (row) => row.attributes_type ?? "", cell: (row) => row.attributes_type ?? t("value.none") },
          { key: "app_version", isKey: true, label: t("filter.app_version"), value: (row) => row.app_version ?? "", cell: (row) => row.app_version ?? t("value.none") },
          numeric("started"), numeric("started_by_push"), numeric("push_to_start_requested"), numeric("push_to_start_without_activity"), numeric("push_to_start_unknown"),
          numeric("updates_accepted"), numeric("updates_after_end"), numeric("stale"), numeric("ended"), numeric("dismissed"), numeric("end_unobserved"),
          numeric("lifetime_p50", duration), numeric("dismissed_after_p50", duration), numeric("token_never_issued"),
        ],
        answer.rows,
        { answer, caption: t("activities.title"), sort: "-started", name: "activities" },
      );
    },
  }).node;
}
