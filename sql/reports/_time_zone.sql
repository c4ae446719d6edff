-- Gives an IANA time zone back; refuses what is none. PostgreSQL alone would also take abbreviations, whose meaning
-- depends on its settings, and POSIX rules, where any misspelt name with a digit is a zone of its own.
CREATE OR REPLACE FUNCTION reporting.time_zone(tz text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF tz IN ('UTC', 'GMT') THEN
    RETURN tz;
  END IF;
  IF tz ~ '^(Etc/[A-Za-z]+([+-][0-9]{1,2})?|[A-Z][A-Za-z_]+(/[A-Za-z_-]+)+)$' THEN
    BEGIN
      PERFORM now() AT TIME ZONE tz;
      RETURN tz;
    EXCEPTION WHEN invalid_parameter_value THEN
      NULL;
    END;
  END IF;
  PERFORM reporting.invalid('tz', format('tz is %s, which is not a time zone; accepted: UTC, or an IANA name such as Europe/Berlin',
    coalesce('"' || tz || '"', 'null')));
END $$;
