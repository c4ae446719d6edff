// Begins: words, key, then whatever the address says; and keeps what is shown up to date.

import { applyDefaults, current, leadTo, namesOne } from "../data/address.js";
import { Problem, check, reports } from "../data/api.js";
import { session } from "../data/session.js";
import { el } from "../parts/dom.js";
import { isolated, loadText, t } from "../text/text.js";
import { loadView } from "../views/index.js";
import { Context } from "./context.js";
import { Freshness } from "./freshness.js";
import { shell } from "./shell.js";
import { followLink, signIn } from "./signin.js";

const app = document.getElementById("app");
let page = null;
let context = null;
let shown = null;
/** Whether the address names a view that is not drawn yet; what is shown until then is of another address. */
let isDue = true;

const freshness = new Freshness(async () => {
  if (isDue) return start();
  const asked = context;
  const problem = await asked.refresh();
  if (problem === undefined) return drawAnew();
  if (asked === context && problem?.status === 401) enter(t("signin.refused"));
  return problem;
});

/** Draws the view as it is by now, such as of another day, once somebody answers: until then what is shown stays. */
async function drawAnew() {
  const asked = context;
  const problem = await check(session.key).then(() => null, (reason) => reason);
  if (asked !== context) return undefined;
  if (!problem) return draw();
  if (problem.status === 401) enter(t("signin.refused"));
  else for (const panel of asked.panels) panel.warn(problem);
  return problem;
}

/** Draws what the address names. What comes of it is reported there. */
async function start() {
  try {
    await reports();
  } catch (problem) {
    return failed(problem);
  }
  draw();
}

/** Without a catalogue or the view's file there is nothing to draw: a key that does not count is given up, anything else is waited for. */
function failed(problem) {
  // Somebody may have signed out meanwhile.
  if (!session.key) return;
  if (problem instanceof Problem && (problem.status === 401 || problem.status === 403)) {
    session.signOut();
    return enter(t("signin.refused"));
  }
  page ??= shell(leave);
  app.replaceChildren(page.node);
  freshness.mount(page.banner);
  freshness.report(problem, null);
}

function enter(message = null) {
  context?.abort.abort();
  [context, page, shown, isDue] = [null, null, null, true];
  freshness.stop();
  app.replaceChildren(signIn(begin, message));
  document.title = t("signin.title");
}

function leave() {
  session.signOut();
  enter();
}

function begin() {
  // The address may name another view by now.
  shown = null;
  return start();
}

async function draw() {
  // Nothing of what another key was shown stays.
  if (followLink()) return location.reload();
  if (!session.key) return enter();
  isDue = true;
  applyDefaults();
  const { view: name } = current();
  const hash = location.hash;
  let known;
  try {
    known = await Promise.all([loadView(name), reports()]);
  } catch (problem) {
    return failed(problem instanceof Problem ? problem : new Problem(0, "unreachable", String(problem)));
  }
  const [view, catalogue] = known;
  // Somebody may have gone on meanwhile.
  if (location.hash !== hash) return;
  // Without the name of the one that it is of, there are all of them to choose from.
  if (view.isOfOne && !namesOne(name)) {
    leadTo(view.under);
    return draw();
  }
  const address = current();
  context?.abort.abort();
  context = new Context(address, catalogue);
  isDue = false;
  if (!page) page = shell(leave);
  if (!page.node.isConnected) app.replaceChildren(page.node);
  freshness.mount(page.banner);
  const panels = view.panels(context);
  const answered = refresh();
  // What they ask for goes out before the page is drawn around them.
  await null;
  const heading = el("h1", { tabindex: "-1" }, view.title(context));
  const control = document.activeElement?.closest(".range") && document.activeElement.name;
  page.show(address.view, heading, view, context, panels);
  // Whoever chose something goes on from there.
  if (control && shown === address.view) document.querySelector(`.range [name="${control}"]`)?.focus();
  document.title = `${isolated(heading.textContent)} · ${catalogue.app} · Notilog`;
  if (shown !== null && shown !== address.view) {
    heading.focus();
    window.scrollTo(0, 0);
  }
  shown = address.view;
  await answered;
}

/** Whatever the view's panels asked for, and what came of it. */
async function refresh() {
  const asked = context;
  const problem = await asked.load();
  if (asked !== context) return;
  // For measurements with the browser's tools.
  performance.mark("complete");
  if (problem?.status === 401) return enter(t("signin.refused"));
  freshness.report(problem, asked);
}

followLink();
const words = loadText();
if (session.key) {
  // What the view needs comes while the words do; what fails here is asked for again, and said, where it is needed.
  reports().catch(() => {});
  loadView(current().view).catch(() => {});
}
await words;
addEventListener("hashchange", draw);
session.watch(enter);
// A link may have come while the words did.
if (followLink()) location.reload();
else if (session.key) await start();
else {
  enter();
  session.adopt(begin);
}
