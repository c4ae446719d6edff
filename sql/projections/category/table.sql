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

-- What is left to do where a category's behaviour changed: the notifications of an app are gone through in the order of
-- their keys, a slice a batch, and those of the categories that changed are derived anew. Empty when all is done. A walk
-- looks for the changes that were there as it began; those that come meanwhile wait for the next one, together.
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
  PRIMARY KEY (app_id)
);

-- The categories that a walk looks for.
CREATE TABLE IF NOT EXISTS category_change (
  app_id      integer          NOT NULL,
  category_id text COLLATE "C" NOT NULL,
  number      integer          NOT NULL,   -- of the walk
  PRIMARY KEY (app_id, category_id, number)
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
