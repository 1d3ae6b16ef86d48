import type pg from 'pg';

/**
 * Runs a transaction on the one connection of a move to a cluster. After a failure the connection is outside of the
 * transaction again.
 */
export async function ownTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
