-- What the report funnel asks of a notification, a bit each: what the projection cohort counts by. A bit once given out
-- keeps its meaning, or the projection has to be rebuilt.
CREATE OR REPLACE FUNCTION projection.stage_bits(
  asked boolean, reached_seen boolean, reached_assumed boolean, delivered boolean, presented boolean, responded boolean,
  dismissed boolean, withdrawn boolean, suppressed boolean, silent boolean, failed boolean, add_succeeded boolean,
  push_answered boolean, push_accepted boolean, is_push boolean, delivery_observable boolean, alerting boolean,
  reach_unknown boolean DEFAULT false
) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT asked::integer | (reached_seen::integer << 1) | (reached_assumed::integer << 2) | (delivered::integer << 3)
    | (presented::integer << 4) | (responded::integer << 5) | (dismissed::integer << 6) | (withdrawn::integer << 7)
    | (suppressed::integer << 8) | (silent::integer << 9) | (failed::integer << 10) | (add_succeeded::integer << 11)
    | (push_answered::integer << 12) | (push_accepted::integer << 13) | (is_push::integer << 14)
    | (delivery_observable::integer << 15) | (alerting::integer << 16)
    | (reach_unknown::integer << 17)
$$;
