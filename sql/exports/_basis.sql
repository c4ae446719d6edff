-- What the rows of a dataset depend on beside the events that its projections have applied. While it stays the same, only
-- rows that those events touch can have changed. A rebuild puts another version in place; a release may change what the
-- rows are made of; an event that was set aside and is applied after all lies before what is new, and what is new may have
-- been dropped from the log unread. A dataset that depends on more says so with a function export.<dataset>_basis(app).
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
