// What became of one notification and why, link by link.

import { el } from "../parts/dom.js";
import { table } from "../parts/table.js";
import { named, t } from "../text/text.js";

/** The query of a notification's verdict, for a panel. */
export function verdictQuery(path) {
  return { path: `${path}/verdict`, parameters: new URLSearchParams(), ignored: [], csv: false };
}

/** The reason in the page's words, with what the event says; else the service's sentence. */
function sentence(link) {
  const [code, detail] = link.reason.split(/:(.*)/s);
  const key = `why.reason.${link.reason}`;
  const words = named("why.reason", link.reason);
  if (words !== link.reason) return t(key);
  return named("why.reason", code) === code ? link.sentence : t(`why.reason.${code}`, { detail: detail ?? "–" });
}

/** What it comes to: the first link that says no, which is why the rest did not happen; else the last that says yes. */
function outcome({ links }) {
  const decisive = links.find((link) => link.verdict === "no") ?? links.findLast((link) => link.verdict === "yes");
  if (!decisive) return t("why.said.nothing");
  return t(`why.said.${decisive.verdict}`, { link: named("why.link", decisive.link), reason: sentence(decisive) });
}

/** What proves a link: positions of events, and stretches of time of settings or of a token. */
function evidence({ evidence: all }, format) {
  const positions = all.filter((one) => typeof one === "number");
  const periods = all.filter((one) => typeof one !== "number");
  const ends = ({ from, to }) => (to ? t("format.interval", { low: format(from), high: format(to) }) : t("why.since", { time: format(from) }));
  return [
    positions.length ? el("div", {}, t("why.positions", { positions: positions.join(", ") })) : null,
    periods.map((period) => el("div", {}, ends(period))),
    all.length ? null : "–",
  ];
}

export function chain(answer, format) {
  const left = answer.not_applied ? el("p", { class: "note warn" }, t("why.notApplied", { positions: answer.not_applied.join(", ") })) : null;
  if (!answer.links.length) return [left];
  return [el("p", { class: "verdict", "data-outcome": answer.outcome }, outcome(answer)), left, ...links(answer, format)];
}

function links(answer, format) {
  return table(
    [
      { key: "link", isKey: true, label: t("why.link"), value: (link) => answer.links.indexOf(link), cell: (link) => named("why.link", link.link) },
      { key: "verdict", label: t("why.verdict"), value: (link) => link.verdict, cell: (link) => el("span", { class: `verdict ${link.verdict}` }, named("why.verdict", link.verdict)) },
      { key: "reason", label: t("why.reason"), value: (link) => link.reason, cell: (link) => sentence(link) },
      { key: "at", label: t("why.at"), value: (link) => link.at ?? "", cell: (link) => (link.at ? format(link.at) : "–") },
      { key: "evidence", label: t("why.evidence"), about: t("about.why.evidence"), cell: (link) => evidence(link, format) },
    ],
    answer.links,
    { caption: t("why.title"), sort: "link", name: "why" },
  );
}
