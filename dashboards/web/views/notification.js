// One notification: what became of it and why, and what happened, event by event.

import { el } from "../parts/dom.js";
import { deviceLink } from "../parts/links.js";
import { pages, timelineQuery } from "../parts/pages.js";
import { perhaps } from "../parts/perhaps.js";
import { time } from "../text/format.js";
import { t } from "../text/text.js";
import { chain, verdictQuery } from "./why.js";

export const notification = {
  under: "lookup",
  title: () => t("notification.title"),
  isTimeless: true,
  panels: (context) => {
    const [device, id] = ["device", "id"].map((name) => context.parameters.get(name) ?? "");
    const path = `v1/notifications/${encodeURIComponent(device)}/${encodeURIComponent(id)}`;
    const [panel, put] = perhaps(context, "notification.none", { id, device });
    return put([
      el("p", { class: "wide" }, el("code", {}, id), " ", t("notification.on"), " ", deviceLink(device)),
      panel({
        title: t("why.title"),
        about: t("why.about"),
        wide: true,
        queries: [verdictQuery(path)],
        draw: (answer) => chain(answer, (at) => time(at, context.zone, "full")),
      }),
      panel({
        title: t("timeline.title"),
        about: t("timeline.about", { zone: context.zone }),
        wide: true,
        queries: [timelineQuery(path)],
        draw: (answer) => pages(path, answer, { zone: context.zone, device, links: false }),
      }),
    ]);
  },
};
