-- Of pushes that were to start a Live Activity of one device and type, those to which no activity belongs: each activity that a push
-- started belongs to the earliest push within an hour before it to which none belongs yet. Both are given from the earliest on.
CREATE OR REPLACE FUNCTION reporting.unmatched_starts(pushes uuid[], pushed_at timestamptz[], started_at timestamptz[]) RETURNS uuid[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  started   timestamptz;
  unmatched uuid[] := '{}';
  free      integer := 1;   -- the first push that none belongs to
BEGIN
  FOREACH started IN ARRAY started_at LOOP
    WHILE pushed_at[free] < started - interval '1 hour' LOOP
      unmatched := unmatched || pushes[free];
      free := free + 1;
    END LOOP;
    IF pushed_at[free] <= started THEN
      free := free + 1;
    END IF;
  END LOOP;
  RETURN unmatched || pushes[free:];
END $$;
