// What changed since the range before: the values whose rate moved most clearly, buttons that nobody presses, refused pushes, and
// releases that hear less than the one before.

import { link } from "../data/address.js";
import { el } from "../parts/dom.js";
import { rateDelta, recordedQuery, unrecorded } from "../parts/delta.js";
import { dimensionName, partial, unfiltered } from "../parts/filters.js";
import { breakable } from "../parts/links.js";
import { differenceBar } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, percent, points, probability } from "../text/format.js";
import { isolated, t } from "../text/text.js";

/** The dimensions compared. The app's own have a separate query. Campaigns are left out, because the range before has others. */
const DIMENSIONS = "none,category,app_version,platform,trigger,interruption_level";
/** The number of rows shown, and the level of p after all comparisons. */
const [SHOWN, LEVEL] = [6, 0.05];

/** The comparison that this panel and the figures at the top share; null without a range to compare with. */
export function changesQuery(context, dimensions = DIMENSIONS, limit = 60) {
  context.canCompare = true;
  if (!context.before) return null;
  return Object.assign(context.query("changes", { dimensions, against: context.against, limit }), { isSecond: true, isBefore: true });
}

export function changes(context) {
  const pushes = context.query("push_results");
  const registered = context.query("categories");
  // What takes longest comes last: nothing waits for it.
  const { own } = context.catalogue;
  const tracking = context.query("instrumentation");
  const late = [own.length ? changesQuery(context, own.join(",")) : null, tracking];
  const queries = [changesQuery(context), registered, pushes, context.queryBefore("push_results"), recordedQuery(context), ...late];
  for (const query of queries.slice(1).filter(Boolean)) Object.assign(partial(query), { csv: false, isSecond: true, isLast: late.includes(query) });
  return new Panel(context, {
    title: t("changes.title"),
    about: t("changes.about"),
    wide: true,
    empty: "changes.empty",
    isWatched: false,
    early: context.before ? true : "any",
    queries,
    late: t("changes.late"),
    draw: (compared, categories, results, before, recorded, ownCompared, releases) => {
      const reason = unrecorded(recorded, context);
      const isKnown = results && (before || reason || !context.before);
      const notes = [
        ...noteOn(registered, categories && unused(categories.rows)),
        ...noteOn(pushes, isKnown && refused(results.rows, before?.rows ?? null)),
        ...(releases ? mistracked(releases.rows) : []).flatMap((note) => noteOn(tracking, note)),
      ];
      if (reason) return [el("p", {}, reason), notes.length ? list(notes) : null];
      if (!compared) return notes.length ? list(notes) : null;
      const hasBefore = compared.rows.some((row) => row.reached_before > 0);
      const isClear = (row) => row.dimension !== "none" && !row.other && row.p_holm !== null && row.p_holm < LEVEL;
      const moved = [...compared.rows, ...(ownCompared?.rows ?? [])].filter(isClear).sort((a, b) => a.p_holm - b.p_holm).slice(0, SHOWN);
      const isOld = compared.rows.some((row) => row.rate_denominator > 0);
      const none = !hasBefore ? "changes.nothingBefore" : isOld ? "changes.none" : "changes.young";
      return [moved.length ? movers(moved) : el("p", {}, t(none)), notes.length ? list(notes) : null];
    },
  }).node;
}

/** A note on the figures of a query, if there is one, with the filters that do not bear on it. */
function noteOn(query, note) {
  return note ? [[note, " ", unfiltered(query)]] : [];
}

function list(notes) {
  return el("ul", { class: "notes" }, notes.map((note) => el("li", {}, note)));
}

function movers(rows) {
  const most = Math.max(...rows.flatMap((row) => [Math.abs(row.difference_low), Math.abs(row.difference_high)]));
  return table(
    [
      { key: "moved", label: t("changes.what"), cell: (row) => [el("span", { class: "small" }, `${dimensionName(row.dimension)} `), way(row)] },
      { key: "difference", label: t("changes.difference"), about: t("about.changes.difference"), numeric: true, isRate: true, cell: difference(most) },
      { key: "rate", label: t("column.engagement_rate"), about: t("about.engagement_rate"), numeric: true, cell: (row) => percent(row.engagement_rate) },
      { key: "before", label: t("changes.before"), numeric: true, cell: (row) => percent(row.engagement_rate_before) },
      { key: "reached", label: t("column.reached"), about: t("about.reached"), numeric: true, cell: (row) => [count(row.reached), el("div", { class: "small" }, t("changes.reachedBefore", { n: count(row.reached_before) }))] },
      { key: "p_holm", label: t("changes.p"), about: t("about.changes.p"), numeric: true, cell: (row) => probability(row.p_holm) },
    ],
    rows,
    { caption: t("changes.title"), name: "changes", rowName: (row) => `${row.dimension} ${row.value ?? ""}` },
  );
}

function difference(most) {
  return (row) => [
    el("b", {}, points(row.difference)), " ",
    differenceBar(row.difference_low, row.difference, row.difference_high, most, row.difference > 0 ? "better" : "worse"),
    el("div", { class: "small" }, t("format.interval", { low: points(row.difference_low), high: points(row.difference_high) })),
  ];
}

/** A category has a page of its own; other values are filters. */
function way(row) {
  const changes = { [row.dimension]: row.value ?? "" };
  return el("a", { href: link(row.dimension === "category" ? "category" : "overview", changes) }, row.value === null ? t("value.none") : breakable(row.value));
}

/** Registered buttons that nobody pressed, in categories that are used. */
function unused(rows) {
  const found = rows.filter((row) => !row.other && row.state === "used" && row.buttons_unused?.length);
  if (!found.length) return null;
  const buttons = found.reduce((sum, row) => sum + row.buttons_unused.length, 0);
  const names = found.slice(0, 3).map((row) => isolated(row.category ?? t("value.noCategory")));
  const text = t("changes.unused", { n: count(buttons), categories: names.join(", ") + (found.length > 3 ? " …" : "") });
  return [el("a", { href: link("categories") }, text)];
}

/** The part of the pushes that the provider refused, in this range and before. */
function refused(rows, before) {
  const part = (rows) => {
    const all = rows.reduce((sum, row) => sum + row.results, 0);
    const bad = rows.filter((row) => row.verdict !== "accepted").reduce((sum, row) => sum + row.results, 0);
    return { all, bad, share: all ? bad / all : null };
  };
  const now = part(rows);
  if (!now.bad) return null;
  const then = before && part(before).share;
  return [
    el("a", { href: link("provider") }, t("changes.refused", { n: count(now.bad), of: count(now.all), share: percent(now.share) })),
    then === null ? null : [" ", rateDelta(now.share - then)],
  ];
}

/** Versions of the app whose instruments are worse than those of the version before. */
function mistracked(rows) {
  return rows
    .filter((row) => row.verdict === "tracking")
    .map((row) => [el("a", { href: link("extensions") }, t("changes.tracking", { version: row.app_version ?? t("value.none"), before: row.version_before }))]);
}
