// Few reports at a time, the quick ones first: asked for all at once, they would all be as late as the last.

/** As many as the service makes for one key at a time. */
const AT_ONCE = 2;

/** Those that look at the most events or notifications come after all others that a view begins with. */
const LATE = ["funnel", "activity"];

const waiting = [];
let running = 0;

/** Does `work` when its turn comes; where `signal` was aborted by then, it fails as that says. */
export function inTurn({ name, isSecond = false, isLast = false }, signal, work) {
  return new Promise((resolve, reject) => {
    // What a figure is compared with comes after the figures, and what nobody waits for after all.
    const rank = isLast ? LATE.length + 2 : isSecond ? LATE.length + 1 : 1 + LATE.indexOf(name);
    const index = waiting.findIndex((other) => other.rank > rank);
    waiting.splice(index < 0 ? waiting.length : index, 0, { rank, signal, work, resolve, reject });
    // A caller queues several requests: they are ordered first.
    queueMicrotask(next);
  });
}

function next() {
  while (running < AT_ONCE && waiting.length) {
    const { signal, work, resolve, reject } = waiting.shift();
    if (signal.aborted) {
      reject(signal.reason);
      continue;
    }
    running += 1;
    work().then(resolve, reject).finally(() => {
      running -= 1;
      next();
    });
  }
}
