-- The categories that apps registered, by app version. A function of: the newest category_registration, in the tie
-- order, that names the category, per app version ('' where the registration did not say).
CREATE TABLE IF NOT EXISTS category (
  app_id         integer          NOT NULL,
  app_version    text COLLATE "C" NOT NULL,
  category_id    text COLLATE "C" NOT NULL,
  registered_at  timestamptz      NOT NULL,
  device_id      text COLLATE "C" NOT NULL,   -- of the registration, for the tie order
  id             uuid             NOT NULL,
  first_at       timestamptz      NOT NULL,   -- the earliest registration
  custom_dismiss boolean          NOT NULL,   -- UNNotificationCategoryOptions.customDismissAction
  definition     jsonb            NOT NULL,
  PRIMARY KEY (app_id, category_id, app_version)
);

-- How many app versions registered each category, and each button of one, and with which behaviour: a version that never
-- registered a category has what any did.
CREATE TABLE IF NOT EXISTS category_versions (
  app_id         integer          NOT NULL,
  category_id    text COLLATE "C" NOT NULL,
  action_id      text COLLATE "C" NOT NULL,   -- '' of the category itself
  versions       bigint           NOT NULL,   -- that registered it
  custom_dismiss bigint           NOT NULL,   -- of them with custom_dismiss_action
  text_input     bigint           NOT NULL,   -- of them with a text input of this button
  foreground     bigint           NOT NULL,   -- of them with this button opening the app
  lane           smallint         NOT NULL DEFAULT 0,   -- that counted them: each lane counts all
  PRIMARY KEY (app_id, category_id, action_id, lane)
) WITH (fillfactor = 80);

-- The same as the lanes beyond the first know it: each lane reads every registration, and applies it when it comes to it.
CREATE TABLE IF NOT EXISTS lane_category (
  app_id         integer          NOT NULL,
  app_version    text COLLATE "C" NOT NULL,
  category_id    text COLLATE "C" NOT NULL,
  registered_at  timestamptz      NOT NULL,
  device_id      text COLLATE "C" NOT NULL,
  id             uuid             NOT NULL,
  first_at       timestamptz      NOT NULL,
  custom_dismiss boolean          NOT NULL,   -- UNNotificationCategoryOptions.customDismissAction
  definition     jsonb            NOT NULL,
  lane           smallint         NOT NULL,
  PRIMARY KEY (app_id, category_id, app_version, lane)
);

-- What is left to do where a category's behaviour changed: the notifications of an app are gone through in the order of
-- their keys, a slice a batch, and those of the categories that changed are derived anew. Empty when all is done. A walk
-- looks for the changes that were there as it began; those that come meanwhile wait for the next one, together. Each lane goes
-- through them on its own, for the notifications of its devices.
CREATE TABLE IF NOT EXISTS category_walk (
  app_id          integer          NOT NULL,
  number          integer          NOT NULL,   -- of the walk under way
  after_position  bigint           NOT NULL,   -- in the log: the changes it is for came later
  next_after      bigint,                      -- the same of the changes that wait for the next walk; null where none does
  turn            bigint           NOT NULL,   -- apps take turns: the least goes first
  device_id       text COLLATE "C" NOT NULL,   -- the last notification gone through; '' where none was
  notification_id text COLLATE "C" NOT NULL,   -- of the same
  occurrence      timestamptz      NOT NULL,   -- of the same
  is_surrogate    boolean          NOT NULL,   -- whether device_id was one when it was written: an erasure sets it elsewhere
  lane            smallint         NOT NULL DEFAULT 0,
  PRIMARY KEY (app_id, lane)
);

-- The categories that a walk looks for.
CREATE TABLE IF NOT EXISTS category_change (
  app_id       integer          NOT NULL,
  category_id  text COLLATE "C" NOT NULL,
  number       integer          NOT NULL,   -- of the walk
  lane         smallint         NOT NULL DEFAULT 0,
  app_versions text[] COLLATE "C",          -- whose notifications the change bears on; null for those of every version
  others       boolean          NOT NULL DEFAULT false,   -- whether on those of versions that never registered it, too
  PRIMARY KEY (app_id, category_id, number, lane)
);

-- The buttons of the registered categories, by app version.
CREATE OR REPLACE VIEW category_action AS
SELECT c.app_id, c.app_version, c.category_id, a.action->>'id' AS action_id, a.ordinal::integer AS place,
  a.action->>'title' AS title,
  coalesce(a.action->>'type' = 'text_input', false) AS text_input,
  coalesce(a.action->'options' ? 'foreground', false) AS foreground,
  coalesce(a.action->'options' ? 'authentication_required', false) AS authentication_required,
  coalesce(a.action->'options' ? 'destructive', false) AS destructive
FROM category c, jsonb_array_elements(c.definition->'actions') WITH ORDINALITY AS a (action, ordinal);
