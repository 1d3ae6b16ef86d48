import type { TestDatabase } from '../../support/test-database.js';

/** In a marker: a COMMIT that is still at work when the service comes back to ask what became of it. */
export const SLOW = 'slow';
/** In a marker: a COMMIT that outlasts the 2 s which a twin waits, and not what the order itself may take. */
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

/** While the work goes on, orders whose markers say so take their time to commit. */
export async function withSlowCommits<T>(database: TestDatabase, work: () => Promise<T>): Promise<T> {
  await database.query(INSTALL);
  try {
    return await work();
  } finally {
    await database.query(REMOVE);
  }
}
