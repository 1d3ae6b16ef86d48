import { setTimeout as delay } from 'node:timers/promises';
import { settle } from '../stores/seed-store.js';
import type { Scene } from '../support/scene.js';
import { drive, type Measured } from '../works/drive.js';
import type { Plan } from '../works/rounds.js';
import { compared, speedOf, type Compared, type Speed } from '../works/summary.js';
import type { Cost } from './costs.js';

/** The result of one comparison: every figure is the median of the rounds. */
export interface CostResult {
  readonly name: string;
  readonly title: string;
  readonly measured: Speed;
  /** With the measured side divided by it. */
  readonly baseline: Compared & { readonly title: string };
  readonly goal: number;
  /** `null` when CPU time is not measurable. */
  readonly met: boolean | null;
}

const SIDES = ['measured', 'baseline'] as const;
const CONNECTIONS = 8;
/** A rate that the worker keeps up with, so that both sides have as many changes a second. */
const ORDERS_PER_SECOND = 200;
const POLL_MS = 100;

/** Measures both sides in turn. The one that begins changes with each round, because a store with more orders is slower. */
export async function measureCost(scene: Scene, cost: Cost, plan: Plan, seed: number): Promise<CostResult> {
  const { database, shop } = scene;
  const placesOrders = cost.measured.prepare !== undefined;
  const { url, pid } = await scene.service(placesOrders ? { PIPELINE: 'inline' } : {});
  await settle(database);
  const requests = {
    measured: await cost.measured.requests({ url, shop }),
    baseline: await cost.baseline.requests({ url, shop }),
  };
  let turn = 0;
  const measure = async (side: (typeof SIDES)[number], seconds: number): Promise<Measured> => {
    await cost[side].prepare?.(database);
    const rest = placesOrders ? await pipelineOf(scene) : undefined;
    const client = { url, key: shop.key, connections: CONNECTIONS, seconds, seed: seed + ++turn };
    const job = { ...client, requests: requests[side], ...(placesOrders && { rate: ORDERS_PER_SECOND }) };
    return drive(scene, `${cost.name}: ${cost[side].title}`, pid, job, rest);
  };
  const loads: Record<(typeof SIDES)[number], Measured[]> = { measured: [], baseline: [] };
  try {
    for (const side of SIDES) await measure(side, plan.warmUpSeconds);
    for (let round = 0; round < plan.rounds; round++) {
      for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
        loads[side].push(await measure(side, plan.seconds));
      }
    }
  } finally {
    await cost.measured.prepare?.(database);
  }
  const baseline = compared(loads.measured, loads.baseline);
  if (!baseline) throw new Error(`${cost.name} has no rounds`);
  return {
    name: cost.name,
    title: cost.measured.title,
    measured: speedOf(loads.measured),
    baseline: { title: cost.baseline.title, ...baseline },
    goal: cost.goal,
    met: baseline.cpuRatio && baseline.cpuRatio.median <= cost.goal,
  };
}

/** Waits until the worker has finished the stages of later orders, and has numbered their changes. */
async function pipelineOf({ database, shop }: Scene): Promise<() => Promise<void>> {
  const [newest] = await database.query<{ id: string }>(
    'SELECT id FROM orders WHERE store_id = $1 ORDER BY id DESC LIMIT 1',
    [shop.id],
  );
  const working = `
    SELECT EXISTS (SELECT FROM order_stages WHERE store_id = $1 AND order_id > $2 AND state = 'pending')
      OR EXISTS (SELECT FROM change_log WHERE store_id = $1) AS yes`;
  return async () => {
    let isWorking: boolean | undefined;
    do {
      await delay(POLL_MS);
      isWorking = (await database.query<{ yes: boolean }>(working, [shop.id, newest?.id]))[0]?.yes;
    } while (isWorking === true);
  };
}
