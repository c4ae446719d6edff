-- What became of a notification and why, one row a link of the chain: requested, provider, token, settings, delivery,
-- presentation, response. Of several firings of a repeating request the newest, unless `firing` names the occurrence of one; no
-- row where the app has no such notification. Evidence is a list of positions (readable.event has the events) and of periods. It
-- reads with its caller's privileges, so that row security applies.
CREATE OR REPLACE FUNCTION readable.why(app text, device text, notification text, firing timestamptz DEFAULT NULL)
RETURNS TABLE (occurrence timestamptz, link text, verdict text, reason text, sentence text, at timestamptz, evidence jsonb)
LANGUAGE sql STABLE AS $$
  SELECT v.occurrence, v.link, v.verdict, v.reason, notilog.verdict_sentence(v.link, v.verdict, v.reason), v.at, v.evidence
  FROM notilog.verdict(reporting.app_id(app), device, notification, firing) v
$$;
