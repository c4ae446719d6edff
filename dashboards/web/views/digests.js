// Which saved views are mailed, to whom and when.

import { link } from "../data/address.js";
import { ask } from "../data/api.js";
import { session } from "../data/session.js";
import { confirm } from "../parts/dialog.js";
import { schedule } from "../parts/digest.js";
import { el } from "../parts/dom.js";
import { breakable } from "../parts/links.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { time } from "../text/format.js";
import { t } from "../text/text.js";

/** Those of an app, or of one view. */
export function digests(context, view = null) {
  const text = (key, label, show = (row) => row[key] ?? "–") => ({ key, label, value: show, cell: show });
  const columns = [
    { ...text("view", t("digest.view")), cell: (row) => el("a", { href: link("saved", { name: row.view }) }, breakable(row.view)) },
    text("every", t("digest.every"), schedule),
    text("receiver", t("digest.mail")),
    { ...text("due_at", t("alerts.due_at")), cell: (row) => time(row.due_at, context.zone) },
    { ...text("made_at", t("digest.made_at")), cell: (row) => time(row.made_at, context.zone) },
    text("last_error", t("alerts.last_error")),
    ...(session.isAdmin ? [{ key: "acts", label: t("alerts.acts"), cell: (row) => acts(context, row) }] : []),
  ];
  return new Panel(context, {
    title: t("digest.list"),
    wide: true,
    empty: "digest.none",
    queries: [{ name: "digests", path: "v1/digests", parameters: new URLSearchParams(), saved: new URLSearchParams(), ignored: [], csv: false }],
    draw: ({ digests: all }) => {
      const rows = all.filter((row) => view === null || row.view === view);
      return rows.length ? table(columns, rows, { caption: t("digest.list"), sort: "due_at", name: "digests", rowName: (row) => row.id }) : null;
    },
  }).node;
}

/** A digest is sent at once, or ended. */
function acts(context, { id, view }) {
  const change = (path, method) => async () => {
    await ask(path, { method });
    await context.again("v1/digests");
  };
  const button = (name, label, about, send) => el("button", { type: "button", class: "quiet", name, "aria-label": `${label}: ${view}`, onclick: () => confirm(label, about, label, send) }, label);
  return el(
    "span",
    { class: "acts" },
    button("send", t("digest.send"), t("digest.send.about", { name: view }), change(`v1/digests/${id}/due`, "PUT")),
    button("end", t("digest.end"), t("digest.end.about", { name: view }), change(`v1/digests/${id}`, "DELETE")),
  );
}
