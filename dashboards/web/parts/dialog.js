// A question in front of the page: what is wanted, sent when it is confirmed, or why it was refused.

import { reason, t } from "../text/text.js";
import { el } from "./dom.js";

let counter = 0;

/**
 * Shows a form in front of the page until it is sent or left; then whatever had the focus has it again.
 *
 * @param options title; about: a sentence below it; fields: nodes; action: what the button says, none where there is nothing to
 *   send; isRisky: whether it takes something away; send: does it, given the form, and fails with why not; it gives nodes to show
 *   instead of the form, or nothing, which closes it
 */
export function dialog({ title, about, fields = [], action, isRisky = false, send }) {
  const id = `dialog-${(counter += 1)}`;
  const problem = el("p", { class: "error-text", role: "alert" });
  const close = () => node.close();
  const submit = action ? el("button", { type: "submit", class: isRisky ? "risky" : "primary" }, action) : null;
  const leave = el("button", { type: "button", name: "leave", onclick: close }, t(action ? "dialog.cancel" : "dialog.close"));
  const form = el("form", { onsubmit }, fields, problem, el("div", { class: "dialog-end" }, submit, leave));
  const node = el(
    "dialog",
    { "aria-labelledby": id, onclose: () => node.remove(), onclick: (event) => event.target === node && close() },
    el("div", { class: "dialog-body" }, el("h2", { id }, title), about ? el("p", { class: "about" }, about) : null, form),
  );

  async function onsubmit(event) {
    event.preventDefault();
    submit.disabled = true;
    problem.textContent = "";
    try {
      const shown = await send(form);
      if (!shown) return close();
      form.replaceWith(...[shown].flat().filter(Boolean), el("div", { class: "dialog-end" }, el("button", { type: "button", class: "primary", name: "leave", onclick: close, autofocus: true }, t("dialog.close"))));
      node.querySelector("button[name=leave]").focus();
    } catch (error) {
      problem.textContent = reason(error);
      submit.disabled = false;
    }
  }

  const panel = document.activeElement?.closest(".panel");
  node.addEventListener("close", () => {
    removeEventListener("hashchange", close);
    // What opened it may have been drawn anew.
    if (document.activeElement === document.body) panel?.focus();
  });
  // It was about the view that it stood in front of.
  addEventListener("hashchange", close, { once: true });
  document.body.append(node);
  node.showModal();
  return node;
}

/** What the service lacks to do what was added, in its words. */
export function lacking(warnings = []) {
  return warnings.map((text) => el("p", { class: "about warn", "data-warning": "" }, t("dialog.lacking", { text })));
}

/** A field with its name above it. */
export function field(label, control, help = null) {
  return el("label", { class: "field" }, el("span", {}, label), control, help ? el("span", { class: "small" }, help) : null);
}

/** A choice of names. */
export function choice(name, options, value, onchange = null) {
  return el("select", { name, onchange }, options.map(([key, label]) => el("option", { value: key, selected: key === value }, label)));
}

/** Asks before something is taken away. */
export function confirm(title, about, action, send) {
  return dialog({ title, about, action, isRisky: true, send });
}
