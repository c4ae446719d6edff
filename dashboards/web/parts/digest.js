// A saved view by mail: who gets it, and when.

import { ask } from "../data/api.js";
import { time } from "../text/format.js";
import { t } from "../text/text.js";
import { choice, dialog, field, lacking } from "./dialog.js";
import { el } from "./dom.js";
import { LATER } from "./watch.js";

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** Whether a digest can be made of a report: one of days, whose rows are told apart by what stands first. */
export function isDigestible(context, name) {
  const report = context.catalogue.get(name);
  return Boolean(report) && ["from", "to"].every((one) => report.parameters.some((parameter) => parameter.name === one)) && !report.columns.some((column) => LATER.includes(column.name));
}

/** When a digest is made, in words. */
export function schedule({ every, weekday, at, tz }) {
  return t(`digest.${every}`, { weekday: weekday ? t(`digest.${weekday}`) : "", at, zone: tz });
}

/** Opens the form that has a view mailed. */
export function mailView(context, view) {
  const mail = el("input", { type: "email", name: "mail", required: true, maxlength: 254, autocomplete: "off", placeholder: "team@example.com", autofocus: true });
  const weekday = choice("weekday", WEEKDAYS.map((one) => [one, t(`digest.${one}`)]), WEEKDAYS[0]);
  const weekdays = field(t("digest.weekday"), weekday);
  const every = choice("every", ["week", "day"].map((one) => [one, t(`digest.every.${one}`)]), "week", () => (weekdays.hidden = weekday.disabled = every.value === "day"));
  const at = el("input", { type: "time", name: "at", required: true, value: "08:00" });
  return dialog({
    title: t("digest.title"),
    about: t("digest.about", { name: view }),
    fields: [el("div", { class: "dialog-fields" }, field(t("digest.every"), every), weekdays, field(t("digest.at"), at)), field(t("digest.mail"), mail)],
    action: t("digest.add"),
    send: async () => {
      const body = { view, every: every.value, at: at.value, mail: mail.value.trim(), ...(every.value === "week" ? { weekday: weekday.value } : {}) };
      const added = await ask("v1/digests", { method: "POST", body });
      await context.again("v1/digests");
      return [el("p", { role: "status" }, t("digest.added", { when: schedule(added), at: time(added.due_at, context.zone) })), ...lacking(added.warnings)];
    },
  });
}
