// The page's words, in the browser's language.

let words = {};

/** The language that the page speaks, as BCP 47. */
let language = "en";

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

/** What sets the direction of text: letters of scripts that run to the left, and the characters that only do that. */
const DIRECTED = /[\p{Bidi_Control}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name of which something is to be seen: in place of spaces and invisible characters alone, their numbers. */
export function visible(name) {
  return /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u.test(name) ? name : [...name].map((one) => `U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`).join(" ");
}

/** A name beside other text, which keeps its own direction: what the name does to it ends with the name. */
export function isolated(name) {
  const text = String(name);
  if (!DIRECTED.test(text)) return text;
  let open = 0;
  // One that ends more than the name began would end this.
  const balanced = text.replace(/[\u2066-\u2069]/g, (mark) => {
    if (mark === "\u2069" && !open) return "";
    open += mark === "\u2069" ? -1 : 1;
    return mark;
  });
  return `\u2068${balanced}${"\u2069".repeat(open + 1)}`;
}

/** A text by its key, `{name}` replaced by values. */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? isolated(values[name]) : whole));
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
