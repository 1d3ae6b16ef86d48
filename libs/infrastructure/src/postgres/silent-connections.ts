import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { isReadTimeout } from './postgres-errors.js';

/**
 * Replaces connections that died in silence, because a proxy or a firewall forgot them. When a statement of the pool has
 * no answer in time, the idle connections that were not heard of since it was sent are closed too: tried one by one,
 * each would cost another request its time. A connection that answered in the meantime stays.
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
      if (since < sentAt)
        streamOf(idle).destroy(new Error('silent, like another of the pool that gave no answer in time'));
    }
  });
}

function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;
}
