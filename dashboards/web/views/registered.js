// Registered categories, and their unused buttons.

import { el } from "../parts/dom.js";
import { badge } from "../parts/figure.js";
import { categoryLink } from "../parts/links.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, time } from "../text/format.js";
import { isolated, named, t } from "../text/text.js";

export function registered(context) {
  const list = (names, more) =>
    names?.length
      ? [...names.map((name) => el("code", {}, isolated(name ?? t("value.none")))), ...(more ? [` +${count(more)}`] : [])]
      : t("value.nothing");
  return new Panel(context, {
    title: t("registered.title"),
    about: t("registered.about"),
    wide: true,
    empty: "registered.empty",
    queries: [context.query("categories")],
    draw: (answer) =>
      answer.rows.length
        ? table(
            [
              { key: "category", label: t("column.category"), value: (row) => row.category ?? "", cell: (row) => categoryLink(row.category) },
              { key: "state", label: t("column.state"), value: (row) => row.state, cell: (row) => (row.state ? badge(named("registered", row.state), row.state === "used" ? "good" : "warn") : "") },
              { key: "notifications", label: t("column.notifications"), numeric: true, value: (row) => row.notifications, cell: (row) => count(row.notifications) },
              { key: "buttons", label: t("column.buttons_used"), numeric: true, value: (row) => row.buttons, cell: (row) => (row.buttons === null ? count(null) : t("value.of", { n: count(row.buttons_used), of: count(row.buttons) })) },
              { key: "unused", label: t("column.buttons_unused"), cell: (row) => list(row.buttons_unused) },
              { key: "unregistered", label: t("column.unregistered_actions"), cell: (row) => list(row.unregistered_actions, row.unregistered_actions_more) },
              { key: "custom_dismiss", label: t("column.custom_dismiss"), about: t("about.custom_dismiss"), value: (row) => String(row.custom_dismiss), cell: (row) => yesNo(row.custom_dismiss) },
              { key: "versions", label: t("column.app_versions"), cell: (row) => list(row.app_versions, row.app_versions_more) },
              { key: "last", label: t("column.last_registered_at"), value: (row) => row.last_registered_at, cell: (row) => time(row.last_registered_at, context.zone, "date") },
            ],
            answer.rows,
            { answer, caption: t("registered.title"), sort: "-notifications", name: "registered" },
          )
        : null,
  }).node;
}

function yesNo(value) {
  return value === null || value === undefined ? "–" : t(value ? "value.yes" : "value.no");
}
