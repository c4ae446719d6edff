// How old the figures are, and whether the service answers: asks again every minute, and, where it is away, after ever longer
// pauses until it is back. While nobody looks, nothing is asked; once somebody does, what is due is asked at once.

import { dateIn } from "../data/range.js";
import { el, replace } from "../parts/dom.js";
import { duration, time } from "../text/format.js";
import { t } from "../text/text.js";

const USUAL = 60_000;
const PAUSES = [1_000, 2_000, 5_000, 10_000, 30_000];

/** A time of today as the clock says it, another one with its date. */
function moment(at, zone) {
  return time(at, zone, dateIn(zone, Date.parse(at)) === dateIn(zone) ? "clock" : "full");
}

export class Freshness {
  constructor(refresh) {
    this.refresh = refresh;
    this.failures = 0;
    this.timer = null;
    this.context = null;
    this.banner = null;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.isDue()) this.again();
    });
  }

  /** Where it says so. */
  mount(banner) {
    this.banner = banner;
  }

  /** What is being asked still is nobody's any more. */
  stop() {
    clearTimeout(this.timer);
    [this.timer, this.context, this.failures] = [null, null, 0];
  }

  isDue() {
    return this.failures > 0 || (this.context && Date.now() - this.at > USUAL);
  }

  /** Takes what came of asking: a problem or none. Panels of a new context say themselves why they have no figures. */
  report(problem, context) {
    const isFirst = Boolean(context);
    this.context = context ?? this.context;
    this.at = Date.now();
    const isAway = Boolean(problem?.passes);
    if (isAway) this.failures += 1;
    else this.failures = 0;
    this.show(isAway || !isFirst ? problem : null);
    this.arm(isAway ? PAUSES[Math.min(this.failures, PAUSES.length) - 1] : USUAL);
  }

  /** Asks again later, if somebody looks then. */
  arm(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (document.hidden ? this.arm(USUAL) : this.again()), pause);
  }

  async again() {
    clearTimeout(this.timer);
    const context = this.context;
    const problem = await this.refresh();
    // Where a view had to be drawn, or there is a new one by now, that has been reported already.
    if (problem !== undefined && context && context === this.context) this.report(problem, null);
  }

  show(problem) {
    if (!this.banner) return;
    if (problem) {
      const known = this.context?.asOf;
      this.banner.className = "banner away";
      replace(
        this.banner,
        el("strong", {}, t(problem.passes ? "state.away" : "state.failed")),
        el("span", {}, known ? t("state.stale", { time: moment(known.at, this.context.zone) }) : t("state.waiting")),
        el("button", { type: "button", onclick: () => this.again() }, t("state.retry")),
      );
    } else {
      const asOf = this.context?.asOf;
      const isBehind = asOf?.lag_seconds > 60;
      this.banner.className = `banner${isBehind ? " behind" : ""}`;
      if (!asOf) return replace(this.banner);
      const values = { time: moment(asOf.at, this.context.zone), lag: duration(asOf.lag_seconds) };
      const text = isBehind ? "state.behind" : asOf.lag_seconds < 1 ? "state.current" : "state.asof";
      replace(
        this.banner,
        el("span", {}, t(text, values)),
        el("button", { type: "button", class: "quiet", name: "refresh", onclick: () => this.again() }, t("state.refresh")),
      );
    }
  }
}
