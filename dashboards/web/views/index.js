// Every view by its name in the address, loaded when it is gone to.

/**
 * A view: title, about: a sentence below it; panels: nodes; under: the menu's item it belongs to; isTimeless: whether
 * range and filters mean nothing to it; isOfOne: whether it is of the one value of the dimension of its name.
 */
const VIEWS = {
  overview: () => import("./overview.js").then((file) => file.overview),
  campaigns: () => import("./campaigns.js").then((file) => file.campaigns),
  campaign: () => import("./campaign.js").then((file) => file.campaign),
  categories: () => import("./categories.js").then((file) => file.categories),
  category: () => import("./category.js").then((file) => file.category),
  experiments: () => import("./experiments.js").then((file) => file.experiments),
  outcomes: () => import("./outcomes.js").then((file) => file.outcomes),
  settings: () => import("./settings.js").then((file) => file.settings),
  optouts: () => import("./optouts.js").then((file) => file.optOuts),
  tokens: () => import("./tokens.js").then((file) => file.tokens),
  provider: () => import("./provider.js").then((file) => file.provider),
  extensions: () => import("./extensions.js").then((file) => file.extensions),
  alerts: () => import("./alerts.js").then((file) => file.alerts),
  saved: () => import("./saved.js").then((file) => file.saved),
  lookup: () => import("./lookup.js").then((file) => file.lookup),
  notifications: () => import("./notifications.js").then((file) => file.notifications),
  notification: () => import("./notification.js").then((file) => file.notification),
  device: () => import("./device.js").then((file) => file.device),
};

/** Those in the menu. */
export const MENU = ["overview", "campaigns", "categories", "experiments", "outcomes", "settings", "optouts", "tokens", "provider", "extensions", "alerts", "saved", "lookup"];

/** The view of a name; the first of the menu if there is none. */
export function loadView(name) {
  return (Object.hasOwn(VIEWS, name) ? VIEWS[name] : VIEWS[MENU[0]])();
}
