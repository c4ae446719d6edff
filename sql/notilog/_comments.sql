-- What the migrations, which never change, say nothing of.
DO $$
BEGIN
  IF obj_description('notilog.app'::regclass, 'pg_class') IS NULL THEN
    COMMENT ON TABLE notilog.app IS 'The apps whose events are stored.';
  END IF;
  IF obj_description('projection.checkpoint'::regclass, 'pg_class') IS NULL THEN
    COMMENT ON TABLE projection.checkpoint IS 'How far each group of projections has been applied.';
  END IF;
END $$;
