import { setTimeout as delay } from 'node:timers/promises';
import { measureCost, type CostResult } from './costs/measure.js';
import { loopDelayP99 } from './figures/event-loop.js';
import { measureFigures } from './figures/figures.js';
import { MemoryWatch, type MemoryUnderLoad } from './figures/memory.js';
import { commitOf, describeMachine } from './report/machine.js';
import type { BenchResults } from './report/results.js';
import type { Options } from './support/options.js';
import type { Scene } from './support/scene.js';
import { verdictsSince } from './works/books.js';
import { perform } from './works/perform.js';
import type { WorkResult } from './works/summary.js';

/** Long enough for the start to finish and for a hundred firings of the event-loop timer. */
const IDLE_MS = 1_500;

type OnProgress = (text: string) => void;

export async function measure(scene: Scene, options: Options, onProgress: OnProgress): Promise<BenchResults> {
  const start = new Date();
  const idleLoopDelayP99 = await beIdle(scene);
  const { works, memory } = await performAll(scene, options, onProgress);
  const costs = await measureCosts(scene, options, onProgress);
  const verdicts = await verdictsSince(scene.database, scene.shop, start);
  const others = await measureFigures(scene, options, onProgress);
  const { quick, seed, sizes, plan } = options;
  return {
    form: quick ? 'quick' : 'full',
    date: start.toISOString().slice(0, 10),
    commit: commitOf(),
    seed,
    seconds: Math.round((Date.now() - start.getTime()) / 1_000),
    machine: await describeMachine(scene.database),
    store: sizes,
    plan,
    works,
    costs,
    verdicts,
    figures: { memory, idleLoopDelayP99, ...others },
  };
}

async function measureCosts(
  scene: Scene,
  { costs, plan, seed }: Options,
  onProgress: OnProgress,
): Promise<CostResult[]> {
  const results: CostResult[] = [];
  for (const cost of costs) {
    onProgress(`${cost.name}: ${cost.measured.title}`);
    results.push(await measureCost(scene, cost, plan, seed));
  }
  return results;
}

async function beIdle(scene: Scene): Promise<number> {
  const { url } = await scene.service();
  await delay(IDLE_MS);
  await loopDelayP99(url);
  await delay(IDLE_MS);
  return loopDelayP99(url);
}

/** Measures the memory of the main service process, not of works with their own. */
async function performAll(
  scene: Scene,
  { works, plan, seed }: Options,
  onProgress: OnProgress,
): Promise<{ works: WorkResult[]; memory: MemoryUnderLoad }> {
  const watch = new MemoryWatch(await scene.service());
  let memory: MemoryUnderLoad | null = null;
  const results: WorkResult[] = [];
  try {
    for (const work of works) {
      onProgress(`${work.name}: ${work.title}`);
      if (work.env) memory ??= watch.stop();
      results.push(await perform(scene, work, plan, seed));
    }
  } finally {
    memory ??= watch.stop();
  }
  return { works: results, memory };
}
