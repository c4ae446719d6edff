// A part of a view that asks for its own figures, and says so when there are none, when they failed or when they are old.

import { Problem, ask } from "../data/api.js";
import { inTurn } from "../data/queue.js";
import { addDays, clockIn } from "../data/range.js";
import { session } from "../data/session.js";
import { reason, t } from "../text/text.js";
import { Breakdown } from "./breakdown.js";
import { areCurrent } from "./chart.js";
import { definitions } from "./definitions.js";
import { daysBefore, recordedQuery, unrecorded } from "./delta.js";
import { el, replace } from "./dom.js";
import { dimensionName, nothing } from "./filters.js";
import { watch } from "./watch.js";

let counter = 0;

/** What says that a panel is not drawn whole: why something is not there, or that it is still to come. */
const UNDONE = ":scope > .error, :scope > [data-late]";

/** Columns that say between which moments a row compares: they go on with the time. */
const MOVING = ["before_from", "before_to"];

/** What an answer says, whenever and for whichever moment it was asked. */
function saidBy(answer) {
  const { as_of, parameters, ...said } = answer ?? {};
  return said;
}

/** What a file is called: app, view, report, what it is of, and the days of its range. */
function fileName(context, query) {
  const { range } = context;
  const of = ["category", "campaign", "interval", "setting", "state", "action", "turned_off"].map((name) => query.parameters.get(name));
  const days = query.parameters.has("from") ? [range.from, "to", range.to ? addDays(range.to, -1) : range.today] : [];
  const parts = ["notilog", context.catalogue.app, context.view, query.name, ...of, ...days].filter(Boolean);
  return `${parts.map((part) => part.replaceAll(/[^\p{L}\p{N}.-]+/gu, "_")).join("-")}.csv`;
}

