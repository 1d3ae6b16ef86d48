import { setTimeout as delay } from 'node:timers/promises';
import { hasFailures } from '../driver/job.js';
import type { Service } from '../../proof/support/service.js';
import type { Scene } from '../support/scene.js';
import { WORKS } from '../works/works.js';
import { median } from '../works/summary.js';

/** Resident memory of the service, in bytes. */
export interface MemoryUnderLoad {
  readonly idle: number;
  readonly peak: number;
  readonly end: number;
}

/** Resident memory during a steady load, in bytes: medians of one minute. */
export interface Soak {
  readonly seconds: number;
  readonly readsPerSecond: number;
  readonly ordersPerSecond: number;
  /** The second minute; the first is the warm-up. */
  readonly first: number;
  readonly last: number;
  readonly samples: readonly number[];
}

const SAMPLE_MS = 250;
const SOAK_SAMPLE_S = 10;
const MINUTE = 60 / SOAK_SAMPLE_S;
/** Well below the capacity, so that neither queue nor memory grows for that reason. */
const READS_PER_SECOND = 120;
const ORDERS_PER_SECOND = 20;

/** Samples the memory of a process during other work. */
export class MemoryWatch {
  private readonly timer: NodeJS.Timeout;
  private peak = 0;

  constructor(
    private readonly service: Service,
    private readonly idle = service.memory ?? 0,
  ) {
    this.timer = setInterval(() => (this.peak = Math.max(this.peak, service.memory ?? 0)), SAMPLE_MS);
  }

  stop(): MemoryUnderLoad {
    clearInterval(this.timer);
    return { idle: this.idle, peak: this.peak, end: this.service.memory ?? 0 };
  }
}

/** A typical load: all reads, and orders, at a constant rate. */
export async function soak(scene: Scene, seconds: number, seed: number): Promise<Soak> {
  const service = await scene.service();
  const { driver, shop } = scene;
  const paths = WORKS.map(({ requests }) => requests(shop)).flatMap((requests) =>
    // Equally often each, regardless of the number of addresses.
    requests.kind === 'reads'
      ? Array.from({ length: 1_000 }, (_, n) => requests.paths[n % requests.paths.length] ?? '/')
      : [],
  );
  const client = { url: service.url, key: shop.key, seconds, seed };
  let isOver = false;
  const loads = Promise.all([
    driver.carryOut({ ...client, connections: 12, rate: READS_PER_SECOND, requests: { kind: 'reads', paths } }),
    driver.carryOut({
      ...client,
      connections: 4,
      rate: ORDERS_PER_SECOND,
      requests: { kind: 'orders', items: shop.items, lines: 3 },
    }),
  ]).finally(() => (isOver = true));
  const samples: number[] = [];
  while (!isOver) {
    await Promise.race([loads, delay(SOAK_SAMPLE_S * 1_000)]);
    samples.push(service.memory ?? 0);
  }
  const [reads, orders] = await loads;
  const failed = [reads, orders].find(({ failures }) => hasFailures(failures));
  if (failed) throw new Error(`The steady load was answered with ${JSON.stringify(failed.failures)}`);
  const [first, last] = [median(samples.slice(MINUTE, 2 * MINUTE)), median(samples.slice(-MINUTE))];
  return { seconds, readsPerSecond: reads.perSecond, ordersPerSecond: orders.perSecond, first, last, samples };
}
