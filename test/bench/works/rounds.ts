import { setTimeout as delay } from 'node:timers/promises';
import type { Driver } from '../driver/driver.js';
import { hasFailures, type Load } from '../driver/job.js';
import { loopDelayP99 } from '../figures/event-loop.js';
import type { Shop } from './shop.js';
import type { Work } from './works.js';

/** A server, and the store that the requests are about. */
export interface Side {
  readonly url: string;
  readonly shop: Shop;
}

export interface Plan {
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** The loads of both sides per round: the n-th load of one side followed the n-th of the other. */
export interface Rounds {
  readonly service: readonly Load[];
  readonly reference: readonly Load[];
  /** Event-loop delay of the service per round, in milliseconds. */
  readonly loopDelays: readonly number[];
  /** 2xx answers of the service, including the warm-up. */
  readonly serviceAnswered: number;
}

/** Keeps requests that are still in progress at the end of a round out of the next one. */
const PAUSE_MS = 100;

/** @throws Error when a request breaks, takes too long or is not answered with 2xx. */
export async function play(
  driver: Driver,
  work: Work,
  { service, reference }: Readonly<Record<'service' | 'reference', Side>>,
  { warmUpSeconds, rounds, seconds }: Plan,
  seed: number,
): Promise<Rounds> {
  let turn = 0;
  const drive = async ({ url, shop }: Side, duration: number): Promise<Load> => {
    const requests = work.requests(shop);
    const { connections } = work;
    const job = { url, key: shop.key, connections, seconds: duration, requests, seed: seed + ++turn };
    const load = await driver.carryOut(job);
    await delay(PAUSE_MS);
    if (hasFailures(load.failures)) throw new Error(`${work.name} at ${url}: ${JSON.stringify(load.failures)}`);
    return load;
  };
  const warm = await drive(service, warmUpSeconds);
  await drive(reference, warmUpSeconds);
  const loopDelays: number[] = [];
  const loads: Record<'service' | 'reference', Load[]> = { service: [], reference: [] };
  for (let round = 0; round < rounds; round++) {
    await loopDelayP99(service.url);
    loads.service.push(await drive(service, seconds));
    loopDelays.push(await loopDelayP99(service.url));
    loads.reference.push(await drive(reference, seconds));
  }
  const answered = [warm, ...loads.service].reduce((sum, load) => sum + load.answered, 0);
  return { ...loads, loopDelays, serviceAnswered: answered };
}
