import { loopDelayP99 } from '../figures/event-loop.js';
import type { Scene } from '../support/scene.js';
import { drive, type Measured } from './drive.js';
import type { Shop } from './shop.js';
import type { Work } from './works.js';

/** The service, and the references on a bare schema and on the service's tables. */
export const SIDES = ['service', 'bare', 'sameSchema'] as const;
export type Sides = Readonly<Record<(typeof SIDES)[number], Side>>;

/** A server, and the store that the requests are about. */
export interface Side {
  readonly url: string;
  readonly pid: number;
  /** The schema of its tables. */
  readonly schema: string;
  readonly shop: Shop;
}

export interface Plan {
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** The loads of each side per round. In a round, the sides take turns. */
export interface Rounds {
  /** Empty for the references of a work that is measured alone. */
  readonly loads: Readonly<Record<keyof Sides, readonly Measured[]>>;
  /** Event-loop delay of the service per round, in milliseconds. */
  readonly loopDelays: readonly number[];
  /** 2xx answers of the service, including the warm-up. */
  readonly serviceAnswered: number;
}

/** @throws Error when a request breaks, takes too long or is not answered with 2xx. */
export async function play(
  scene: Scene,
  work: Work,
  sides: Sides,
  { warmUpSeconds, rounds, seconds }: Plan,
  seed: number,
): Promise<Rounds> {
  const names = work.goal ? SIDES : (['service'] as const);
  let turn = 0;
  let serviceAnswered = 0;
  const measure = async (name: keyof Sides, duration: number): Promise<Measured> => {
    const { url, pid, shop } = sides[name];
    const requests = work.requests(shop);
    const { connections } = work;
    const job = { url, key: shop.key, connections, seconds: duration, requests, seed: seed + ++turn };
    const load = await drive(scene, `${work.name}, ${name}`, pid, job);
    if (name === 'service') serviceAnswered += load.answered;
    return load;
  };
  for (const name of names) await measure(name, warmUpSeconds);
  const loads: Record<keyof Sides, Measured[]> = { service: [], bare: [], sameSchema: [] };
  const loopDelays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await loopDelayP99(sides.service.url);
    for (const name of names) {
      loads[name].push(await measure(name, seconds));
      if (name === 'service') loopDelays.push(await loopDelayP99(sides.service.url));
    }
  }
  return { loads, loopDelays, serviceAnswered };
}
