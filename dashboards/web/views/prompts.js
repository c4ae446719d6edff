// The app's own question before the system's: who was shown it, went on, granted permission, and stayed.

import { measure } from "../parts/breakdown.js";
import { rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, percent } from "../text/format.js";
import { t } from "../text/text.js";

const CONTINUED = measure("authorization", "continued", "shown", "continued_rate");

export function prompts(context) {
  const numeric = (key, show = count) => ({ key, label: t(`prompts.${key}`), about: t(`about.prompts.${key}`), numeric: true, value: (row) => row[key], cell: (row) => show(row[key]) });
  const name = (key) => ({ key, isKey: true, label: t(`prompts.${key}`), value: (row) => row[key] ?? "", cell: (row) => row[key] ?? t("value.none") });
  const stayed = (days) => ({
    key: `on_after_${days}d_low`,
    label: t("prompts.stayed", { days }),
    about: t("about.prompts.stayed"),
    numeric: true,
    value: (row) => row[`on_after_${days}d_low`],
    cell: (row) => (row[`granted_${days}d_ago`] ? t("format.interval", { low: percent(row[`on_after_${days}d_low`]), high: percent(row[`on_after_${days}d_high`]) }) : "–"),
  });
  return new Panel(context, {
    title: t("prompts.title"),
    about: t("prompts.about"),
    wide: true,
    empty: "prompts.empty",
    breakdown: { name: "prompts-by", extra: { by: "placement,variant" }, measure: CONTINUED },
    queries: [context.query("authorization", { by: "placement,variant" })],
    draw: (answer) => {
      const rows = answer.rows.filter((row) => row.shown || row.asked);
      if (!rows.length) return null;
      return table(
        [
          name("placement"), name("variant"), numeric("shown"), numeric("continued"), numeric("later"), numeric("never"), numeric("dismissed"), numeric("asked"),
          numeric("granted"), numeric("denied"),
          { ...numeric("grant_rate"), isRate: true, cell: (row) => rate(row.grant_rate, row.grant_rate_low, row.grant_rate_high, 1) },
          stayed(7), stayed(30), stayed(90),
        ],
        rows,
        { answer, caption: t("prompts.title"), sort: "-shown", name: "prompts" },
      );
    },
  }).node;
}
