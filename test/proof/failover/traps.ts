import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import { signalOne } from './daemon.js';
import type { Fault } from './faults.js';
import type { Member } from './member.js';

// Each trap commits orders on the primary that its standby does not have, and then loses the primary.

/** Shorter than the time after which HAProxy gives up a primary whose Patroni does not answer. */
const WINDOW_MS = 5_000;
const RETRIES = 30;
const WAITING_MS = 1_500;

const WAITING = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'`;
const CANCEL = `
  DO $$ DECLARE finish timestamptz := clock_timestamp() + interval '${WINDOW_MS} ms';
  BEGIN
    WHILE clock_timestamp() < finish LOOP
      PERFORM pg_stat_clear_snapshot();
      PERFORM pg_cancel_backend(pid) FROM (${WAITING}) AS waiting;
      PERFORM pg_sleep(0.02);
    END LOOP;
  END $$`;

export const waitsCancelled = (database: string): Fault => ({
  title: 'waits for a frozen standby cancelled, then the primary killed',
  run: (cluster) => loseStream(cluster, database, (primary) => primary.query(CANCEL)),
});

export const primaryCrashed = (database: string): Fault => ({
  title: 'a crash restart of the primary during waits for a frozen standby, then the primary killed',
  run: (cluster) =>
    loseStream(cluster, database, async (primary) => {
      await delay(WAITING_MS);
      const [waiting] = await primary.query<{ pid: number }>(`${WAITING} LIMIT 1`);
      if (!waiting) throw new Error('No order waits for the frozen standby');
      signalOne(waiting.pid, 'SIGKILL'); // the postmaster restarts all its processes
      await delay(WINDOW_MS - WAITING_MS);
    }),
});

/** @throws Error when the fail-over lost no committed order: then the trap proves nothing. */
async function loseStream(cluster: Cluster, database: string, endWaits: (primary: Member) => Promise<unknown>) {
  const primary = await cluster.primary();
  const standby = await cluster.synchronousStandby();
  // It would choose another standby, for which the commits then wait.
  primary.freezePatroni();
  standby.freeze();
  await endWaits(primary);
  const committed = await retry(() => ordersAt(primary, database));
  await primary.kill();
  standby.cutStream();
  standby.thaw();
  const next = await cluster.primary(primary.name);
  const survivors = new Set(await ordersAt(next, database));
  primary.start();
  const lost = committed.filter((id) => !survivors.has(id)).length;
  if (lost === 0) throw new Error('The fail-over lost no unacknowledged order');
  return `${lost} unacknowledged commits lost`;
}

async function ordersAt(member: Member, database: string): Promise<string[]> {
  const rows = await member.query<{ id: string }>('SELECT id FROM orders', database);
  return rows.map(({ id }) => id);
}

/** A server that restarts from a crash refuses connections for a moment. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let left = RETRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await delay(100);
    }
  }
}
