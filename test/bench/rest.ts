import { spreadOf, type Spread } from './measure.js';
import type { Scene } from './scene.js';

/** A figure of a process that has just started: the median of several starts. */
export interface RestRow {
  readonly name: string;
  readonly title: string;
  readonly unit: 'ms' | 'MB';
  readonly value: Spread;
  /** The most that it should be. */
  readonly goal: number;
}

const STARTS = 7;
const PATHS = ['/v1/store', '/v1/products', '/v1/orders', '/v1/products?search=mug'];

/** Starts the service on the migrated database, sends a few requests to each process, and reads its resident memory. */
export async function measureRest(scene: Scene): Promise<RestRow[]> {
  const times: number[] = [];
  const megabytes: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const from = performance.now();
    const service = await scene.start();
    times.push(performance.now() - from);
    for (const path of PATHS) {
      const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${scene.shop.key}` } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    }
    megabytes.push((service.memory ?? NaN) / 1e6);
    await service.kill();
  }
  const title = 'from the start of the process to the first 200 of /health/ready';
  return [
    { name: 'S1', title, unit: 'ms', value: spreadOf(times), goal: 1_200 },
    { name: 'S2', title: 'resident memory after a few requests', unit: 'MB', value: spreadOf(megabytes), goal: 130 },
  ];
}
