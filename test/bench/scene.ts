import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Rig } from '../proof/support/rig.js';
import type { Service } from '../proof/support/service.js';
import type { TestDatabase } from '../support/test-database.js';
import { CpuTime } from './cpu-time.js';
import { messageOf, startProgram, type Job, type Load } from './driver/driver.js';
import { getToKnow, type Shop } from './shop.js';
import { seedStore, settle } from './stores/seed-store.js';

export const SIDES = ['service', 'bare'] as const;

/** A server that is measured. */
export interface Side {
  readonly url: string;
  readonly pid: number;
}

/** The participants of a run: the database with its stores, the servers and their clients. */
export interface Scene {
  readonly database: TestDatabase;
  readonly sides: Readonly<Record<(typeof SIDES)[number], Side>>;
  readonly cpuTime: CpuTime;
  /** The store that all requests are about; each side has rows of its own. */
  readonly shop: Shop;
  /** Starts another process of the service. */
  start(): Promise<Service>;
  /** Carries out one job at a time. */
  drive(job: Omit<Job, 'key'>): Promise<Load>;
}

const BYSTANDERS = 9;

/** @param orders of the measured store; nine others have a tenth of its size each. */
export async function openScene(rig: Rig, orders: number, seed: number, say: (text: string) => void): Promise<Scene> {
  const { database, server } = rig;
  say('Loading the stores');
  const store = await seedStore(database, orders, seed);
  for (let n = 0; n < BYSTANDERS; n++) await seedStore(database, orders / 10, seed);
  await database.query(readFileSync(path.join(import.meta.dirname, 'reference/bare.sql'), 'utf8'));
  await settle(database);

  const shop = await getToKnow(database, store, seed);
  const driver = startProgram('driver/main.ts');
  const reference = startProgram('reference/main.ts', { DATABASE_URL: database.url });
  const bare = { url: await messageOf<string>(reference), pid: reference.pid ?? -1 };
  const env = { NODE_ENV: 'production', DATA_ENCRYPTION_KEYS: randomBytes(32).toString('base64') };
  const logFile = rig.server && path.join(rig.server.dataDir, 'service.log');
  const start = (): Promise<Service> => rig.startService({ env, ...(logFile !== null && { logFile }) });
  const service = await start();
  const postmaster = server && path.join(server.dataDir, 'postgres/postmaster.pid');
  return {
    database,
    shop,
    sides: { service, bare },
    cpuTime: new CpuTime(postmaster === null ? null : Number.parseInt(readFileSync(postmaster, 'utf8'), 10)),
    start,
    drive: (job) => {
      const load = messageOf<Load>(driver);
      driver.send({ ...job, key: shop.key } satisfies Job);
      return load;
    },
  };
}
