-- Refuses a report's parameter. SQLSTATE RP400, the parameter's name as the detail, and a message that says what is
-- accepted. RP404 is an app that does not exist.
CREATE OR REPLACE FUNCTION reporting.invalid(parameter text, message text) RETURNS void
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'RP400', MESSAGE = message, DETAIL = parameter;
END $$;
