// What people allow, how that went, and how they answered when asked.

import { go } from "../data/address.js";
import { byInterval } from "../data/interval.js";
import { beforeLine, earlier, timeAxis } from "../parts/axis.js";
import { measure } from "../parts/breakdown.js";
import { chart } from "../parts/chart.js";
import { el } from "../parts/dom.js";
import { breakable } from "../parts/links.js";
import { bar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";
import { count, duration, percent, short } from "../text/format.js";
import { named, t } from "../text/text.js";
import { reachability } from "./reachability.js";

const SETTINGS = [
  "authorization_status", "alert", "sound", "badge", "lock_screen", "notification_center", "car_play", "critical_alert", "announcement",
  "time_sensitive", "scheduled_delivery", "direct_messages", "alert_style", "show_previews", "provides_app_notification_settings", "live_activities",
];

/** States of settings that are off. */
const OFF = ["denied", "not_determined", "disabled", "not_supported", "none", "never"];
const DEVICES = measure("settings", "devices", "devices", "permitted");
/** Of devices with settings, those on which the setting is on. */
const PERMITTED = { ...DEVICES, of: (rows) => ({ ...DEVICES.of(rows), part: DEVICES.of(rows.filter((row) => row.state && !OFF.includes(row.state))).part }) };
const GRANTED = measure("authorization", "granted", "answered", "grant_rate");

export const settings = {
  title: () => t("nav.settings"),
  about: () => t("settings.about"),
  panels: (context) => [chooser(context), states(context), now(context), flows(context), reachability(context), authorization(context)],
};

function chosen(context) {
  const name = context.parameters.get("setting");
  return SETTINGS.includes(name) ? name : SETTINGS[0];
}

function chooser(context) {
  return el(
    "label",
    { class: "field wide" },
    el("span", {}, t("settings.which")),
    el("select", { name: "setting", onchange: (event) => go({ setting: event.target.value }) }, SETTINGS.map((name) => el("option", { value: name, selected: name === chosen(context) }, named("setting", name)))),
  );
}

function stateName(state) {
  return named("settingState", state ?? "unknown");
}

/** Snapshots of settings are too far apart for hours. */
function intervalOf({ range }) {
  return range.interval === "hour" ? "day" : range.interval;
}

function states(context) {
  const interval = intervalOf(context);
  return new Panel(context, {
    title: t("settings.states", { interval: t(`per.${interval}`) }),
    about: t("settings.states.about"),
    wide: true,
    empty: "settings.empty",
    early: true,
    queries: [context.query("settings", { setting: chosen(context), interval }), context.queryBefore("settings", { setting: chosen(context), interval })],
    draw: ({ rows }, before) => {
      if (!rows.length) return null;
      const buckets = byInterval(rows, context.range, interval);
      const names = [...new Set(rows.map((row) => row.state))].sort((a, b) => total(rows, b) - total(rows, a));
      const value = (state, bucket) => bucket.rows.find((row) => row.state === state)?.devices ?? 0;
      return chart({
        label: t("settings.label"),
        ...timeAxis(buckets, context, { interval, isState: true }),
        unit: t("unit.devices"),
        stacked: true,
        format: count,
        ticks: short,
        series: names.map((state, index) => ({ name: stateName(state), kind: "bar", color: `series-${(index % 6) + 1}`, values: buckets.map((bucket) => value(state, bucket)) })).concat(
          beforeLine(context, buckets.length, earlier(before, context, interval, (row) => row.devices)),
        ),
      });
    },
  }).node;
}

function total(rows, state) {
  return rows.filter((row) => row.state === state).reduce((sum, row) => sum + row.devices, 0);
}

function now(context) {
  return new Panel(context, {
    title: t("settings.now"),
    about: t("settings.now.about"),
    empty: "settings.empty",
    breakdown: { name: "state", extra: { setting: chosen(context) }, measure: PERMITTED },
    queries: [context.query("settings", { setting: chosen(context) })],
    draw: ({ rows }) => {
      if (!rows.length) return null;
      const numeric = (key) => ({ key, label: t(`settings.${key}`), about: t(`about.settings.${key}`), numeric: true, value: (row) => row[key], cell: (row) => count(row[key]) });
      // Each device is in one state.
      return [
        el("p", { class: "about", "data-total": "" }, t("settings.total", { n: count(rows.reduce((sum, row) => sum + row.devices, 0)) })),
        table(
          [
            { key: "state", label: t("column.state"), value: (row) => row.state ?? "", cell: (row) => stateName(row.state) },
            { ...numeric("devices"), cell: (row) => [count(row.devices), el("div", {}, bar(row.share, 1))] },
            { key: "share", label: t("column.share"), numeric: true, value: (row) => row.share, cell: (row) => percent(row.share) },
            numeric("appeared"), numeric("entered"), numeric("left"),
          ],
          rows,
          { caption: t("settings.now"), sort: "-devices" },
        ),
      ];
    },
  }).node;
}

/** The changes of each interval: of the range as a whole, a device whose first snapshot lies in it only appeared, whatever it changed since. */
function flows(context) {
  const interval = intervalOf(context);
  return new Panel(context, {
    title: t("settings.flows"),
    about: t("settings.flows.about", { interval: t(`per.${interval}`) }),
    empty: "settings.flows.none",
    queries: [context.query("settings", { setting: chosen(context), interval })],
    draw: ({ rows }) => {
      const sums = new Map();
      for (const { state: to, entered_from: counts } of rows) {
        for (const [from, devices] of Object.entries(counts)) {
          const key = `${from} ${to}`;
          sums.set(key, { from, to, devices: devices + (sums.get(key)?.devices ?? 0) });
        }
      }
      const moves = [...sums.values()];
      if (!moves.length) return null;
      const most = Math.max(...moves.map((move) => move.devices));
      return table(
        [
          { key: "from", label: t("settings.from"), value: (move) => move.from, cell: (move) => stateName(move.from) },
          { key: "to", label: t("settings.to"), value: (move) => move.to ?? "", cell: (move) => ["→ ", stateName(move.to)] },
          { key: "devices", label: t("settings.devices"), numeric: true, value: (move) => move.devices, cell: (move) => [count(move.devices), el("div", {}, bar(move.devices, most))] },
        ],
        moves,
        { caption: t("settings.flows"), sort: "-devices", name: "flows" },
      );
    },
  }).node;
}

function authorization(context) {
  const numeric = (key) => ({ key, label: t(`authorization.${key}`), numeric: true, value: (row) => row[key], cell: (row) => count(row[key]) });
  return new Panel(context, {
    title: t("authorization.title"),
    about: t("authorization.about"),
    wide: true,
    empty: "authorization.empty",
    breakdown: { name: "granted", measure: GRANTED },
    queries: [context.query("authorization")],
    draw: (answer) => {
      if (!answer.rows.length) return null;
      return table(
        [
          { key: "options", label: t("authorization.options"), value: (row) => row.options ?? "", cell: (row) => (row.options ?? "–").split(",").map((name) => [el("code", {}, breakable(name)), " "]) },
          { key: "app_version", isKey: true, label: t("filter.app_version"), value: (row) => row.app_version ?? "", cell: (row) => row.app_version ?? t("value.none") },
          numeric("asked"), numeric("granted"), numeric("denied"),
          { key: "grant_rate", label: t("authorization.grant_rate"), numeric: true, isRate: true, value: (row) => row.grant_rate, cell: (row) => rate(row.grant_rate, row.grant_rate_low, row.grant_rate_high, 1) },
          numeric("failed"), numeric("repeats"), numeric("unknown_before"), numeric("provisional"),
          { key: "conversion_rate", label: t("authorization.conversion_rate"), numeric: true, value: (row) => row.conversion_rate, cell: (row) => [percent(row.conversion_rate), row.conversion_p50 === null ? null : el("div", { class: "small" }, t("authorization.after", { time: duration(row.conversion_p50) }))] },
        ],
        answer.rows,
        { answer, caption: t("authorization.title"), sort: "-asked", name: "authorization" },
      );
    },
  }).node;
}
