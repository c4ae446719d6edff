-- How the settings in force let a notification reach a person, the first that applies; `settings` packed as in
-- reporting.settings_in_force. Unknown where a setting that decides is: each is asked only where those before it let it through.
CREATE OR REPLACE FUNCTION reporting.reach_class(settings integer, interruption_level text, to_dead_token boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN status IN (1, 2) THEN 'none'
    WHEN to_dead_token THEN 'dead_token'
    WHEN status = 0 THEN 'unknown'
    -- The scheduled summary takes what is neither critical nor time-sensitive with that setting on.
    WHEN interruption_level IS DISTINCT FROM 'critical' AND summary <> 2 AND summary <> 1
      AND NOT (coalesce(interruption_level = 'time_sensitive', false) AND sensitive = 3)
      THEN CASE
        WHEN summary = 0 OR (coalesce(interruption_level = 'time_sensitive', false) AND sensitive = 0) THEN 'unknown'
        ELSE 'summary_only' END
    WHEN style = 0 THEN 'unknown'
    WHEN style > 1 THEN 'banner'
    WHEN lock_screen = 0 THEN 'unknown'
    WHEN lock_screen = 3 THEN 'lock_screen_only'
    WHEN list = 0 THEN 'unknown'
    WHEN list = 3 THEN 'list_only'
    WHEN sound = 3 OR badge = 3 THEN 'badge_or_sound_only'
    WHEN sound = 0 OR badge = 0 THEN 'unknown'
    ELSE 'none' END
  FROM (
    SELECT settings & 7 AS status, (settings >> 3) & 3 AS style, (settings >> 5) & 3 AS lock_screen, (settings >> 7) & 3 AS list,
      (settings >> 9) & 3 AS sound, (settings >> 11) & 3 AS badge, (settings >> 13) & 3 AS sensitive, (settings >> 15) & 3 AS summary
  ) s
$$;
