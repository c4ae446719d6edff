-- The buttons of categories, each as the newest registration that has it: what the report actions says of them.
--
-- `registered_at` and `id` are those of the registration: of several cells' rows, the newest stands. A button with the id `default` is
-- none of them: its presses are no other than taps on the notification.
CREATE OR REPLACE FUNCTION reporting.actions_button_counts(app_number integer, filters jsonb)
RETURNS TABLE (
  category text, action text, place integer, text_input boolean, foreground boolean, authentication_required boolean,
  destructive boolean, registered_at timestamptz, id uuid)
LANGUAGE sql STABLE ROWS 100 SET jit = off AS $$
  SELECT DISTINCT ON (a.category_id, a.action_id) a.category_id, a.action_id, a.place, a.text_input, a.foreground,
    a.authentication_required, a.destructive, c.registered_at, c.id
  FROM projection.category_action a
  JOIN projection.category c USING (app_id, category_id, app_version)
  WHERE app_id = app_number AND a.action_id <> 'default' AND reporting.matches(a.category_id, filters, 'category')
  ORDER BY a.category_id, a.action_id, c.registered_at DESC, c.device_id DESC, c.id DESC, a.place
$$;
