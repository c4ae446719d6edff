// The page's words, in the browser's language.

let words = {};

/** The language that the page speaks, as BCP 47. */
export let language = "en";

/** The locale for figures and dates: the browser's variant of that language, such as en-GB. */
export let locale = "en";

/** Chooses the first of the browser's languages that has texts. */
export async function loadText() {
  const wanted = navigator.languages?.length ? navigator.languages : [navigator.language];
  const known = wanted.find((tag) => /^(en|zh)\b/i.test(tag)) ?? "en";
  language = /^zh/i.test(known) ? "zh-Hans" : "en";
  // Words are in simplified characters, so dates are too.
  locale = language === "en" ? known : "zh-Hans";
  const answer = await fetch(new URL(`./${language}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`${language}.json: ${answer.status}`);
  words = await answer.json();
  document.documentElement.lang = language;
}

/** A text by its key, `{name}` replaced by values. */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Why a request failed: in the page's words if it concerns a parameter that the page sets, or else in the service's. */
export function reason(problem) {
  if (problem.code === "unreachable") return t("state.unreachable");
  return words[`problem.${problem.parameter}`] ?? problem.message;
}

/** The text of a name in the data, such as a state; the name itself if there is none. */
export function named(group, name) {
  return words[`${group}.${name}`] ?? String(name);
}
