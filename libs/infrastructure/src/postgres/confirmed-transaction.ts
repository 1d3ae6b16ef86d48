import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { commitConfirmed, SHOW_WARNINGS, WAIT_FOR_STANDBYS } from './standby-wait.js';

/**
 * Commits when `work` resolves; rolls back and rethrows when it rejects. TypeORM's own `transaction` reports success
 * when the server cancels the wait for its standbys.
 *
 * @throws CommitOutcomeUnknown in that case, and when the connection is lost during COMMIT.
 */
export async function confirmedTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const client = (await runner.connect()) as pg.ClientBase;
  try {
    await runner.startTransaction('READ COMMITTED');
    await runner.query(SHOW_WARNINGS);
    const result = await work(runner.manager);
    // A repeated command may have nothing to write, because an earlier one committed without its standbys.
    await runner.query(WAIT_FOR_STANDBYS);
    await commitConfirmed(client, () => runner.commitTransaction(), null);
    return result;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}
