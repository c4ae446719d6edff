// Asks for a key that reads.

import { check } from "../data/api.js";
import { session } from "../data/session.js";
import { el } from "../parts/dom.js";
import { t } from "../text/text.js";

const ICON = new URL("../style/icon.svg", import.meta.url).href;

/** Takes the key of a sign-in link, `#key=…`, and takes it out of the address, which is shown, kept and copied. */
export function followLink() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return false;
  history.replaceState(null, "", location.pathname + location.search);
  session.signIn(key);
  return true;
}

/** How to make a key; no line ends within a part. */
const COMMAND = ["notilog keys create ", "--app APP ", "--scope read"];

export function signIn(begin, message) {
  const input = el("input", { type: "password", id: "key", name: "key", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "key-help key-error" });
  const problem = el("p", { class: "error-text", id: "key-error", role: "alert" }, message);
  const button = el("button", { type: "submit", class: "primary" }, t("signin.enter"));

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    const key = input.value.trim();
    try {
      await check(key);
      session.signIn(key);
      await begin();
    } catch (error) {
      const text = { 0: "state.unreachable", 401: "signin.unknown", 403: "signin.scope" }[error.status];
      problem.textContent = text ? t(text) : error.message;
      button.disabled = false;
      input.focus();
    }
  }

  return el(
    "main",
    { class: "signin" },
    el(
      "form",
      { onsubmit: submit },
      el("h1", {}, el("img", { src: ICON, alt: "", width: 40, height: 40 }), t("signin.title")),
      el("p", { class: "about" }, t("signin.about")),
      el("label", { for: "key" }, t("signin.key")),
      input,
      el("p", { class: "about", id: "key-help" }, t("signin.help"), " ", el("code", {}, COMMAND.map((part) => el("span", { class: "whole" }, part)))),
      problem,
      button,
    ),
  );
}
