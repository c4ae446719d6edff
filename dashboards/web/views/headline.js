// The figures at the top: reached, responded, rate, opt-in, live tokens, ingest.

import { byInterval } from "../data/interval.js";
import { atEqualAge, countDelta, isComparable, rateDelta } from "../parts/delta.js";
import { el } from "../parts/dom.js";
import { badge, figure, figures, unheard } from "../parts/figure.js";
import { nothing, partial, unfiltered } from "../parts/filters.js";
import { behind } from "../parts/links.js";
import { intervalBar, shares, sparkline } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { watch } from "../parts/watch.js";
import { count, duration, interval, percent, short } from "../text/format.js";
import { named, t } from "../text/text.js";
import { changesQuery } from "./changes.js";

const PERMITTED = ["authorized", "provisional", "ephemeral"];

export function headline(context) {
  const queries = [
    context.query("engagement", { by: "none" }),
    context.query("engagement", { by: "none", interval: context.range.interval, count_devices: false }),
    context.query("settings"),
    context.query("tokens", { type: "alert" }),
    context.query("activity"),
    changesQuery(context),
    context.queryBefore("settings"),
    context.queryBefore("tokens", { type: "alert" }),
    context.queryBefore("activity"),
  ];
  // Filters that only some of them take are said where the figure stands.
  for (const query of queries.slice(2).filter(Boolean)) partial(query);
  const bell = (index, metric, what) => watch(context, { query: queries[index], metric, what, isSmall: true });
  const panel = new Panel(context, {
    title: t("overview.headline"),
    compares: true,
    wide: true,
    breakdown: { name: "breakdown" },
    queries,
    early: "any",
    draw: async (total, trend, settings, tokens, received, changes, settingsBefore, tokensBefore, receivedBefore) => [
      received?.rows.length === 0 && (await isNew(context)) ? el("p", { class: "note" }, t("overview.new"), " ", el("a", { href: "v1/openapi.yaml" }, el("code", {}, "POST /v1/events"))) : null,
      figures(
        ...(total ? engagement(total.rows[0], trend?.rows ?? [], context, bell, changes?.rows.find((row) => row.dimension === "none"), queries[0]) : ["reached", "responded", "engagement_rate"].map((name) => pending(name, context))),
        settings ? optIn(settings.rows, queries[2], settingsBefore?.rows, bell) : pending("opt_in"),
        tokens ? live(tokens.rows, queries[3], tokensBefore?.rows, bell) : pending("live_tokens"),
        received ? ingest(received, queries[4], receivedBefore, bell) : pending("events"),
      ),
    ],
    // How far behind the figures are is no figure of theirs.
    unchanged: (total, trend, settings, tokens, received) => panel.body.querySelector("[data-lag]")?.replaceChildren(lag(received)),
  });
  return panel.node;
}

/** Whether the app never received anything, in no range; unknown it is no. */
function isNew(context) {
  const ever = Object.assign(context.query("activity", { from: "2000-01-01", to: null }), { isSecond: true });
  return context.run(ever).then(({ rows }) => !rows.length, () => false);
}

const LABELS = { responded: "overview.responded", opt_in: "overview.optIn", live_tokens: "overview.live", events: "overview.ingest" };

/** A placeholder for a figure that is loading. */
function pending(name, context) {
  return figure({ name, label: t(LABELS[name] ?? `column.${name}`, { window: named("window", context?.window) }), value: "…" });
}

