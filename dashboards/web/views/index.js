// Every view by its name in the address.

import { category } from "./category.js";
import { categories } from "./categories.js";
import { device } from "./device.js";
import { experiments } from "./experiments.js";
import { extensions } from "./extensions.js";
import { lookup } from "./lookup.js";
import { notification } from "./notification.js";
import { optOuts } from "./optouts.js";
import { overview } from "./overview.js";
import { provider } from "./provider.js";
import { settings } from "./settings.js";
import { tokens } from "./tokens.js";

/**
 * A view: title, about: a sentence below it; panels: nodes; under: the menu's item it belongs to; isTimeless: whether
 * range and filters mean nothing to it.
 */
export const VIEWS = {
  overview, categories, category, experiments, settings, optouts: optOuts, tokens, provider, extensions, lookup,
  notification, device,
};

/** Those in the menu. */
export const MENU = ["overview", "categories", "experiments", "settings", "optouts", "tokens", "provider", "extensions", "lookup"];
