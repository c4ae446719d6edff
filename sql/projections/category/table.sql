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

-- The buttons of the registered categories, by app version.
CREATE OR REPLACE VIEW category_action AS
SELECT c.app_id, c.app_version, c.category_id, a.action->>'id' AS action_id, a.ordinal::integer AS place,
  a.action->>'title' AS title,
  coalesce(a.action->>'type' = 'text_input', false) AS text_input,
  coalesce(a.action->'options' ? 'foreground', false) AS foreground,
  coalesce(a.action->'options' ? 'authentication_required', false) AS authentication_required,
  coalesce(a.action->'options' ? 'destructive', false) AS destructive
FROM category c, jsonb_array_elements(c.definition->'actions') WITH ORDINALITY AS a (action, ordinal);
