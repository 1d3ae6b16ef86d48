import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { isReadTimeout } from './postgres-errors.js';

/**
 * Replaces connections that died silently, because a proxy or a firewall dropped them. When a statement gets no answer
 * in time, this also closes the idle connections that have been silent since it was sent. Otherwise each of them would
 * make another request time out. A connection that answered in the meantime stays.
 */
export function discardSilentConnections(pool: pg.Pool): void {
  const takenAt = new WeakMap<pg.PoolClient, number>();
  const idleSince = new Map<pg.PoolClient, number>();
  pool.on('acquire', (client) => {
    idleSince.delete(client);
    takenAt.set(client, performance.now());
  });
  pool.on('remove', (client) => void idleSince.delete(client));
  pool.on('release', (error: Error | boolean | undefined, client) => {
    if (!error) idleSince.set(client, performance.now());
    if (!isReadTimeout(error)) return;
    const sentAt = takenAt.get(client) ?? 0;
    for (const [idle, since] of idleSince) {
      // The pool removes an idle connection that breaks.
      if (since < sentAt) streamOf(idle).destroy(new Error('silent since another connection of the pool timed out'));
    }
  });
}

function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;
}
