// The service, asked with the key of this tab.

import { ANY_OWN, OWN, setDimensions } from "./address.js";
import { session } from "./session.js";

const JSON_TYPE = "application/json";

/** Why there is no answer: the service's problem details, or `unreachable`. */
export class Problem extends Error {
  constructor(status, code, detail, parameter = null) {
    super(detail);
    this.status = status;
    this.code = code;
    /** The parameter that was refused, where it was one. */
    this.parameter = parameter;
  }

  /** Whether nobody answers, which passes. A report that the service gave up, as it took too long, says nothing of the others. */
  get passes() {
    return [0, 502, 503, 504].includes(this.status) && this.code !== "timeout";
  }
}

/** How often a request that the service refused for overload is retried, and the seconds between attempts without Retry-After. */
const [TRIES, PAUSE] = [5, 1];

/** Asks for a path; JSON unless told otherwise. A `method` other than GET changes something, by the JSON of `body` where it has one. */
export async function ask(path, options = {}) {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(path, options);
    if (answer.status === 429 && tries < TRIES) {
      // Other requests with the same key, for example of another tab, use up its limit.
      const seconds = Number(answer.headers.get("Retry-After")) || PAUSE;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      options.signal?.throwIfAborted();
      continue;
    }
    if (!answer.ok) throw await problem(answer);
    return (options.accept ?? JSON_TYPE) === JSON_TYPE ? answer.json() : answer.blob();
  }
}

async function send(path, { parameters, accept = JSON_TYPE, signal, key = session.key, cache = "no-store", method = "GET", body }) {
  const query = parameters?.toString();
  const headers = { Authorization: `Bearer ${key}`, Accept: accept };
  if (body) headers["Content-Type"] = JSON_TYPE;
  try {
    return await fetch(query ? `${path}?${query}` : path, { method, headers, body: body && JSON.stringify(body), cache, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, "unreachable", String(error.message));
  }
}

async function problem(answer) {
  try {
    const details = await answer.json();
    return new Problem(answer.status, details.code ?? "unknown", details.detail ?? answer.statusText, details.parameter);
  } catch {
    return new Problem(answer.status, "unknown", answer.statusText);
  }
}

let catalogue = null;

async function read(key) {
  // It changes with the service alone, so the browser keeps it and asks whether it is still the same.
  const [answer, own] = await Promise.all([ask("v1/reports", { key, cache: "no-cache" }), ask("v1/dimensions", { key })]);
  const known = new Map([...answer.reports, ...answer.listings].map((report) => [report.name, report]));
  known.app = answer.app;
  known.own = own.dimensions.map((name) => `${OWN}${name}`);
  // What takes any of the app's own takes these.
  for (const report of known.values()) report.filters = report.filters.flatMap((name) => (name === ANY_OWN ? known.own : [name]));
  known.dimensions = known.get("engagement").filters;
  setDimensions(known.dimensions);
  return known;
}

/**
 * The reports and lists that the service has, by name: which filters and parameters each takes; as `app` the name of the key's app, as
 * `dimensions` those of notifications, the app's own last, and as `own` these alone. Asked once a tab.
 */
export async function reports() {
  catalogue ??= read();
  try {
    return await catalogue;
  } catch (problem) {
    catalogue = null;
    throw problem;
  }
}

/** Looks whether a key may read, such as before it is kept, and what there is to read by now. */
export async function check(key) {
  const answer = await read(key);
  catalogue = Promise.resolve(answer);
}
