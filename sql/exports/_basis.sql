-- The facts, besides applied events, that the rows of a dataset depend on. While they are unchanged, only rows that new
-- events concern can have changed. They change when a rebuild swaps a version in, when a release changes the dataset's
-- rows, when an event that was set aside is applied, and when retention drops unread events. A dataset that depends on
-- more declares a function export.<dataset>_basis(app).
CREATE OR REPLACE FUNCTION export.basis(dataset text, app integer) RETURNS text
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_variable
DECLARE
  basis text;
  own   text;
BEGIN
  SELECT concat_ws(' ', (
      SELECT string_agg(v.version_id::text, ' ' ORDER BY v.leader)
      FROM projection.version v
      WHERE v.schema_name = 'projection' AND v.leader = ANY (d.projections)), (
      SELECT string_agg(a.position::text, ' ' ORDER BY a.position)
      FROM projection.set_aside a
      WHERE a.schema_name = 'projection' AND a.leader = ANY (d.projections)),
    (SELECT max(p.last_position) FROM log.dropped_partition p),
    pg_get_functiondef(to_regprocedure(format('export.%I(integer)', dataset))))
  INTO basis
  FROM export.dataset d
  WHERE d.name = dataset;
  IF to_regprocedure(format('export.%I(integer)', dataset || '_basis')) IS NOT NULL THEN
    EXECUTE format('SELECT export.%I($1)', dataset || '_basis') INTO own USING app;
  END IF;
  RETURN md5(concat_ws(' ', basis, own));
END $$;
