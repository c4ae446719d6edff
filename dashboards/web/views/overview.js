// How notifications do as a whole, and whether the figures can be relied on.

import { t } from "../text/text.js";
import { activity } from "./activity.js";
import { age } from "./age.js";
import { changes } from "./changes.js";
import { funnel } from "./funnel.js";
import { headline } from "./headline.js";
import { engagementTrend, reachedTrend } from "./trends.js";

export const overview = {
  title: () => t("nav.overview"),
  about: () => t("overview.about"),
  panels: (context) => [headline(context), changes(context), reachedTrend(context), engagementTrend(context), funnel(context), age(context), activity(context)],
};
