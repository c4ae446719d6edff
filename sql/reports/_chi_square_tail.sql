-- The probability that a chi-square variable with so many degrees of freedom exceeds `x`: Q(a, z), the upper regularised
-- incomplete gamma function, at a = degrees / 2 and z = x / 2. With one degree and a square of z it is the two-sided p
-- value of a standard normal z.
-- Source: NIST Digital Library of Mathematical Functions, 8.7.1 (the series, for small z) and 8.9.2 (the continued
-- fraction, for large z, evaluated from the front).
CREATE OR REPLACE FUNCTION reporting.chi_square_tail(x double precision, degrees integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  a         constant double precision := degrees / 2.0;
  z         constant double precision := x / 2;
  log_gamma double precision := CASE WHEN degrees % 2 = 0 THEN 0 ELSE ln(pi()) / 2 END;   -- of 1, or of one half
  log_front double precision;   -- of z^a e^-z / gamma(a)
  term      double precision;
  total     double precision;
  n         integer := 0;
  b         double precision;
  c         double precision;
  d         double precision;
  factor    double precision;
BEGIN
  IF degrees < 1 THEN
    RETURN NULL;
  ELSIF x = 'infinity' THEN
    RETURN 0;
  ELSIF x <= 0 THEN
    RETURN 1;
  END IF;
  FOR step IN 1 .. (degrees - 1) / 2 LOOP
    log_gamma := log_gamma + ln(a - step);
  END LOOP;
  log_front := a * ln(z) - z - log_gamma;
  IF log_front < -700 THEN   -- next to what a double can no longer hold, where PostgreSQL raises an error
    RETURN CASE WHEN z < a + 1 THEN 1 ELSE 0 END;
  END IF;
  IF z < a + 1 THEN
    term := 1 / a;
    total := term;
    WHILE term > total * 1e-17 LOOP
      n := n + 1;
      term := term * z / (a + n);
      total := total + term;
    END LOOP;
    RETURN 1 - total * exp(log_front);
  END IF;
  b := z + 1 - a;
  c := 1e300;
  d := 1 / b;
  total := d;
  LOOP
    n := n + 1;
    term := n * (a - n);
    b := b + 2;
    d := 1 / (term * d + b);
    c := b + term / c;
    factor := c * d;
    total := total * factor;
    EXIT WHEN abs(factor - 1) < 1e-15 OR n > 10000;
  END LOOP;
  RETURN total * exp(log_front);
END $$;
