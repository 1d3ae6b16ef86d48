import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestDatabase } from '../../support/test-database.js';
import type { PostgresServer } from '../../proof/support/postgres-server.js';
import { Rig } from '../../proof/support/rig.js';
import type { Service } from '../../proof/support/service.js';
import { Driver } from '../driver/driver.js';
import { CpuTime } from '../figures/cpu-time.js';
import { createBareSchema } from '../reference/bare/create.js';
import { startReference, type Reference } from '../reference/reference.js';
import { seedStores, settle } from '../stores/seed-store.js';
import { getToKnow, type Shop } from '../works/shop.js';
import type { Cleanup } from './cleanup.js';
import type { Options } from './options.js';
import { POSTGRES_SETTINGS } from './postgres-settings.js';

const LOG_TAIL = 4_000;

/** One on a bare schema, and one on the service's tables, which pays for the same indexes and triggers. */
export type References = Readonly<Record<'bare' | 'sameSchema', Reference>>;

/** The participants of a run: the database with its stores, the servers and their clients. */
export class Scene {
  private readonly encryptionKeys = randomBytes(32).toString('base64');
  private current: { readonly service: Service; readonly settings: string } | null = null;

  private constructor(
    private readonly rig: Rig,
    /** Temporary files of the run. */
    private readonly directory: string,
    readonly driver: Driver,
    readonly references: References,
    readonly cpuTime: CpuTime,
    /** The store for the service's orders and for all reads. */
    readonly shop: Shop,
    /** The store for the references' orders: they keep no ledger. */
    readonly twin: Shop,
  ) {}

  /**
   * @param cleanup stops everything.
   * @param onProgress receives a message before each long step.
   */
  static async open({ sizes, seed }: Options, cleanup: Cleanup, onProgress: (text: string) => void): Promise<Scene> {
    onProgress('opening the database');
    const opening = Rig.open(POSTGRES_SETTINGS);
    cleanup.add(async () => (await opening).close());
    const rig = await opening;
    const directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-bench-'));
    cleanup.add(() => rm(directory, { recursive: true }));

    const { database } = rig;
    onProgress('loading the stores');
    const { measured, twin } = await seedStores(database, sizes, seed);
    onProgress('copying them to the bare schema');
    await createBareSchema(database);
    await settle(database);
    const driver = Driver.start();
    cleanup.add(() => driver.close());
    const bare = await startReference(database.url, 'bare');
    cleanup.add(() => bare.close());
    const sameSchema = await startReference(database.url, 'public');
    cleanup.add(() => sameSchema.close());
    const cpuTime = new CpuTime(rig.server && postmasterOf(rig.server));
    const shops = [await getToKnow(database, measured, seed), await getToKnow(database, twin, seed)] as const;
    return new Scene(rig, directory, driver, { bare, sameSchema }, cpuTime, ...shops);
  }

  get database(): TestDatabase {
    return this.rig.database;
  }

  /** The settings of a production deployment. */
  get production(): Readonly<Record<string, string>> {
    const { url } = this.database;
    return { NODE_ENV: 'production', DATABASE_URL: url, DATA_ENCRYPTION_KEYS: this.encryptionKeys };
  }

  /** The path of a temporary file. */
  file(name: string): string {
    return path.join(this.directory, name);
  }

  /** The output of servers that ended unexpectedly; empty while all run. */
  get lastWords(): string {
    const { current, references } = this;
    const service =
      current?.service.isRunning === false ? `The service has ended:\n${current.service.log.slice(-LOG_TAIL)}` : '';
    const ended = Object.values(references).filter((reference) => !reference.isRunning());
    return service + ended.map(({ schema }) => `The reference on the schema ${schema} has ended\n`).join('');
  }

  /** More processes of the service; the caller ends them. */
  processes(count: number, env: Readonly<Record<string, string>>): Promise<Service[]> {
    return Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.rig.startService({
          env: { ...this.production, ...env },
          logFile: this.file(`service-${index}.log`),
        }),
      ),
    );
  }

  /** The process of the service that is measured; different settings replace it. */
  async service(env: Readonly<Record<string, string>> = {}): Promise<Service> {
    const settings = JSON.stringify(env);
    if (this.current?.settings === settings) return this.current.service;
    await this.current?.service.kill();
    const service = await this.rig.startService({
      env: { ...this.production, ...env },
      logFile: this.file('service.log'),
    });
    this.current = { service, settings };
    return service;
  }
}

function postmasterOf({ dataDir }: PostgresServer): number {
  return Number.parseInt(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}
