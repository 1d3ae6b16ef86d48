import type pg from 'pg';
import { isReadTimeout } from './postgres-errors.js';

/**
 * When a statement gets no answer in time, also closes the idle connections that have been silent since it was sent. A
 * proxy or a firewall may have dropped them, and each of them would make another request time out.
 */
export function discardSilentConnections(pool: pg.Pool): void {
  const takenAt = new WeakMap<pg.PoolClient, number>();
  const idleSince = new WeakMap<pg.PoolClient, number>();
  const discardIdle = async (sentAt: number) => {
    // All are acquired before the first is released: otherwise the pool would return the same one again.
    const idle = await Promise.all(Array.from({ length: pool.idleCount }, () => pool.connect()));
    for (const client of idle) {
      const since = idleSince.get(client) ?? sentAt;
      client.release(since < sentAt);
      idleSince.set(client, since);
    }
  };
  pool.on('acquire', (client) => void takenAt.set(client, performance.now()));
  pool.on('release', (error: Error | boolean | undefined, client) => {
    if (!error) idleSince.set(client, performance.now());
    if (isReadTimeout(error)) discardIdle(takenAt.get(client) ?? 0).catch(() => undefined);
  });
}
