-- Makes a function that runs statements, and the triggers that call it after each INSERT, UPDATE or DELETE on a table.
-- The statements call the rows `changed`, and those before an UPDATE `removed`. This function and the next exist only
-- during the migration.
CREATE FUNCTION pg_temp.after_each_statement(what text, of_table text, kinds text[], statements text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  name constant text := what || '_' || of_table;
  kind text;
BEGIN
  EXECUTE format('CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS %L',
    name, format(E'\nBEGIN%s;\n  RETURN NULL;\nEND', statements));
  FOREACH kind IN ARRAY kinds LOOP
    EXECUTE format('CREATE TRIGGER %s_%s AFTER %2$s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %1$s()',
      name, kind, of_table, CASE kind
        WHEN 'insert' THEN 'NEW TABLE AS changed'
        WHEN 'update' THEN 'OLD TABLE AS removed NEW TABLE AS changed'
        WHEN 'delete' THEN 'OLD TABLE AS changed' END);
  END LOOP;
END $$;

-- Makes the same trigger for several tables: `%1$s` in its statement is the table.
CREATE FUNCTION pg_temp.for_each_table(of_tables text[], statement text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE of_table text;
BEGIN
  FOREACH of_table IN ARRAY of_tables LOOP
    EXECUTE format(statement, of_table);
  END LOOP;
END $$;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% %', TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;
