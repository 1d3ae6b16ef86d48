import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import { runBuild, type CommandEnd } from '../support/cli.js';
import { KEYS, type Cluster, type Scene } from './scene.js';

/** The step after which the command dies, and how long after it. The drain takes 1 s, and the close some 100 ms. */
const DEATHS = {
  copy: { after: 'copying', restMs: 0, mostMs: 500 },
  copied: { after: 'copied', restMs: 0, mostMs: 1 },
  close: { after: 'draining', restMs: 900, mostMs: 300 },
  switch: { after: 'draining', restMs: 0, mostMs: 1 },
};

export type Death = keyof typeof DEATHS;

export interface MoveReport {
  readonly differences: readonly string[];
  readonly closedMs: number | null;
  /** Null when the killed command did not compare the rows. */
  readonly rows: number | null;
}

/** The sessions of a killed command hold the lock of moves until the servers notice; on a busy machine a mail takes long. */
const REPEAT = /Another move|repeat the command/;
const TIMEOUT_MS = 20_000;

export type OnStep = (step: string, child: ChildProcess) => void;

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

/** Repeats a command of `stores` for a while, if the command asks for it. @throws Error when it fails. */
export async function insist(cluster: Cluster, args: readonly string[], onStep?: OnStep): Promise<MoveReport> {
  for (const giveUpAt = Date.now() + TIMEOUT_MS; ; await delay(200)) {
    const { code, stdout, stderr } = await stores(cluster, args, onStep);
    if (code === 0) return JSON.parse(stdout) as MoveReport;
    if (!REPEAT.test(stderr) || Date.now() > giveUpAt) {
      throw new Error(`stores ${args[0]} ended with ${code}: ${stderr.split('\n').slice(-10).join('\n')}`);
    }
  }
}

/** Runs the command and kills it with SIGKILL. */
export async function dieIn(scene: Scene, args: readonly string[], death: Death): Promise<void> {
  const { after, restMs, mostMs } = DEATHS[death];
  const die = async (child: ChildProcess) => {
    await delay(restMs + scene.context.random(mostMs));
    child.kill('SIGKILL');
  };
  const dying: Promise<void>[] = [];
  await stores(scene.home, args, (step, child) => {
    if (step !== after || dying.length > 0) return;
    dying.push(death === 'switch' ? whenNoClusterServes(scene, () => die(child)) : die(child));
  });
  await Promise.all(dying);
}

/** Runs work while the target cannot open the store, because its row is locked. */
async function whenNoClusterServes({ home, other, shop }: Scene, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: other.rig.database.url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM stores WHERE id = $1 FOR UPDATE', [shop.store.id]);
    await eventually(() => leftBy(home, shop.store.id), 60_000);
    await work();
  } finally {
    await client.end();
  }
}

async function leftBy({ rig }: Cluster, storeId: number): Promise<void> {
  const rows = await rig.database.query(`SELECT FROM stores WHERE id = $1 AND status = 'MOVED'`, [storeId]);
  if (rows.length === 0) throw new Error('The command does not take the store from the source');
}
