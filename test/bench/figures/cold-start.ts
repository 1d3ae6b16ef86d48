import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../support/free-port.js';
import { startBuiltApi } from '../../support/built-api.js';
import { spreadOf, type Spread } from '../works/summary.js';

/** Seconds from the start of the process to the first 200 of `/health/ready`. */
export interface ColdStarts {
  readonly external: Spread;
  /** On a data directory that an earlier start has filled. */
  readonly embedded: Spread;
  /** The very first start: it creates the cluster and loads the demo store. */
  readonly embeddedEmpty: Spread;
}

const POLL_MS = 5;
const GIVE_UP_MS = 60_000;

export async function measureColdStarts(
  productionEnv: Readonly<Record<string, string>>,
  times: number,
): Promise<ColdStarts> {
  const external: number[] = [];
  for (let n = 0; n < times; n++) external.push(await timeToReady(productionEnv));

  const embedded: number[] = [];
  const embeddedEmpty: number[] = [];
  for (let n = 0; n < times; n++) {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'store-commerce-start-'));
    try {
      embeddedEmpty.push(await timeToReady({ DATA_DIR: dataDir }));
      embedded.push(await timeToReady({ DATA_DIR: dataDir }));
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
  return { external: spreadOf(external), embedded: spreadOf(embedded), embeddedEmpty: spreadOf(embeddedEmpty) };
}

/** Starts the service and stops it again. */
async function timeToReady(env: Readonly<Record<string, string>>): Promise<number> {
  const port = await freePort();
  const start = performance.now();
  const api = startBuiltApi({ ...env, PORT: String(port) });
  const kill = () => api.process.kill('SIGKILL');
  process.once('exit', kill);
  try {
    while (!(await isReady(`http://127.0.0.1:${port}/health/ready`))) {
      if (api.process.exitCode !== null || performance.now() - start > GIVE_UP_MS) {
        throw new Error(`The service did not become ready; its output: ${api.output()}${api.errors()}`);
      }
      await delay(POLL_MS);
    }
    return (performance.now() - start) / 1_000;
  } finally {
    // A clean stop, so that the next start of an embedded database needs no recovery.
    api.process.kill('SIGTERM');
    await api.ended();
    process.off('exit', kill);
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
