import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../postgres-server.js';
import { timeToRecover } from '../recovery.js';
import type { Shop } from '../shop.js';

const LIMIT_MS = 5_000;
const LONGEST_UPTIME_MS = 1_500;
const LONGEST_OUTAGE_MS = 1_500;

/** Repeatedly kills the postmaster with kill -9 and starts it again. */
export async function killServer(shop: Shop, server: PostgresServer, rounds: number) {
  const { random } = shop.context;
  const violations: string[] = [];
  const recoveries: number[] = [];
  for (let n = 1; n <= rounds; n++) {
    await delay(random(LONGEST_UPTIME_MS));
    await server.kill();
    await delay(random(LONGEST_OUTAGE_MS));
    await server.start();
    const took = await Promise.all(
      shop.services.map((service, place) => timeToRecover(shop, service, `recovery-${n}-${place}`)),
    );
    recoveries.push(...took);
    if (Math.max(...took) >= LIMIT_MS)
      violations.push(`round ${n}: the service answered only after ${Math.max(...took)} ms`);
  }
  return { violations, slowestMs: Math.max(...recoveries) };
}
