// The address holds the state of the page, after its `#`: a link shows the same, and because browsers do not send that part,
// device ids in it reach no server's log.

/** What every view has in common; the rest of the parameters belong to one view. */
export const SHARED = ["last", "from", "to", "tz", "interval", "window", "against"];

let dimensions = [];

/** Takes the dimensions of notifications, as the service names them: the parameters that every view keeps as filters. */
export function setDimensions(names) {
  dimensions = names;
}

/** Whether a name is that of a dimension: of every app, or of the app's own. */
export const isFilter = (name) => dimensions.includes(name) || name.startsWith(OWN);

/** What names of the app's own dimensions begin with, and how reports say that they take them. */
export const OWN = "attribute.";
export const ANY_OWN = "attribute.KEY";

const DEFAULTS = { last: "30d" };

/** The view and its parameters. */
export function current() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { view: path || "overview", parameters: new URLSearchParams(query) };
}

/** Adds missing parameters to the address, so that a link means the same wherever it is opened. */
export function applyDefaults() {
  const { view, parameters } = current();
  if (!parameters.has("last") && !parameters.has("from")) parameters.set("last", DEFAULTS.last);
  if (!parameters.has("tz")) parameters.set("tz", Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");
  replace(view, parameters);
}

/** The address of a view, with the range and filters of now and with changes: null takes a parameter out. */
export function link(view, changes = {}) {
  const now = current();
  const parameters = new URLSearchParams();
  for (const [name, value] of now.parameters) {
    const stays = view === now.view || SHARED.includes(name) || isFilter(name);
    // The page of a category or a campaign is of that alone; the others are not.
    const leaves = name === now.view && view !== now.view;
    if (stays && !leaves && !(name in changes)) parameters.append(name, value);
  }
  for (const [name, value] of Object.entries(changes)) {
    for (const item of [value].flat()) if (item !== null && item !== undefined) parameters.append(name, item);
  }
  return address(view, parameters);
}

/** Goes to a view, or changes this one. */
export function go(changes, view = current().view) {
  location.hash = link(view, changes);
}

/** Changes the address without drawing anything again, as for a table's order. */
export function note(changes) {
  history.replaceState(null, "", link(current().view, changes));
}

/** Whether the address names the one that a view is of, such as a campaign. Of several names the first stays. */
export function namesOne(name) {
  const { view, parameters } = current();
  const [first, ...others] = parameters.getAll(name);
  if (others.length) {
    parameters.set(name, first);
    replace(view, parameters);
  }
  return first !== undefined;
}

/** Shows another view in place of this one, with its range and filters. */
export function leadTo(view) {
  history.replaceState(null, "", link(view));
}

function replace(view, parameters) {
  history.replaceState(null, "", address(view, parameters));
}

function address(view, parameters) {
  const query = parameters.toString();
  return `#/${view}${query ? "?" + query : ""}`;
}
