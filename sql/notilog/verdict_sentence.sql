-- The reason of a verdict's link, in words. What follows a colon in a reason comes from the event.
CREATE OR REPLACE FUNCTION notilog.verdict_sentence(link text, verdict text, reason text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN reason = 'add_error' OR reason LIKE 'add_error:%' THEN format('The system refused the request: %s.', d.detail)
    WHEN reason = 'rejected' OR reason LIKE 'rejected:%' THEN format('The provider refused the push: %s.', d.detail)
    ELSE coalesce((
      SELECT s.sentence
      FROM (VALUES
        ('requested', 'The app or a provider requested it.'),
        ('repeating_request', 'A repeating request fired.'),
        ('no_request', 'No request was recorded.'),
        ('local', 'It is not a push.'),
        ('accepted', 'The provider accepted the push.'),
        ('dead_token', 'The provider refused the push: the token was dead.'),
        ('no_answer', 'No answer from the provider was recorded.'),
        ('delivered', 'The device reported its delivery.'),
        ('token_ended', 'The token had ended before the push.'),
        ('token_superseded', 'The device had registered another token before the push.'),
        ('token_misdirected', 'The provider had said that the token belongs to another environment, topic or sender.'),
        ('token_registered', 'The token was registered and had not ended.'),
        ('token_not_registered', 'The request names a token that the device had never registered.'),
        ('token_not_named', 'A request names no token.'),
        ('proven_later', 'A later event proves it.'),
        ('not_alerting', 'It does not alert, so nothing is shown.'),
        ('withdrawn', 'The app withdrew the pending request.'),
        ('denied_since', 'The person had turned notifications off.'),
        ('not_determined', 'The person had not been asked for permission.'),
        ('everything_off', 'Permission was given, but alerts, sounds and badges were all off.'),
        ('no_settings', 'The device had not reported any settings.'),
        ('settings_absent', 'A setting that decides this is missing from the newest settings.'),
        ('scheduled_summary', 'The settings hold it for the scheduled summary.'),
        ('banner', 'The settings allow a banner.'),
        ('lock_screen_only', 'The settings allow the Lock Screen, but no banner.'),
        ('list_only', 'The settings allow only Notification Center.'),
        ('badge_or_sound_only', 'The settings allow only a badge or a sound.'),
        ('not_delivered', 'The service extension should have run, but did not.'),
        ('failed', 'It had already been refused.'),
        ('not_observable:no_extension', 'iOS reports no delivery without a service extension.'),
        ('presented', 'The device reported that it was shown.'),
        ('suppressed', 'The app suppressed it in the foreground, or its service extension filtered it.'),
        ('silent', 'In the foreground, the app used only a badge or a sound.'),
        ('not_observable:background', 'iOS reports presentations only while the app is in the foreground.'),
        ('opened', 'The person opened it.'),
        ('acted', 'The person used a button.'),
        ('replied', 'The person replied.'),
        ('dismissed', 'The person dismissed it.'),
        ('silence', 'No response was recorded.')
      ) AS s (code, sentence)
      WHERE s.code = reason), link || ': ' || verdict) END
  FROM (SELECT coalesce(nullif(substr(reason, strpos(reason || ':', ':') + 1), ''), 'unknown') AS detail) d
$$;
