-- Gives an IANA time zone back; refuses what is none. PostgreSQL alone would also take abbreviations, whose meaning
-- depends on its settings, and POSIX rules, where any misspelt name with a digit is a zone of its own.
CREATE OR REPLACE FUNCTION reporting.time_zone(tz text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF tz IN ('UTC', 'GMT') THEN
    RETURN tz;
  END IF;
  IF tz ~ '^Etc/(UTC|UCT|GMT|Universal|Greenwich|Zulu|GMT0|GMT[+]([0-9]|1[0-2])|GMT-([0-9]|1[0-4]))$' OR tz ~ '^(?!Etc/)[A-Z][A-Za-z_]+(/[A-Za-z_-]+)+$'
    -- Names of one word that are no abbreviations.
    OR tz = ANY ('{CST6CDT,Cuba,EST5EDT,Egypt,Eire,GB,GB-Eire,GMT0,GMT+0,GMT-0,Greenwich,Hongkong,Iceland,Iran,Israel,Jamaica,Japan,Kwajalein,Libya,MST7MDT,NZ,NZ-CHAT,Navajo,PRC,PST8PDT,Poland,Portugal,ROC,ROK,Singapore,Turkey,UCT,Universal,W-SU,Zulu}'::text[])
  THEN
    BEGIN
      PERFORM now() AT TIME ZONE tz;
      RETURN tz;
    EXCEPTION WHEN invalid_parameter_value THEN
      NULL;
    END;
  END IF;
  -- Names of the database of time zones too, but AT TIME ZONE looks among the abbreviations first, and they know no summer time.
  IF tz IN ('CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET') THEN
    PERFORM reporting.invalid('tz', format(
      'tz is "%s", which is an abbreviation to PostgreSQL, with the same offset all year; accepted: UTC, or an IANA name of a place, such as Europe/Brussels',
      tz));
  END IF;
  PERFORM reporting.invalid('tz', format('tz is %s, which is not a time zone; accepted: UTC, or an IANA name such as Europe/Berlin; not an abbreviation',
    coalesce('"' || tz || '"', 'null')));
END $$;
