import type pg from 'pg';

/**
 * Does the work of all stores, one batch of each at a time. Neither a store with much work nor one whose work fails
 * keeps the others waiting.
 * @param waiting the statement that selects the ids of the stores that have work.
 * @param batch returns whether more may wait.
 * @param signal stops the work between two batches.
 * @throws the first failure, after one batch of each other store.
 */
export async function storeByStore(
  pool: Pick<pg.Pool, 'query'>,
  waiting: string,
  batch: (storeId: number) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<void> {
  for (let isMore = true; isMore && !signal?.aborted;) {
    isMore = false;
    const failures: unknown[] = [];
    const { rows } = await pool.query<{ id: number }>(waiting);
    for (const { id } of rows) {
      if (signal?.aborted) break;
      isMore = (await batch(id).catch((error: unknown) => void failures.push(error))) || isMore;
    }
    if (failures.length > 0) throw failures[0];
  }
}