/** Gives a file to the browser's downloads. */
function save(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  // The browser has taken it by the next task, but older ones only begin to read then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export class Panel {
  /**
   * @param context where it is drawn
   * @param options title; about: a sentence on what the figures mean; compares: whether arrows compare them with the range before; queries: those to
   *   run, in order, null for one that is not asked, isBefore for one of the range before, which has no answer where that was not recorded, isLast for one that the panel is whole without; late: what is said until those are there; draw: nodes from their answers, null where there is nothing to show; unchanged: told the answers where they say what is drawn; early: draw before all answers are there,
   *   undefined for the others, once the first is known, or "any" of them; breakdown: of the panel's rate, as Breakdown takes it; isWatched:
   *   whether a rule can be made of it; wide: the whole width; empty: the text that says what is not there, where it is not notifications; missing: told whether what is asked for does not exist, instead of saying so in the panel
   */
  constructor(context, { title, about, compares = false, queries, late, draw, unchanged, missing, breakdown, early = false, isWatched = true, wide = false, empty }) {
    this.context = context;
    this.title = title;
    this.asked = queries;
    this.recorded = queries.some((query) => query?.isBefore) ? recordedQuery(context) : null;
    /** What the arrows compare with, or why there are none. */
    this.compared = compares && context.before ? el("p", { class: "about" }) : null;
    this.compare(null);
    this.breakdown = breakdown ? new Breakdown(context, { ...breakdown, drawn: () => this.define() }) : null;
    this.draw = draw;
    this.unchanged = unchanged;
    /** What the answers said that are drawn. */
    this.drawn = null;
    this.early = early;
    this.missing = missing;
    /** The time of the figures shown; none for timelines, which read the log itself and are always current. */
    this.asOf = [];
    this.empty = empty;
    this.lateWords = late;
    this.hasShown = false;
    /** Whether all that was asked for is shown. */
    this.isWhole = false;
    /** Answers to what comes last, by its place among the queries. */
    this.late = [];
    /** The number of requests; the newest one with figures, and the newest that failed; the number of drawings. */
    this.asking = this.known = this.failed = this.drawing = 0;
    const id = `panel-${(counter += 1)}`;
    this.body = el("div", { class: "panel-body" });
    this.words = el("div", { class: "panel-words" });
    const reports = [...new Set(this.queries.filter((query) => query.name).map((query) => query.name))].join(" ");
    this.node = el(
      "section",
      { class: `panel${wide ? " wide" : ""}`, "aria-labelledby": id, "aria-busy": "true", "data-reports": reports, tabindex: "-1" },
      el("header", { class: "panel-head" }, el("h2", { id }, title), el("div", { class: "panel-tools" }, this.breakdown?.control, this.tools(isWatched))),
      about ? el("p", { class: "about" }, about) : null,
      this.compared,
      this.ignored(),
      this.body,
      this.breakdown?.body,
      this.words,
    );
    this.body.append(el("div", { class: "skeleton", role: "status" }, t("state.loading")));
    context.panels.push(this);
  }

  /** What it asks, beside what the address may have it asked besides. */
  get queries() {
    return [...this.asked, this.breakdown?.query].filter(Boolean);
  }

  /** What keys of scope admin may do with the report that it begins with: watch it, and save it as a view. */
  tools(isWatched) {
    const query = this.asked.find((one) => one?.path.startsWith("v1/reports/") && one.csv !== false);
    if (!session.isAdmin || !query) return null;
    const open = async () => (await import("./saveview.js")).saveView(this.context, query, this.title);
    return [
      isWatched ? watch(this.context, { query, what: this.title }) : null,
      el("button", { type: "button", class: "quiet", name: "save", "aria-label": t("saved.save.of", { title: this.title }), onclick: open }, t("saved.save")),
    ];
  }

  /** Says which filters do not bear on these figures. */
  ignored() {
    const names = new Set(this.queries.flatMap((query) => query.ignored));
    if (!names.size) return null;
    const list = [...names].map(dimensionName).join(", ");
    return el("p", { class: "about warn" }, t("filter.ignored", { names: list }));
  }

  /** Says what the arrows compare with, or the reason why there are none. */
  compare(reason) {
    this.compared?.replaceChildren(reason ?? t("overview.compared", { days: daysBefore(this.context.before) }));
    this.compared?.classList.toggle("warn", Boolean(reason));
  }

  /** The answer to a query; null where it is of a range before that was not recorded. */
  async answer(query) {
    if (!query.isBefore) return this.context.run(query);
    const [answer, recorded] = await Promise.all([query, this.recorded].map((one) => this.context.run(one)));
    const reason = unrecorded(recorded, this.context);
    this.compare(reason);
    return reason ? null : answer;
  }

  async download(query) {
    try {
      // The file is wanted wherever somebody has gone meanwhile.
      const file = await inTurn(query, null, () => ask(query.path, { parameters: query.saved, accept: "text/csv" }));
      save(file, fileName(this.context, query));
    } catch (problem) {
      this.warn(problem);
    }
  }

  /** Asks and draws; resolves to the problem where there was one. */
  async load() {
    this.node.setAttribute("aria-busy", "true");
    // Queries that end now end where the others of the view do.
    for (const query of [...this.asked, this.recorded]) query?.renew?.();
    const turn = (this.asking += 1);
    try {
      const all = this.asked.map((query) => (query ? this.answer(query) : undefined));
      // Once the view is left, nobody waits for what is asked last.
      for (const one of all) one?.catch(() => {});
      const asked = all.map((one, index) => (this.asked[index]?.isLast ? undefined : one));
      const beside = this.breakdown?.load();
      // Where the figures fail, that is said; this waits for them.
      beside?.catch(() => {});
      if (this.early && !this.hasShown) this.follow(asked, turn);
      const [answers, missed] = await this.gather(asked);
      await this.show(answers.map((answer, index) => answer ?? this.late[index]), turn);
      if (this.asked.some((query) => query?.isLast)) {
        if (this.lateWords && !this.late.length) this.body.append(el("p", { class: "about", role: "status", "data-late": "" }, this.lateWords));
        this.wait(all, turn);
      }
      const problem = missed ?? (await beside?.then(() => null, (reason) => reason)) ?? null;
      if (this.context.abort.signal.aborted || turn < this.known) return null;
      if (problem && this.isWhole) throw problem;
      this.define();
      this.hasShown = true;
      this.isWhole = !problem;
      if (!this.isContinued) this.asOf = answers.map((answer) => answer?.as_of).filter(Boolean);
      this.node.classList.toggle("stale", turn < this.failed);
      this.missing?.(false);
      // What is there stays. Below it stands why the rest is missing.
      if (problem) this.body.append(this.failure(problem));
      return problem;
    } catch (problem) {
      // What was asked later is there already.
      if (this.context.abort.signal.aborted || turn < this.known) return null;
      if (!(problem instanceof Problem)) console.error(problem);
      if (problem.status === 404 && this.missing) {
        this.missing(true);
        return null;
      }
      this.failed = turn;
      this.warn(problem);
      return problem;
    } finally {
      if (turn === this.asking) this.node.setAttribute("aria-busy", "false");
    }
  }

  /** Draws what comes last, for which the panel does not wait, or says why it is not there. */
  async wait(all, turn) {
    const results = await Promise.allSettled(all);
    if (this.context.abort.signal.aborted || turn < this.asking) return;
    this.late = results.map((one, index) => (this.asked[index]?.isLast ? one.value : undefined));
    await this.show(results.map((one) => one.value), turn);
    const failed = results.find((one, index) => this.asked[index]?.isLast && one.status === "rejected");
    if (failed) this.body.append(this.failure(failed.reason));
  }

  /**
   * The answers, and why some are not there, where those that are can be drawn without them. Figures that are shown whole are
   * not replaced by a part.
   */
  async gather(asked) {
    if (!this.early || this.isWhole) return [await Promise.all(asked), null];
    const results = await Promise.allSettled(asked);
    const failed = results.filter((one) => one.status === "rejected").map((one) => one.reason);
    const isThere = results.map((one, index) => Boolean(asked[index]) && one.status === "fulfilled");
    const isEnough = this.early === "any" ? isThere.includes(true) : isThere[0];
    if (failed.length && (!isEnough || (this.missing && failed.some((one) => one.status === 404)))) throw failed[0];
    return [results.map((one) => one.value), failed[0] ?? null];
  }

  /**
   * Draws what is known, and the definitions; nothing older than what is shown, or overtaken by another drawing, nothing that is drawn
   * already, and nothing over a list that somebody has gone on in.
   */
  async show(answers, turn) {
    if (turn < this.known) return;
    this.known = turn;
    const drawing = (this.drawing += 1);
    if (this.isContinued) return;
    // What is hatched, or still to come, goes by the hour.
    const hour = clockIn(this.context.zone, this.context.now).split(":")[0];
    const said = JSON.stringify([hour, answers.map(saidBy)], (key, value) => (MOVING.includes(key) ? undefined : value));
    const isDrawn = said === this.drawn && !this.body.querySelector(UNDONE) && (await areCurrent(this.body));
    if (drawing !== this.drawing) return;
    if (isDrawn) {
      this.unchanged?.(...answers);
      return;
    }
    const drawn = await this.draw(...answers);
    if (drawing !== this.drawing) return;
    replace(this.body, drawn ?? el("p", { class: "empty" }, nothing(this.context, this.queries, this.empty)));
    this.drawn = said;
    this.define();
  }

  /** Whether somebody has gone on to further pages of a list. */
  get isContinued() {
    return Boolean(this.body.querySelector("[data-continued]"));
  }

  /** Says what the words mean that are there now. */
  define() {
    const list = definitions(this.node);
    if ((list?.textContent ?? "") !== this.words.textContent) replace(this.words, list);
  }

  /** Draws with each answer as it arrives; the caller, which waits for all, handles the last one and failures. */
  follow(asked, turn) {
    const known = [];
    const all = asked.filter(Boolean).length;
    asked.forEach((one, index) =>
      one?.then(
        (answer) => {
          known[index] = answer;
          const isLast = Object.keys(known).length === all;
          const isDue = known[0] || this.early === "any";
          if (isDue && !isLast && !this.hasShown && !this.context.abort.signal.aborted) return this.show(asked.map((_, index) => known[index]), turn);
        },
      ).catch(() => {}),
    );
  }

  /** Old figures stay, and are marked; without old figures the reason is shown. */
  warn(problem) {
    if (this.hasShown) {
      this.node.classList.add("stale");
      return;
    }
    replace(this.body, this.failure(problem));
  }

  /** Why there are no figures, and a way to ask again. */
  failure(problem) {
    return el(
      "div",
      { class: "error", role: "alert" },
      el("p", {}, t(problem.code === "unreachable" ? "state.unreachable" : "state.failed")),
      problem.code === "unreachable" ? null : el("p", { class: "detail" }, reason(problem)),
      el("button", { type: "button", onclick: () => this.load() }, t("state.retry")),
    );
  }
}
