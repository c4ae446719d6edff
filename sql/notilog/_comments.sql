-- Comments on objects of migrations, which never change.
DO $$
BEGIN
  IF obj_description('notilog.app'::regclass, 'pg_class') IS NULL THEN
    COMMENT ON TABLE notilog.app IS 'The apps whose events are stored.';
  END IF;
  IF obj_description('projection.checkpoint'::regclass, 'pg_class') IS NULL THEN
    COMMENT ON TABLE projection.checkpoint IS 'The checkpoint of each group of projections.';
  END IF;
END $$;
