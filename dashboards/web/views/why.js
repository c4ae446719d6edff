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

export function chain(answer, format) {
  return table(
    [
      { key: "link", isKey: true, label: t("why.link"), value: (link) => answer.links.indexOf(link), cell: (link) => named("why.link", link.link) },
      { key: "verdict", label: t("why.verdict"), value: (link) => link.verdict, cell: (link) => el("span", { class: `verdict ${link.verdict}` }, named("why.verdict", link.verdict)) },
      { key: "reason", label: t("why.reason"), value: (link) => link.reason, cell: (link) => sentence(link) },
      { key: "at", label: t("why.at"), value: (link) => link.at ?? "", cell: (link) => (link.at ? format(link.at) : "–") },
    ],
    answer.links,
    { caption: t("why.title"), sort: "link", name: "why" },
  );
}