function engagement(row, trend, context, bell, change, query) {
  if (!row) return [figure({ name: "reached", label: t("column.reached"), value: "0", note: nothing(context, [query]) })];
  const { window } = context;
  // What is only a part of an interval would look like a fall.
  const whole = byInterval(trend, context.range).filter((bucket) => bucket.isWhole);
  const assumed = row.reached ? row.reached_assumed / row.reached : null;
  return [
    figure({
      name: "reached",
      label: t("column.reached"),
      value: behind(count(row.reached), { state: "reached" }, row.reached),
      unit: t("unit.notifications"),
      about: t("about.reached"),
      watch: bell(0, "reached", t("column.reached")),
      delta: countDelta(change?.reached, change?.reached_before),
      mark: [
        shares([{ value: row.reached_seen, kind: "seen" }, { value: row.reached_assumed, kind: "assumed" }], t("overview.seenAssumed", { seen: count(row.reached_seen), assumed: count(row.reached_assumed) })),
      ],
      note: [t("overview.assumed", { share: percent(assumed) }), t("overview.devices", { n: count(row.devices) })],
    }),
    figure({
      name: "responded",
      label: t("overview.responded", { window: named("window", window) }),
      value: count(row.responded_in_window),
      unit: t("unit.notifications"),
      about: t("about.responded"),
      watch: bell(0, "responded_in_window", t("overview.responded", { window: named("window", window) })),
      // Of those that had the time to respond, here as there.
      delta: countDelta(change?.responded_in_window, change?.responded_in_window_before),
      mark: sparkline(whole.map(({ rows: [point] }) => point?.responded_in_window ?? 0), t("overview.respondedTrend")),
      note: [
        behind(t("overview.anyTime", { n: count(row.responded) }), { state: "responded" }, row.responded),
        t("overview.kinds", { opened: short(row.opened_in_window), acted: short(row.acted_in_window), replied: short(row.replied_in_window) }),
        t("overview.engagedDevices", { n: count(row.engaged_devices) }),
      ],
    }),
    figure({
      name: "engagement_rate",
      label: t("column.engagement_rate"),
      value: percent(row.engagement_rate),
      about: t("about.engagement_rate"),
      watch: bell(0, "engagement_rate", t("column.engagement_rate")),
      delta: rateDelta(change?.difference, change?.difference_low, change?.difference_high),
      mark: intervalBar(row.engagement_rate_low, row.engagement_rate, row.engagement_rate_high, (row.engagement_rate_high ?? 0) * 1.3),
      note: [
        t("value.of", { n: count(row.responded_in_window), of: count(row.rate_denominator) }),
        t("mark.interval", { interval: interval(row.engagement_rate_low, row.engagement_rate_high) }),
        row.immature ? behind(badge(t("badge.immature", { n: count(row.immature) }), "immature", t("about.immature")), { state: "immature" }) : null,
        atEqualAge(row, change),
        unheard(row),
        t("overview.p50", { time: duration(row.response_p50) }),
      ],
    }),
  ];
}

/** Of the devices with settings at the end of a range, those that may be notified. */
function permission(rows) {
  const devices = rows.reduce((sum, row) => sum + row.devices, 0);
  const permitted = rows.filter((row) => PERMITTED.includes(row.state)).reduce((sum, row) => sum + row.devices, 0);
  return { devices, permitted, share: devices ? permitted / devices : null };
}

function optIn(rows, query, before, bell) {
  const { devices, permitted, share } = permission(rows);
  const earlier = before ? permission(before) : null;
  return figure({
    name: "opt_in",
    label: t("overview.optIn"),
    value: percent(share),
    about: t("about.optIn"),
    watch: bell(2, "share", t("overview.optIn")),
    delta: isComparable(devices, earlier?.devices) ? rateDelta(share - earlier.share) : null,
    mark: shares([{ value: permitted, kind: "seen" }, { value: devices - permitted, kind: "rest" }], t("overview.optInOf", { n: count(permitted), of: count(devices) })),
    note: [t("overview.optInOf", { n: count(permitted), of: count(devices) }), unfiltered(query)],
  });
}

/** The tokens in a state at the end of a range. */
function tokensIn(state, rows) {
  return rows.filter((row) => row.state === state).reduce((sum, row) => sum + row.tokens, 0);
}

function live(rows, query, before, bell) {
  const of = (state) => tokensIn(state, rows);
  const ghosts = rows.reduce((sum, row) => sum + (row.ghost_devices ?? 0), 0);
  return figure({
    name: "live_tokens",
    label: t("overview.live"),
    value: count(of("active")),
    unit: t("unit.tokens"),
    about: t("about.live"),
    watch: bell(3, "tokens", t("overview.live")),
    delta: before ? countDelta(of("active"), tokensIn("active", before)) : null,
    note: [t("overview.stale", { n: count(of("stale")) }), t("overview.ghosts", { n: count(ghosts) }), unfiltered(query)],
  });
}

function lag(answer) {
  return t("overview.lag", { lag: duration(answer.as_of.lag_seconds) });
}

function ingest(answer, query, before, bell) {
  const sum = (name, rows = answer.rows) => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  return figure({
    name: "events",
    label: t("overview.ingest"),
    value: short(sum("events")),
    unit: t("unit.events"),
    about: t("about.ingest"),
    watch: bell(4, "events", t("overview.ingest")),
    delta: before ? countDelta(sum("events"), sum("events", before.rows)) : null,
    note: [
      t("overview.quarantined", { n: count(sum("quarantined")) }),
      el("span", { "data-lag": "" }, lag(answer)),
      unfiltered(query),
    ],
  });
}
