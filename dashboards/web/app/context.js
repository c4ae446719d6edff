// What a view is drawn from: the address, read, and reports asked for by it.

import { isFilter } from "../data/address.js";
import { ask } from "../data/api.js";
import { inTurn } from "../data/queue.js";
import { AGAINST, matureEnds, rangeBefore, readRange } from "../data/range.js";

/** The number of rows that the page shows of a report with keys that clients invent: those with the largest counts. */
const SHOWN = 200;

export class Context {
  constructor(address, catalogue) {
    this.view = address.view;
    this.parameters = address.parameters;
    this.range = readRange(address.parameters);
    this.before = rangeBefore(this.range, this.against);
    this.zone = this.range.zone;
    this.catalogue = catalogue;
    this.panels = [];
    this.abort = new AbortController();
    this.answers = new Map();
    /** Of them, those that failed. */
    this.failed = new Set();
    /** Whether the view compares its range with another. */
    this.canCompare = false;
  }

  get window() {
    return this.parameters.get("window") ?? "P3D";
  }

  /** What the range is compared with: the one before, the same a year before, or none. */
  get against() {
    const given = this.parameters.get("against");
    return AGAINST.includes(given) ? given : AGAINST[0];
  }

  /** The dimensions of notifications, the app's own last. */
  get dimensions() {
    return this.catalogue.dimensions;
  }

  /** The filters in force, as pairs. */
  get filters() {
    return [...this.parameters].filter(([name]) => isFilter(name));
  }

  /** A report's parameters: range, zone, window and filters as far as it takes them, and what the view adds. */
  query(name, extra = {}) {
    const report = this.catalogue.get(name);
    const takes = new Set(report?.parameters.map((parameter) => parameter.name) ?? []);
    const parameters = new URLSearchParams();
    const base = { from: this.range.from, to: this.range.to, tz: this.zone, window: this.window, limit: SHOWN, ...extra };
    for (const [key, value] of Object.entries(base)) {
      if (value === null || value === undefined) continue;
      if (takes.has(key) || report?.filters.includes(key)) {
        for (const item of [value].flat()) parameters.append(key, item);
      }
    }
    const ignored = [];
    for (const [key, value] of this.filters) {
      if (key in extra) continue;
      if (report?.filters.includes(key)) parameters.append(key, value);
      else ignored.push(key);
    }
    // A file has as many rows as a report gives unless told otherwise.
    const saved = new URLSearchParams(parameters);
    saved.delete("limit");
    return { name, path: report?.href.slice(1) ?? `v1/reports/${name}`, parameters, saved, ignored };
  }

  /** The same of the range before, for what stands beside a figure; null where none is compared with. */
  queryBefore(name, extra = {}) {
    this.canCompare = true;
    if (!this.before) return null;
    const query = this.query(name, { ...extra, from: this.before.from, to: this.before.until });
    return Object.assign(query, { csv: false, isSecond: true, isBefore: true });
  }

  /** Two queries of what is compared at equal age: of this range and of the one before; nulls where nothing is old enough. */
  queriesAtEqualAge(name, extra = {}) {
    const before = this.queryBefore(name, extra);
    const ends = before && matureEnds(this.range, this.before, this.window);
    if (!ends) return [null, null];
    const now = Object.assign(this.query(name, { ...extra, to: ends[0] }), { csv: false, isSecond: true });
    before.parameters.set("to", ends[1]);
    return [now, before];
  }

  /** The answer to a query; two panels that ask the same are answered by one request. */
  run(query) {
    const key = `${query.path}?${query.parameters}`;
    // What failed is asked for again by whoever wants it next.
    if (this.failed.delete(key) || !this.answers.has(key)) {
      const signal = this.abort.signal;
      const answer = inTurn(query, signal, () => ask(query.path, { parameters: query.parameters, signal }));
      this.answers.set(key, answer);
      answer.catch(() => this.answers.get(key) === answer && this.failed.add(key));
    }
    return this.answers.get(key);
  }

  /** Of when the oldest of the figures are that stand on the page; null before there are any. */
  get asOf() {
    const known = this.panels.flatMap((panel) => panel.asOf);
    return known.length ? known.reduce((oldest, one) => (one.at < oldest.at ? one : oldest)) : null;
  }

  /** The filters that at least one of the view's reports takes. */
  get offered() {
    const taken = new Set(this.panels.flatMap((panel) => panel.queries).flatMap((query) => this.catalogue.get(query.name)?.filters ?? []));
    return this.dimensions.filter((name) => taken.has(name));
  }

  /** Whether any of the view's figures take a parameter. */
  asks(name) {
    return this.panels.some((panel) => panel.queries.some((query) => query.parameters.has(name)));
  }

  /** Rows of a report. */
  async rows(name, extra) {
    return (await this.run(this.query(name, extra))).rows;
  }

  /** Asks again what begins with a path, once something was changed there, and draws with it; all else is known. */
  async again(path) {
    const asked = [...this.answers.keys()].filter((key) => key.startsWith(path));
    for (const key of asked) this.answers.delete(key);
    if (asked.length) await Promise.all(this.panels.map((panel) => panel.load()));
  }

  /** Asks everything again. What is shown stays until the answer is there. */
  async refresh() {
    this.answers.clear();
    const results = await Promise.all(this.panels.map((panel) => panel.load()));
    return results.find((problem) => problem) ?? null;
  }
}
