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
    /** What the time decided about how the view is drawn, by name: how, and what came of it. */
    this.decided = new Map();
    this.move();
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

  /** The moment that everything in the view is asked at: when it was drawn, or asked again. */
  get now() {
    return this.range.now;
  }

  /** Moves the range to now; false, with everything as it was, where the view would be drawn otherwise by now. */
  move() {
    const { range, before } = this;
    this.range = readRange(this.parameters);
    this.before = rangeBefore(this.range, this.against);
    if ([...this.decided.values()].every(([decide, was]) => decide() === was)) return true;
    Object.assign(this, { range, before });
    return false;
  }

  /** What the time decides about how the view is drawn. Where it decides otherwise later, the view is drawn anew. */
  byNow(name, decide) {
    if (!this.decided.has(name)) this.decided.set(name, [decide, decide()]);
    return this.decided.get(name)[1];
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

  /**
   * A report's parameters: range, zone, window and filters as far as it takes them, and what the view adds. `renew` makes them anew, by
   * the range as it is then.
   *
   * @param extra what the view adds, or a function that gives it; filed: what a file has instead, null for nothing: it has as many rows
   *   as a report gives unless told otherwise
   */
  query(name, extra = {}, filed = { limit: null }) {
    // Another day is other days of the range, in titles and controls too.
    this.byNow("the day", () => this.range.today);
    const report = this.catalogue.get(name);
    const known = new Set([...(report?.parameters.map((parameter) => parameter.name) ?? []), ...(report?.filters ?? [])]);
    const ignored = this.filters.map(([key]) => key).filter((key) => !(key in given(extra)) && !report?.filters.includes(key));
    const query = { name, path: report?.href.slice(1) ?? `v1/reports/${name}`, ignored };
    query.renew = () => {
      const own = given(extra);
      const parameters = new URLSearchParams();
      const base = { from: this.range.from, to: this.range.to, tz: this.zone, window: this.window, limit: SHOWN, ...own };
      for (const [key, value] of Object.entries(base)) if (known.has(key)) add(parameters, key, value);
      for (const [key, value] of this.filters) if (!(key in own) && report?.filters.includes(key)) add(parameters, key, value);
      const saved = new URLSearchParams(parameters);
      for (const [key, value] of Object.entries(filed)) {
        saved.delete(key);
        add(saved, key, value);
      }
      Object.assign(query, { parameters, saved });
    };
    query.renew();
    return query;
  }

  /** The same of the range before, up to where `end` says, for what stands beside a figure; null where none is compared with. */
  queryBefore(name, extra = {}, end = () => this.before.until) {
    this.canCompare = true;
    if (!this.before) return null;
    const query = this.query(name, () => ({ ...given(extra), from: this.before.from, to: end() }));
    return Object.assign(query, { csv: false, isSecond: true, isBefore: true });
  }

  /** Two queries of what is compared at equal age: of this range and of the one before; nulls where nothing is old enough. */
  queriesAtEqualAge(name, extra = {}) {
    this.canCompare = true;
    const ends = () => matureEnds(this.range, this.before, this.window);
    if (!this.byNow("what is old enough", () => Boolean(ends()))) return [null, null];
    const now = Object.assign(this.query(name, () => ({ ...given(extra), to: ends()[0] })), { csv: false, isSecond: true });
    return [now, this.queryBefore(name, extra, () => ends()[1])];
  }

  /** The answer to a query; two panels that ask the same are answered by one request. */
  run(query) {
    const { path, parameters } = query;
    const key = `${path}?${parameters}`;
    // What failed is asked for again by whoever wants it next.
    if (this.failed.delete(key) || !this.answers.has(key)) {
      const signal = this.abort.signal;
      const answer = inTurn(query, signal, () => ask(path, { parameters, signal }));
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

  /** Asks whatever the panels ask; resolves to the problem where there was one, first that nobody answers. */
  async load() {
    const problems = (await Promise.all(this.panels.map((panel) => panel.load()))).filter(Boolean);
    return problems.find((problem) => problem.passes) ?? problems[0] ?? null;
  }

  /**
   * Asks everything again, of now; undefined, with nothing asked, where the view has to be drawn anew. What is shown stays until the
   * answer is there.
   */
  async refresh() {
    if (!this.move()) return undefined;
    this.answers.clear();
    this.failed.clear();
    return this.load();
  }
}

/** What a view adds to a query, which it may give only when it is asked. */
function given(extra) {
  return typeof extra === "function" ? extra() : extra;
}

/** Adds a parameter, as often as it has values. */
function add(parameters, key, value) {
  for (const item of [value ?? []].flat()) parameters.append(key, item);
}
