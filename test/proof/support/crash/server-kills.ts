import { setTimeout as delay } from 'node:timers/promises';
import type { Buyers } from '../buyers.js';
import type { PostgresServer } from '../postgres-server.js';
import { timeToRecover } from '../recovery.js';
import type { Service } from '../service.js';

const LIMIT_MS = 5_000;
const LONGEST_UPTIME_MS = 1_500;
const LONGEST_OUTAGE_MS = 1_500;

export interface ServerKillOptions {
  readonly server: PostgresServer;
  readonly services: readonly Service[];
  readonly buyers: Buyers;
  readonly product: number;
  readonly random: (below: number) => number;
  readonly rounds: number;
}

/** Repeatedly kills the postmaster with kill -9 and starts it again. */
export async function killServer({ server, services, buyers, product, random, rounds }: ServerKillOptions) {
  const violations: string[] = [];
  const recoveries: number[] = [];
  for (let n = 1; n <= rounds; n++) {
    await delay(random(LONGEST_UPTIME_MS));
    await server.kill();
    await delay(random(LONGEST_OUTAGE_MS));
    await server.start();
    const took = await Promise.all(
      services.map((service, place) => timeToRecover(buyers, service, product, `recovery-${n}-${place}`)),
    );
    recoveries.push(...took);
    if (Math.max(...took) >= LIMIT_MS)
      violations.push(`round ${n}: the service answered only after ${Math.max(...took)} ms`);
  }
  return { violations, slowestMs: Math.max(...recoveries) };
}
