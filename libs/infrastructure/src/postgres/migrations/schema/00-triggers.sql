-- Makes three triggers, which run after each statement of their kind. Those of INSERT and DELETE call their rows `changed`, so
-- that both can run the same statement; an UPDATE has `removed` and `added`. Lives as long as the migration.
CREATE FUNCTION pg_temp.after_each_statement(of_table text, run text, run_after_update text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  statement constant text := 'CREATE TRIGGER %s_%s AFTER %2$s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %s';
  name constant text := split_part(run, '(', 1);
BEGIN
  EXECUTE format(statement, name, 'insert', of_table, 'NEW TABLE AS changed', run);
  EXECUTE format(statement, name, 'update', of_table, 'OLD TABLE AS removed NEW TABLE AS added', coalesce(run_after_update, run));
  EXECUTE format(statement, name, 'delete', of_table, 'OLD TABLE AS changed', run);
END $$;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;
