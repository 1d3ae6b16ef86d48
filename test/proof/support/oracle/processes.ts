import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDatabase } from '../../../support/test-database.js';
import type { Service } from '../service.js';

const SAMPLE_MS = 250;
const GROWTH = 1.2;
/** Fewer samples than this count as warm-up. */
const ENOUGH_SAMPLES = 80;
const POOL_PATIENCE_MS = 1_900;

/** Invariant 7, over time: watches the memory of processes from the call on. */
export class MemoryWatch {
  private readonly samples = new Map<Service, number[]>();
  private readonly timer = setInterval(() => this.sample(), SAMPLE_MS).unref();

  constructor(private readonly processes: readonly Service[]) {}

  /** @returns the processes that grew by 20 % after the warm-up, the first half. Runs under 20 s are all warm-up. */
  stop(): string[] {
    clearInterval(this.timer);
    return [...this.samples].flatMap(([service, samples]) => {
      if (samples.length < ENOUGH_SAMPLES) return [];
      const warm = Math.max(...samples.slice(0, samples.length / 2));
      const last = Math.min(...samples.slice(-samples.length / 10));
      return last > warm * GROWTH
        ? [`process ${service.pid} grew from ${mib(warm)} to ${mib(last)} after warm-up`]
        : [];
    });
  }

  private sample(): void {
    for (const service of this.processes.filter(({ isRunning }) => isRunning)) {
      const { memory } = service;
      if (memory !== null) this.samples.set(service, [...(this.samples.get(service) ?? []), memory]);
    }
  }
}

/** Invariant 7, at the end: processes run, and no transaction is open. Call it when no request is in flight. */
export async function processViolations(database: TestDatabase, processes: readonly Service[]): Promise<string[]> {
  const gone = processes.filter(({ isAsWanted }) => !isAsWanted);
  const open = await database.query<{ pid: number; state: string; query: string }>(
    `SELECT pid, state, left(query, 80) AS query FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'
       AND xact_start < now() - interval '1 second'`,
  );
  return [
    ...gone.map(({ pid, log }) => `process ${pid} ended on its own: ${log.slice(-500)}`),
    ...open.map(({ pid, state, query }) => `connection ${pid} is ${state}: ${query}`),
  ];
}

/**
 * Invariant 7, the pool: occupies every connection of the service at once, with requests that wait for a lock. A leaked
 * client is missing among those that wait.
 *
 * @param store whose key is used; no other process may query brands.
 */
export async function poolViolations(
  database: TestDatabase,
  service: Service,
  store: { readonly key: string },
  poolSize = 10,
): Promise<string[]> {
  const blocker = new pg.Client({ connectionString: database.url });
  await blocker.connect();
  try {
    await blocker.query('BEGIN; LOCK TABLE brands IN ACCESS EXCLUSIVE MODE');
    const headers = { authorization: `Bearer ${store.key}` };
    const asked = Array.from({ length: poolSize }, () =>
      fetch(`${service.url}/v1/brands`, { headers }).then((response) => response.arrayBuffer()),
    );
    const waiting = await mostWaiting(database, poolSize);
    await blocker.query('ROLLBACK');
    await Promise.allSettled(asked);
    return waiting < poolSize ? [`process ${service.pid} has only ${waiting} of ${poolSize} pool clients left`] : [];
  } finally {
    await blocker.end();
  }
}

async function mostWaiting(database: TestDatabase, enough: number): Promise<number> {
  const giveUp = Date.now() + POOL_PATIENCE_MS;
  for (let most = 0; ; await delay(20)) {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    most = Math.max(most, row?.count ?? 0);
    if (most >= enough || Date.now() > giveUp) return most;
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
