-- Gives the value back where it is one of those accepted; else refuses the parameter.
CREATE OR REPLACE FUNCTION reporting.choice(parameter text, value text, accepted text[]) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF value IS NULL OR value <> ALL (accepted) THEN
    PERFORM reporting.invalid(parameter,
      format('%s is %s; accepted: %s', parameter, coalesce('"' || value || '"', 'null'), array_to_string(accepted, ', ')));
  END IF;
  RETURN value;
END $$;
