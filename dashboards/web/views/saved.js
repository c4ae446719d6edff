// The app's saved views, and the result of one. A link contains only the name, so it shows what the name means now.

import { go, link } from "../data/address.js";
import { ask } from "../data/api.js";
import { isZone } from "../data/range.js";
import { session } from "../data/session.js";
import { columnLabel, columnText } from "../parts/columns.js";
import { confirm } from "../parts/dialog.js";
import { isDigestible, mailView } from "../parts/digest.js";
import { el } from "../parts/dom.js";
import { breakable } from "../parts/links.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, time } from "../text/format.js";
import { t } from "../text/text.js";
import { digests } from "./digests.js";

export const saved = {
  title: (context) => (nameOf(context) === null ? t("nav.saved") : breakable(nameOf(context))),
  about: () => t(session.isAdmin ? "saved.about" : "saved.reader"),
  isTimeless: true,
  panels: (context) => (nameOf(context) === null ? [list(context), digests(context)] : [one(context), digests(context, nameOf(context))]),
};

function nameOf(context) {
  return context.parameters.get("name");
}

function query(name, path, more = {}) {
  return { name, path, parameters: new URLSearchParams(), saved: new URLSearchParams(), ignored: [], ...more };
}

function asked(parameters) {
  return Object.entries(parameters).map(([name, values]) => `${name}=${values.join(",")}`).join(" ");
}

/** What can be done with a view: copy its link and, with a key of scope admin, mail or remove it. */
function acts(context, { name, report }) {
  const address = new URL(link("saved", { name }), location.href).href;
  const status = el("span", { class: "small", role: "status" });
  const copy = async () => {
    await navigator.clipboard.writeText(address);
    status.textContent = t("saved.copied");
  };
  const remove = () =>
    confirm(t("saved.remove"), t("saved.remove.about", { name }), t("dialog.remove"), async () => {
      await ask(`v1/views/${encodeURIComponent(name)}`, { method: "DELETE" });
      if (nameOf(context) === null) await context.again("v1/views");
      else go({ name: null });
    });
  const button = (id, label, onclick) => el("button", { type: "button", class: "quiet", name: id, "aria-label": `${label}: ${name}`, onclick }, label);
  return el(
    "span",
    { class: "acts" },
    // Browsers allow this only for encrypted connections and this machine.
    navigator.clipboard ? button("copy", t("saved.copy"), copy) : null,
    session.isAdmin && isDigestible(context, report) ? button("mail", t("digest.add"), () => mailView(context, name)) : null,
    session.isAdmin ? button("remove", t("dialog.remove"), remove) : null,
    status,
  );
}

function list(context) {
  const text = (key, show = (row) => row[key]) => ({ key, label: t(`saved.${key}`), value: show, cell: show });
  const columns = [
    { ...text("name"), cell: (row) => el("a", { href: link("saved", { name: row.name }) }, breakable(row.name)) },
    text("report"),
    text("parameters", (row) => asked(row.parameters)),
    { ...text("saved_at"), cell: (row) => time(row.saved_at, context.zone) },
    { key: "acts", label: t("alerts.acts"), cell: (row) => acts(context, row) },
  ];
  return new Panel(context, {
    title: t("nav.saved"),
    wide: true,
    empty: "saved.none",
    queries: [query("views", "v1/views", { csv: false })],
    draw: ({ views }) => (views.length ? table(columns, views, { caption: t("nav.saved"), sort: "name", rowName: (row) => row.name }) : null),
  }).node;
}

/** The days of the range that an answer is of: it ends before `to`. */
function days({ from, to }, zone) {
  const [first, last] = [from, Date.parse(to) - 1].map((moment) => time(moment, zone, "year"));
  return `${first === last ? first : t("format.interval", { low: first, high: last })} (${zone})`;
}

/** The rows as files have them, in words: their columns are the report's. */
function one(context) {
  const path = `v1/views/${encodeURIComponent(nameOf(context))}`;
  const column = (key, report, zone) => {
    const known = report?.columns.find((candidate) => candidate.name === key) ?? { name: key };
    const value = (row) => (row[key] !== null && typeof row[key] === "object" ? JSON.stringify(row[key]) : row[key]);
    return { key, label: columnLabel(known, report), about: known.description, numeric: Boolean(known.unit), value, cell: (row) => columnText(known, row[key], zone) };
  };
  const rows = (view, answer, zone) => {
    const report = context.catalogue.get(view.report);
    const keys = Object.keys(answer.rows[0]);
    // What tells rows apart is always there.
    const named = [answer.parameters.by ?? []].flat().flatMap((names) => names.split(","));
    const isOther = answer.rows.some((row) => row.other);
    const usual = keys.filter((key) => !report || report.table_columns.includes(key) || named.includes(key) || (key === "other" && isOther));
    const isWhole = context.parameters.get("columns") === "all";
    return [
      table((isWhole ? keys : usual).map((key) => column(key, report, zone)), answer.rows, { caption: nameOf(context), answer }),
      usual.length < keys.length ? el("p", { class: "about" }, el("a", { href: link("saved", { columns: isWhole ? null : "all" }) }, t(isWhole ? "saved.columns.usual" : "saved.columns.all", { n: count(keys.length) }))) : null,
    ];
  };
  return new Panel(context, {
    title: t("saved.answer"),
    wide: true,
    queries: [query("view", path, { csv: false }), query(nameOf(context), `${path}/report`)],
    draw: (view, answer) => {
      const zone = answer.parameters.tz && isZone(answer.parameters.tz) ? answer.parameters.tz : context.zone;
      return [
        acts(context, view),
        el("p", { class: "about" }, t("saved.definition", { report: view.report, parameters: asked(view.parameters) || "–", at: time(view.saved_at, context.zone), position: String(view.position) })),
        el("p", { class: "about", "data-days": "" }, days(answer.parameters, zone)),
        answer.rows.length ? rows(view, answer, zone) : el("p", { class: "empty" }, t("saved.empty")),
      ];
    },
  }).node;
}
