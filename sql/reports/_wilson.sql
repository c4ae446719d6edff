-- The 95 % Wilson score interval of a proportion; nulls where there were no trials.
CREATE OR REPLACE FUNCTION reporting.wilson(successes bigint, trials bigint, OUT low double precision, OUT high double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT * FROM reporting.score_interval(successes / nullif(trials, 0)::double precision, trials)
$$;
