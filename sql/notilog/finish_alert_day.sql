-- Writes what a rule judged of a day, in one transaction: its figures, the alerts of cells that had none, what is to be delivered
-- of these, and the end of alerts whose cells are as they should be. Returns whether it did: not where another service judged the
-- day before, the rule is gone, or another store has taken over.
--
--   cells     of each its key `cell`, value, volume, devices, is_judged, is_out and evidence
--   opening   a message but for its alerts, which are known here: the first 20 of them, and their number
--   opened    the rule's alerts that were open before it was read what is usual: a cell whose alert was resolved by hand since then
--             was judged by what no longer counts, and passes for not judged
CREATE OR REPLACE FUNCTION notilog.finish_alert_day(rule bigint, judged date, is_in_time boolean, at_position bigint, cells jsonb,
  opening jsonb, opened bigint[] DEFAULT '{}')
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  most_listed constant integer := 20;
  this     notilog.alert_rule;
  resolved jsonb[];
  raised   jsonb;
  total    bigint;
BEGIN
  SELECT * INTO this FROM notilog.alert_rule r WHERE r.rule_id = rule AND r.next_day = judged FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  -- Under the lock of the epoch: who takes over has waited for it before the rule is read there, to judge the same day.
  IF (log.enter_epoch()).closed THEN
    RETURN false;
  END IF;
  -- From here on nobody resolves one: that takes the rule's row, too.
  resolved := ARRAY(SELECT a.cell FROM notilog.alert a WHERE a.alert_id = ANY (opened) AND a.resolved_at IS NOT NULL);
  DELETE FROM notilog.alert_figure f WHERE f.rule_id = rule AND f.day < judged - 56;
  INSERT INTO notilog.alert_figure (rule_id, app_id, cell, day, value, volume, devices, in_time, is_out)
  SELECT rule, this.app_id, g.cell, judged, g.value, g.volume, g.devices, is_in_time, g.is_out AND g.cell <> ALL (resolved)
  FROM jsonb_to_recordset(cells) AS g (cell jsonb, value double precision, volume bigint, devices bigint, is_out boolean);
  -- What is over belongs to what days are like, so that a day that is rare, as that of a campaign, is not out for ever.
  WITH over AS (
    UPDATE notilog.alert a SET resolved_at = now()
    FROM jsonb_to_recordset(cells) AS g (cell jsonb, is_judged boolean, is_out boolean)
    WHERE a.rule_id = rule AND a.resolved_at IS NULL AND a.cell = g.cell AND g.is_judged AND NOT g.is_out
    RETURNING a.cell, a.day
  )
  UPDATE notilog.alert_figure f SET is_out = false
  FROM over o
  WHERE f.rule_id = rule AND f.cell = o.cell AND f.day >= o.day AND f.is_out;
  WITH added AS (
    INSERT INTO notilog.alert (rule_id, app_id, cell, day, figures, position)
    SELECT rule, this.app_id, g.cell, judged, g.evidence, at_position
    FROM ROWS FROM (jsonb_to_recordset(cells) AS (cell jsonb, evidence jsonb, is_out boolean)) WITH ORDINALITY
      AS g (cell, evidence, is_out, ordinal)
    WHERE g.is_out AND g.cell <> ALL (resolved)
    ORDER BY ordinal
    ON CONFLICT (rule_id, cell) WHERE resolved_at IS NULL DO NOTHING
    RETURNING alert_id, notilog.alert.cell, notilog.alert.figures
  )
  SELECT count(*), jsonb_agg(jsonb_build_object('id', alert_id, 'cell', cell) || added.figures ORDER BY alert_id)
    FILTER (WHERE ordinal <= most_listed)
  INTO total, raised
  FROM (SELECT *, row_number() OVER (ORDER BY alert_id) AS ordinal FROM added) added;
  IF total > 0 THEN
    INSERT INTO notilog.delivery (rule_id, app_id, day, receiver, message)
    SELECT rule, this.app_id, judged, receiver, opening || jsonb_build_object('alerts_total', total, 'alerts', raised)
    FROM unnest(this.receivers) AS receiver
    ON CONFLICT DO NOTHING;
  END IF;
  UPDATE notilog.alert_rule r
  SET next_day = judged + 1, due_at = notilog.alert_due(judged + 1, r.tz, r.wait), judged_at = now(), last_error = NULL
  WHERE r.rule_id = rule;
  RETURN true;
END $$;
