-- What a rule judged in the eight weeks before a day, of every cell; `in_time` says whether at equal age.
CREATE OR REPLACE FUNCTION notilog.alert_figures(rule bigint, before date)
RETURNS TABLE (cell text, days_before integer, value double precision, volume bigint, devices bigint, in_time boolean, is_out boolean)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT f.cell::text, before - f.day, f.value, f.volume, f.devices, f.in_time, f.is_out
  FROM notilog.alert_figure f
  WHERE f.rule_id = rule AND f.day >= before - 56 AND f.day < before
  ORDER BY f.cell, f.day
$$;
