import type { TestDatabase } from '../../support/test-database.js';

/** Marker of a COMMIT that is still running when the service reconnects to look up its outcome. */
export const SLOW = 'slow';
/** Marker of a COMMIT that outlasts a twin's wait of 2 s, but not the time limit of the order itself. */
export const STALLED = 'stalled';

const INSTALL = `
  CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_sleep(CASE WHEN NEW.notes LIKE '%${STALLED}%' THEN 2.2 ELSE 0.15 END);
      RETURN NULL;
    END $$;
  CREATE CONSTRAINT TRIGGER commit_slowly AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.notes ~ '${SLOW}|${STALLED}') EXECUTE FUNCTION commit_slowly()`;

const REMOVE = 'DROP TRIGGER commit_slowly ON orders; DROP FUNCTION commit_slowly';

export async function withSlowCommits<T>(database: TestDatabase, work: () => Promise<T>): Promise<T> {
  await database.query(INSTALL);
  try {
    return await work();
  } finally {
    await database.query(REMOVE);
  }
}
