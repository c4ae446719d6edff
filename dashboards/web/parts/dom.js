// Elements without markup: text never becomes HTML, which the page's policy would refuse anyway.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element; attributes with `on…` are listeners, false and null ones are left out. `about` is a definition: shown under the
 * mouse, and listed by the panel for everybody else.
 */
export function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same in SVG's namespace. */
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "about") {
      node.setAttribute("title", value);
      node.setAttribute("data-about", value);
    } else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** What may have the focus. */
const CONTROLS = "a[href], button, input, select, summary, textarea, [tabindex]";

/**
 * Puts newer contents into a node. What its reader did stays: what is open, how far tables are scrolled, and the focus on the control
 * that stands in the same place; where another kind of control does, the panel has it.
 */
export function replace(node, ...contents) {
  const all = (selector) => [...node.querySelectorAll(selector)];
  const focused = document.activeElement;
  const [folds, scrolled, place] = [all("details"), all(".scroll").map((one) => one.scrollLeft), all(CONTROLS).indexOf(focused)];
  node.replaceChildren(...contents.flat(Infinity).filter(Boolean));
  const newer = all("details");
  if (newer.length === folds.length) newer.forEach((fold, index) => (fold.open = folds[index].open));
  // What is made once it is opened would come too late to be scrolled.
  for (const fold of newer) if (fold.open) fold.dispatchEvent(new Event("toggle"));
  all(".scroll").forEach((one, index) => (one.scrollLeft = scrolled[index] ?? 0));
  if (place < 0) return;
  const control = all(CONTROLS)[place];
  (control?.tagName === focused.tagName ? control : node.closest(".panel"))?.focus({ preventScroll: true });
}

/** Text for screen readers alone. */
export function hidden(text) {
  return el("span", { class: "visually-hidden" }, text);
}
