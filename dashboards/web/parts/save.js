// Gives a file to the browser's downloads.

import { el } from "./dom.js";

export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  // The browser has taken it by the next task, but older ones only begin to read then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
