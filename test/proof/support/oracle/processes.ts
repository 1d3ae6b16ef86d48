import { setTimeout as delay } from 'node:timers/promises';
import { STATEMENTS_OF_STORE } from '@app/application';
import pg from 'pg';
import type { TestDatabase } from '../../../support/test-database.js';
import { memoryOf } from '../holdings.js';
import type { Service } from '../service.js';

/** Below the time limit of the reads that wait. */
const POOL_PATIENCE_MS = 1_900;
/** A busy machine may delay the requests once. A leaked client is missing each time. */
const POOL_ATTEMPTS = 5;
const MIB = 2 ** 20;
/** A process at rest holds 40 to 60 MiB after every proof. A leaked request weighs at least 2 kB. */
const REACHABLE_LIMIT = 96 * MIB;

/** Invariant 7: processes run, their memory is released, and no transaction is open. No request may be in flight. */
export async function processViolations(database: TestDatabase, processes: readonly Service[]): Promise<string[]> {
  const held = await Promise.all(processes.filter(({ isRunning }) => isRunning).map(memoryViolations));
  const open = await database.query<{ pid: number; state: string; query: string }>(
    `SELECT pid, state, left(query, 80) AS query FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'
       AND xact_start < now() - interval '1 second'`,
  );
  return [
    ...processes.flatMap(({ unwantedEnd }) => unwantedEnd ?? []),
    ...held.flat(),
    ...open.map(({ pid, state, query }) => `connection ${pid} is ${state}: ${query}`),
  ];
}

/**
 * Invariant 7, the pool: a leaked client is missing among those that wait. The reads of a store leave some to others, here to the
 * look-ups of keys. No other process may query brands or keys.
 */
export async function poolViolations(
  database: TestDatabase,
  service: Service,
  store: { readonly key: string },
  poolSize = 10,
): Promise<string[]> {
  const blocker = new pg.Client({ connectionString: database.url });
  await blocker.connect();
  const headers = { authorization: `Bearer ${store.key}` };
  const ofStore = Math.floor(poolSize * STATEMENTS_OF_STORE);
  const ask = (requests = poolSize) =>
    Array.from({ length: requests }, () =>
      fetch(`${service.url}/v1/brands`, { headers }).then((response) => response.arrayBuffer()),
    );
  try {
    let most = 0;
    for (let attempt = 0; most < poolSize && attempt < POOL_ATTEMPTS; attempt++) {
      // A process that still answers a crowd which has left would let these requests wait before they reach the pool.
      await Promise.all(ask());
      await blocker.query('BEGIN; LOCK TABLE brands IN ACCESS EXCLUSIVE MODE');
      const asked = ask();
      most = Math.max(most, await mostWaiting(database, ofStore));
      await blocker.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
      // Look-ups that are sent together would share a connection.
      for (let waiting = ofStore + 1; waiting <= poolSize; waiting++) {
        asked.push(...ask(1));
        most = Math.max(most, await mostWaiting(database, waiting));
      }
      await blocker.query('ROLLBACK');
      await Promise.allSettled(asked);
    }
    return most < poolSize ? [`process ${service.pid} has only ${most} of ${poolSize} pool clients left`] : [];
  } finally {
    await blocker.end();
  }
}

async function mostWaiting(database: TestDatabase, enough: number): Promise<number> {
  const giveUpAt = Date.now() + POOL_PATIENCE_MS;
  for (let most = 0; ; await delay(20)) {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    most = Math.max(most, row?.count ?? 0);
    if (most >= enough || Date.now() > giveUpAt) return most;
  }
}

async function memoryViolations(service: Service): Promise<string[]> {
  const { heapBytes } = await memoryOf(service);
  return heapBytes > REACHABLE_LIMIT
    ? [`process ${service.pid} holds ${Math.round(heapBytes / MIB)} MiB of objects and buffers at rest`]
    : [];
}
