// Notifications in a list, newest first, in pages; each leads to the timeline of its events and to its device.

import { ask } from "../data/api.js";
import { inTurn } from "../data/queue.js";
import { count, decimal, duration, time } from "../text/format.js";
import { isolated, named, reason, t } from "../text/text.js";
import { el } from "./dom.js";
import { badge } from "./figure.js";
import { breakable, deviceLink, notificationLink } from "./links.js";
import { table } from "./table.js";

/** The first page, and a way to the next ones. `query` is what gave the answer. */
export function listing(query, answer, zone) {
  const hasShares = answer.parameters.turned_off !== "any";
  const rows = [...answer.rows];
  let cursor = answer.next_cursor;
  const status = el("p", { class: "about", role: "status" });
  const container = el("div", {});
  // Of the same range as the first page, whatever the query asks by then.
  const { path, parameters: asked } = query;
  const more = el("button", { type: "button", name: "more", onclick: next }, t("timeline.more"));
  show();

  function show() {
    container.replaceChildren(...table(columns(zone, hasShares), rows, { caption: t("list.title") }).filter(Boolean));
    status.textContent = t(cursor ? "list.countMore" : "list.count", { n: count(rows.length) });
    more.hidden = !cursor;
  }

  async function next() {
    more.disabled = true;
    // A refresh leaves it alone from here on.
    container.dataset.continued = "";
    try {
      const parameters = new URLSearchParams(asked);
      parameters.set("cursor", cursor);
      const page = await inTurn(query, null, () => ask(path, { parameters }));
      rows.push(...page.rows);
      cursor = page.next_cursor;
      show();
    } catch (problem) {
      status.textContent = reason(problem);
      if (rows.length === answer.rows.length) delete container.dataset.continued;
    }
    more.disabled = false;
  }
  return [status, container, more];
}

function columns(zone, hasShares) {
  const plain = (key, cell) => ({ key, label: t(`list.${key}`), cell });
  return [
    plain("time", (row) => notificationLink(row.device_id, row.notification_id, whole(time(row.cohort_at, zone)))),
    { key: "category", label: t("column.category"), cell: (row) => row.category ? breakable(row.category) : el("span", { class: "soft" }, t("value.noCategory")) },
    plain("outcome", outcome),
    hasShares ? { key: "opt_out_share", label: t("list.share"), numeric: true, cell: (row) => decimal(row.opt_out_share) } : null,
    plain("after", (row) => whole(answered(row))),
    plain("campaign", (row) => [row.campaign ? breakable(row.campaign) : "–", row.variant ? badge(isolated(row.variant)) : null]),
    plain("platform", (row) => [row.platform ?? "–", row.app_version ? el("span", { class: "soft" }, ` ${isolated(row.app_version)}`) : null]),
    plain("device", (row) => el("span", { class: "id", title: row.device_id }, deviceLink(row.device_id))),
  ].filter(Boolean);
}

function outcome(row) {
  const isGood = ["replied", "acted", "opened"].includes(row.outcome);
  return [
    badge(named("outcome", row.outcome), isGood ? "good" : ""),
    row.first_action && row.first_action !== "default" ? [" ", el("code", { class: "small" }, breakable(row.first_action))] : null,
    row.reached === "assumed" ? badge(t("list.assumed"), "soft", t("about.reached")) : null,
    row.immature && !row.responded_at && !row.dismissed_at ? badge(t("list.immature"), "immature", t("about.immature")) : null,
  ];
}

/** A text on one line. */
function whole(text) {
  return el("span", { class: "whole" }, text);
}

/** How long until it was responded to or dismissed, where both ends are known. */
function answered(row) {
  const end = row.responded_at ?? row.dismissed_at;
  return end && row.shown_at ? duration(Math.max(0, (Date.parse(end) - Date.parse(row.shown_at)) / 1000)) : "–";
}
