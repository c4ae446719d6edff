// Few reports at a time, the quick ones first: asked for all at once, they would all be as late as the last. One that takes
// longer than a view's others together begins at once, beside them: begun after them, it would end as much later.

/** As many as the service makes for one key at a time. */
const AT_ONCE = 2;

/** Those that look at the most events or notifications come after all others that a view begins with. */
const LATE = ["funnel", "activity"];

/** Those that take longer than others, of which one at a time has the place beside the quick ones. */
const LONG = ["instrumentation", "outcomes"];

const waiting = [];
const running = [];

/** Does `work` when its turn comes; where there is a `signal` that was aborted by then, it fails as that says. */
export function inTurn({ name, isSecond = false, isLast = false }, signal, work) {
  return new Promise((resolve, reject) => {
    // What a figure is compared with comes after the figures, and what nobody waits for after all.
    const rank = isLast ? LATE.length + 2 : isSecond ? LATE.length + 1 : 1 + LATE.indexOf(name);
    const index = waiting.findIndex((other) => other.rank > rank);
    waiting.splice(index < 0 ? waiting.length : index, 0, { name, rank, signal, work, resolve, reject });
    // A caller queues several requests: they are ordered first.
    queueMicrotask(next);
  });
}

function next() {
  while (running.length < AT_ONCE && waiting.length) {
    const { name, signal, work, resolve, reject } = waiting.splice(following(), 1)[0];
    if (signal?.aborted) {
      reject(signal.reason);
      continue;
    }
    running.push(name);
    work().then(resolve, reject).finally(() => {
      running.splice(running.indexOf(name), 1);
      next();
    });
  }
}

/** The place of the one whose turn is next: beside a quick one a long one that is waited for, and beside a long one a quick one. */
function following() {
  if (running.some((name) => LONG.includes(name))) {
    const quick = waiting.findIndex((one) => !LONG.includes(one.name));
    return Math.max(quick, 0);
  }
  const isLast = LATE.length + 2;
  const long = running.length ? waiting.findIndex((one) => LONG.includes(one.name) && one.rank < isLast) : -1;
  return Math.max(long, 0);
}
