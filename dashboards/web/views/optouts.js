// Which notifications make people turn them off, and whether those who get more do so more.

import { el } from "../app/dom.js";
import { count, decimal, duration, percent, roughPercent } from "../app/format.js";
import { t } from "../app/text.js";
import { chart } from "../parts/chart.js";
import { badge } from "../parts/figure.js";
import { behind, categoryLink } from "../parts/links.js";
import { bar, rate } from "../parts/marks.js";
import { Panel } from "../parts/panel.js";
import { table } from "../parts/table.js";

export const optOuts = {
  title: () => t("nav.optouts"),
  about: () => t("optouts.about"),
  panels: (context) => [byCategory(context), more(context), costs(context), frequency(context)],
};

function byCategory(context) {
  return new Panel(context, {
    title: t("optouts.title"),
    wide: true,
    queries: [context.query("opt_outs")],
    draw: ({ rows }) => (rows.length ? table(columns(rows), rows, { caption: t("optouts.title"), sort: "-opt_outs_per_1000" }) : null),
  }).node;
}

function columns(rows) {
  const most = Math.max(...rows.map((row) => row.opt_outs_per_1000 ?? 0));
  const part = (key) => ({ key, label: t(`column.${key}`), about: t(`about.${key}`), numeric: true, value: (row) => row[key], cell: (row) => decimal(row[key], 1) });
  const whole = (key) => ({ ...part(key), cell: (row) => count(row[key]) });
  const shared = (key, setting) => ({ ...part(key), cell: (row) => behind(decimal(row[key], 1), { category: row.category ?? "", turned_off: setting }, row.attributed && row[key]) });
  return [
    { key: "category", label: t("column.category"), value: (row) => (row.attributed ? (row.category ?? "") : "\uffff"), cell: (row) => (row.attributed ? categoryLink(row.category) : el("em", {}, t("optouts.unattributed"))) },
    whole("reached"),
    shared("opt_outs", "authorization_status"),
    { ...part("opt_outs_per_1000"), cell: (row) => [decimal(row.opt_outs_per_1000), row.opt_outs_per_1000 === null ? null : bar(row.opt_outs_per_1000, most, "bad")] },
    shared("softer", "softer"),
    { ...part("softer_per_1000"), cell: (row) => decimal(row.softer_per_1000) },
    { ...whole("changes"), cell: (row) => [count(row.changes), row.ambiguous ? badge(t("optouts.ambiguous", { n: count(row.ambiguous) }), "soft", t("about.ambiguous")) : null] },
    { ...part("gap_p50"), cell: (row) => duration(row.gap_p50) },
    whole("open_settings"),
    whole("tokens_died"),
  ];
}

function more(context) {
  return new Panel(context, {
    title: t("frequency.chart"),
    about: t("frequency.about"),
    queries: [context.query("frequency")],
    draw: ({ rows }) => {
      if (!rows.length) return null;
      return chart({
        label: t("frequency.chart"),
        labels: rows.map((row) => row.per_week),
        axis: t("frequency.axis"),
        unit: t("unit.ofReached"),
        format: percent,
        ticks: roughPercent,
        series: [{ name: t("column.engagement_rate"), kind: "line", color: "series-2", values: rows.map((row) => row.engagement_rate), low: rows.map((row) => row.engagement_rate_low), high: rows.map((row) => row.engagement_rate_high) }],
      });
    },
  }).node;
}

function costs(context) {
  return new Panel(context, {
    title: t("frequency.costs"),
    about: t("frequency.about"),
    queries: [context.query("frequency")],
    draw: ({ rows }) => {
      if (!rows.length) return null;
      return chart({
        label: t("frequency.costs"),
        labels: rows.map((row) => row.per_week),
        axis: t("frequency.axis"),
        unit: t("frequency.costs.unit"),
        format: decimal,
        ticks: (value) => decimal(value, value % 1 ? 1 : 0),
        series: [{ name: t("column.opt_outs_per_1000"), kind: "bar", color: "series-4", values: rows.map((row) => row.opt_outs_per_1000) }],
      });
    },
  }).node;
}

function frequency(context) {
  return new Panel(context, {
    title: t("frequency.title"),
    about: t("frequency.caveat"),
    wide: true,
    queries: [context.query("frequency")],
    draw: ({ rows }) => {
      if (!rows.length) return null;
      const most = Math.max(...rows.map((row) => row.engagement_rate_high ?? 0));
      return table(
        [
          { key: "per_week", label: t("frequency.axis"), value: (row) => row.at_least, cell: (row) => row.per_week },
          { key: "device_weeks", label: t("column.device_weeks"), numeric: true, value: (row) => row.device_weeks, cell: (row) => count(row.device_weeks) },
          { key: "engagement_rate", label: t("column.engagement_rate"), numeric: true, value: (row) => row.engagement_rate, cell: (row) => rate(row.engagement_rate, row.engagement_rate_low, row.engagement_rate_high, most) },
          { key: "active_rate", label: t("column.active_rate"), about: t("about.active_rate"), numeric: true, value: (row) => row.active_rate, cell: (row) => percent(row.active_rate) },
          { key: "opt_out_rate", label: t("column.opt_out_rate"), about: t("about.opt_out_rate"), numeric: true, value: (row) => row.opt_out_rate, cell: (row) => [percent(row.opt_out_rate), el("div", { class: "small" }, t("value.per1000", { n: decimal(row.opt_outs_per_1000) }))] },
        ],
        rows,
        { caption: t("frequency.title"), sort: "per_week", name: "frequency" },
      );
    },
  }).node;
}
