// A part of a view that asks for its own figures, and says so when there are none, when they failed or when they are old.

import { Problem, ask } from "../data/api.js";
import { addDays } from "../data/range.js";
import { t } from "../text/text.js";
import { el } from "./dom.js";
import { save } from "./save.js";

let counter = 0;

/** What a file is called: view, report, what it is of, and the days of its range. */
function fileName(context, query) {
  const { range } = context;
  const of = ["category", "interval", "setting", "state", "action", "turned_off"].map((name) => query.parameters.get(name));
  const days = query.parameters.has("from") ? [range.from, "to", range.to ? addDays(range.to, -1) : range.today] : [];
  const parts = ["notilog", context.view, query.name, ...of, ...days].filter(Boolean);
  return `${parts.map((part) => part.replaceAll(/[^\p{L}\p{N}.-]+/gu, "_")).join("-")}.csv`;
}

/** A report's name, with the interval where it has one: the same report may be asked both ways. */
function nameOf(query) {
  const interval = query.parameters.get("interval");
  return interval ? `${query.name}, ${t(`per.${interval}`)}` : query.name;
}

export class Panel {
  /**
   * @param context where it is drawn
   * @param options title; about: a sentence on what the figures mean; queries: those to run, in order;
   *   draw: nodes from their answers, null where there is nothing to show; early: draw with the answers that are
   *   there, undefined for the others, before all are; wide: the whole width; missing: told whether what is asked for
   *   does not exist, instead of saying so in the panel
   */
  constructor(context, { title, about, queries, draw, missing, early = false, wide = false, empty = "state.empty", tools = [] }) {
    this.context = context;
    this.queries = queries;
    this.draw = draw;
    this.early = early;
    this.missing = missing;
    /** Of when what is shown is; none for timelines, which are of the log itself, and so of now. */
    this.asOf = [];
    this.empty = empty;
    this.hasShown = false;
    const id = `panel-${(counter += 1)}`;
    this.body = el("div", { class: "panel-body" });
    this.tools = el("div", { class: "panel-tools" }, tools, this.downloads(title));
    this.node = el(
      "section",
      { class: `panel${wide ? " wide" : ""}`, "aria-labelledby": id, "aria-busy": "true" },
      el("header", { class: "panel-head" }, el("h2", { id }, title), this.tools),
      about ? el("p", { class: "about" }, about) : null,
      this.ignored(),
      this.body,
    );
    this.body.append(el("div", { class: "skeleton", role: "status" }, t("state.loading")));
    context.panels.push(this);
  }

  /** Says which filters do not bear on these figures. */
  ignored() {
    const names = new Set(this.queries.flatMap((query) => query.ignored));
    if (!names.size) return null;
    const list = [...names].map((name) => t(`filter.${name}`)).join(", ");
    return el("p", { class: "about warn" }, t("filter.ignored", { names: list }));
  }

  downloads(title) {
    const reports = [...new Map(this.queries.filter((query) => query.csv !== false).map((query) => [String(query.name + query.parameters), query])).values()];
    return reports.map((query) =>
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          "data-csv": query.name,
          "aria-label": t("csv.label", { title, report: query.name }),
          title: t("csv.label", { title, report: query.name }),
          onclick: () => this.download(query),
        },
        reports.length > 1 ? `CSV: ${nameOf(query)}` : "CSV",
      ),
    );
  }

  async download(query) {
    try {
      save(await ask(query.path, { parameters: query.saved, accept: "text/csv" }), fileName(this.context, query));
    } catch (problem) {
      this.warn(problem);
    }
  }

  /** Asks and draws; resolves to the problem where there was one. */
  async load() {
    this.node.setAttribute("aria-busy", "true");
    try {
      const asked = this.queries.map((query) => this.context.run(query));
      if (this.early && !this.hasShown) this.follow(asked);
      const answers = await Promise.all(asked);
      const drawn = await this.draw(...answers);
      this.body.replaceChildren(...[drawn ?? el("p", { class: "empty" }, t(this.empty))].flat(Infinity).filter(Boolean));
      this.hasShown = true;
      this.asOf = answers.map((answer) => answer.as_of).filter(Boolean);
      this.node.classList.remove("stale");
      this.missing?.(false);
      return null;
    } catch (problem) {
      if (this.context.abort.signal.aborted) return null;
      if (!(problem instanceof Problem)) console.error(problem);
      if (problem.status === 404 && this.missing) {
        this.missing(true);
        return null;
      }
      this.warn(problem);
      return problem;
    } finally {
      this.node.setAttribute("aria-busy", "false");
    }
  }

  /** Draws with each answer as it arrives; the caller, which waits for all, handles the last one and failures. */
  follow(asked) {
    const known = [];
    asked.forEach((one, index) =>
      one.then(
        (answer) => {
          known[index] = answer;
          const isLast = Object.keys(known).length === asked.length;
          if (!isLast && !this.hasShown && !this.context.abort.signal.aborted) this.body.replaceChildren(this.draw(...asked.map((_, index) => known[index])));
        },
        () => {},
      ),
    );
  }

  /** Old figures stay, and are marked; without old figures the reason is shown. */
  warn(problem) {
    if (this.hasShown) {
      this.node.classList.add("stale");
      return;
    }
    this.body.replaceChildren(
      el(
        "div",
        { class: "error", role: "alert" },
        el("p", {}, t(problem.code === "unreachable" ? "state.unreachable" : "state.failed")),
        problem.code === "unreachable" ? null : el("p", { class: "detail" }, problem.message),
        el("button", { type: "button", onclick: () => this.load() }, t("state.retry")),
      ),
    );
  }
}
