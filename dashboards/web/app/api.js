// The service, asked with the key of this tab.

import { session } from "./session.js";

/** Why there is no answer: the service's problem details, or `unreachable`. */
export class Problem extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }

  /** Whether the same may be answered later. */
  get passes() {
    return this.status === 0 || this.status === 503 || this.status === 502 || this.status === 504;
  }
}

/** Asks for a path; JSON unless told otherwise. */
export async function ask(path, { parameters, accept = "application/json", signal, key = session.key, cache = "no-store" } = {}) {
  const query = parameters?.toString();
  let answer;
  try {
    answer = await fetch(query ? `${path}?${query}` : path, {
      headers: { Authorization: `Bearer ${key}`, Accept: accept },
      cache,
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, "unreachable", String(error.message));
  }
  if (!answer.ok) throw await problem(answer);
  return accept === "application/json" ? answer.json() : answer.blob();
}

async function problem(answer) {
  try {
    const said = await answer.json();
    return new Problem(answer.status, said.code ?? "unknown", said.detail ?? answer.statusText);
  } catch {
    return new Problem(answer.status, "unknown", answer.statusText);
  }
}

let catalogue = null;

async function read(key) {
  // It changes with the service alone, so the browser keeps it and asks whether it is still the same.
  const answer = await ask("v1/reports", { key, cache: "no-cache" });
  return new Map([...answer.reports, ...answer.listings].map((report) => [report.name, report]));
}

/** The reports and lists that the service has, by name: which filters and parameters each takes. Asked once a tab. */
export async function reports() {
  catalogue ??= read();
  try {
    return await catalogue;
  } catch (problem) {
    catalogue = null;
    throw problem;
  }
}

/** Looks whether a key may read, before it is kept. */
export async function check(key) {
  const answer = await read(key);
  catalogue = Promise.resolve(answer);
}
