-- The 95 % Wilson score interval of a proportion; nulls where there were no trials.
CREATE OR REPLACE FUNCTION reporting.wilson(successes bigint, trials bigint)
RETURNS TABLE (low double precision, high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
  SELECT low, high FROM reporting.score_interval(successes / nullif(trials, 0)::double precision, trials)
$$;
