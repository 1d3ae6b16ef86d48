import { setTimeout as delay } from 'node:timers/promises';
import { hasFailures, type Job, type Load } from '../driver/job.js';
import type { Scene } from '../support/scene.js';

export interface Measured extends Load {
  /** CPU milliseconds of the server and of PostgreSQL per 1,000 answers; `null` when not measurable. */
  readonly cpu: number | null;
}

/** Keeps requests that are still in progress at the end of a round out of the next one. */
const PAUSE_MS = 100;

/**
 * Carries out a job.
 *
 * @param pid of the server.
 * @param rest ends when the server has done what the job left to it: its CPU time counts.
 * @throws Error when a request breaks, takes too long or has an unexpected answer.
 */
export async function drive(
  { driver, cpuTime }: Scene,
  title: string,
  pid: number,
  job: Job,
  rest: () => Promise<unknown> = () => delay(PAUSE_MS),
): Promise<Measured> {
  const before = cpuTime.of(pid);
  const load = await driver.carryOut(job);
  await rest();
  const after = cpuTime.of(pid);
  if (hasFailures(load.failures)) throw new Error(`${title}: ${JSON.stringify(load.failures)}`);
  return { ...load, cpu: before === null || after === null ? null : ((after - before) / load.answered) * 1_000 };
}
