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

/** Text for screen readers alone. */
export function hidden(text) {
  return el("span", { class: "visually-hidden" }, text);
}
