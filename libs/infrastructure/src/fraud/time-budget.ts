import { DeadlineExceeded, type Deadline } from '@app/application';
import type pg from 'pg';
import { prepared } from '../postgres/prepared.js';
import { corkUntilNextTick } from '../postgres/cork.js';
import type { RunSql } from './find-facts.js';

/**
 * Reads on a connection of the pool under a deadline that the server itself enforces: a statement that waits for a lock
 * must not withhold its connection from later requests.
 *
 * @throws DeadlineExceeded when no connection comes free before the deadline; a late one returns to the pool unused.
 */
export async function readBefore<T>(deadline: Deadline, pool: pg.Pool, read: (run: RunSql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const left = Math.floor(deadline.remainingMs);
  if (left < 1) {
    client.release();
    throw new DeadlineExceeded();
  }
  let broken = false;
  const onError = () => void (broken = true);
  client.on('error', onError); // without a listener, a connection that breaks would end the process
  try {
    // Sent together. If the limit fails, the results of the read are discarded.
    corkUntilNextTick(client);
    const limited = client.query(
      `BEGIN READ ONLY; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL statement_timeout = ${left}`,
    );
    const [answer] = await Promise.all([read((text, values) => client.query(prepared(text, values))), limited]);
    return answer;
  } finally {
    // Not awaited: the result is already known. A connection that cannot end its transaction is discarded.
    void client
      .query('ROLLBACK')
      .catch(onError)
      .finally(() => {
        client.off('error', onError);
        client.release(broken);
      });
  }
}
