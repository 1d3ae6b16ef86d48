import { setTimeout as delay } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import { runBuild, type CommandEnd } from '../support/cli.js';
import { KEYS, type Cluster, type Scene } from './scene.js';

/** Where the command dies: during the copy, as the store is closed, or when no cluster has it. */
export type Death = 'copy' | 'close' | 'switch';

export interface MoveReport {
  readonly rows: number | null;
  readonly differences: readonly string[];
  readonly closedMs: number | null;
}

/** A killed command's sessions hold the lock of moves until the servers notice its death. */
const STILL_LOCKED = /^Another move/m;
const LOCKED_MS = 20_000;

export type OnStep = (step: string, child: ChildProcess) => void;

/** Of the store that moves, unless another one is named. */
export function stores(
  { rig }: Cluster,
  args: readonly string[],
  onStep: OnStep = () => undefined,
): Promise<CommandEnd> {
  const env = { DATABASE_URL: rig.database.url, ...KEYS };
  return runBuild('cli', env, ['stores', ...args], '', (child) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      for (const [, step = ''] of String(chunk).matchAll(/^(\w+)(?::.*)?$/gm)) onStep(step, child);
    });
  });
}

/** Repeats the command while a killed one holds the lock. @throws Error when it fails. */
export async function insist(cluster: Cluster, args: readonly string[], onStep?: OnStep): Promise<MoveReport> {
  for (const giveUp = Date.now() + LOCKED_MS; ; await delay(200)) {
    const { code, stdout, stderr } = await stores(cluster, args, onStep);
    if (code === 0) return JSON.parse(stdout) as MoveReport;
    if (!STILL_LOCKED.test(stderr) || Date.now() > giveUp) {
      throw new Error(`stores ${args[0]} ended with ${code}: ${stderr.split('\n').slice(-10).join('\n')}`);
    }
  }
}

/** Runs the command and kills it with SIGKILL. */
export async function dieIn(scene: Scene, args: readonly string[], death: Death | 'copied'): Promise<void> {
  const { home, other, shop, context } = scene;
  const killAfter = async (child: ChildProcess, mostMs: number) => {
    await delay(context.random(mostMs));
    child.kill('SIGKILL');
  };
  let dying: Promise<void> | null = null;
  await stores(home, args, (step, child) => {
    if (death === 'copied' && step === 'copied') dying ??= killAfter(child, 1);
    if (death === 'copy' && step === 'copying') dying ??= killAfter(child, 500);
    // The drain takes 1 s, and the close some 100 ms.
    if (death === 'close' && step === 'draining') dying ??= delay(900).then(() => killAfter(child, 300));
    if (death === 'switch' && step === 'draining')
      dying ??= withholding(other, shop.store.id, async () => {
        await eventually(() => leftBy(home, shop.store.id), 30_000);
        await killAfter(child, 1);
      });
  });
  await dying;
}

/** The target cannot open the store meanwhile. */
async function withholding({ rig }: Cluster, storeId: number, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: rig.database.url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM stores WHERE id = $1 FOR UPDATE', [storeId]);
    await work();
  } finally {
    await client.end();
  }
}

async function leftBy({ rig }: Cluster, storeId: number): Promise<void> {
  const rows = await rig.database.query(`SELECT FROM stores WHERE id = $1 AND status = 'MOVED'`, [storeId]);
  if (rows.length === 0) throw new Error('The command does not take the store from the source');
}
