import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestDatabase } from '../../support/test-database.js';
import { Rig } from '../../proof/support/rig.js';
import type { Service } from '../../proof/support/service.js';
import { Driver } from '../driver/driver.js';
import { startReference, type Reference } from '../reference/reference.js';
import { seedStores } from '../stores/seed-store.js';
import { getToKnow, type Shop } from '../works/shop.js';
import type { Options } from './options.js';
import { POSTGRES_SETTINGS } from './postgres-settings.js';

/** Everything that takes part: the database with its stores, the two servers and their clients. */
export class Scene {
  private readonly directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-bench-'));
  private readonly encryptionKeys = randomBytes(32).toString('base64');
  private current: { readonly service: Service; readonly settings: string } | null = null;

  private constructor(
    private readonly rig: Rig,
    readonly driver: Driver,
    readonly reference: Reference,
    /** That of the service, and of all reads. */
    readonly shop: Shop,
    /** Where the reference takes orders: it keeps no ledger. */
    readonly twin: Shop,
  ) {}

  /** @param onProgress is told what takes long. */
  static async open({ sizes, seed }: Options, onProgress: (text: string) => void): Promise<Scene> {
    onProgress('starting PostgreSQL');
    const rig = await Rig.open(POSTGRES_SETTINGS);
    const { database } = rig;
    let driver: Driver | null = null;
    try {
      onProgress('loading the stores');
      const { measured, twin } = await seedStores(database, sizes, seed);
      driver = Driver.start();
      const shops = [await getToKnow(database, measured, seed), await getToKnow(database, twin, seed)] as const;
      return new Scene(rig, driver, await startReference(database.url), ...shops);
    } catch (error) {
      await driver?.close();
      await rig.close();
      throw error;
    }
  }

  get database(): TestDatabase {
    return this.rig.database;
  }

  /** What operators set. */
  get production(): Readonly<Record<string, string>> {
    const { url } = this.database;
    return { NODE_ENV: 'production', DATABASE_URL: url, DATA_ENCRYPTION_KEYS: this.encryptionKeys };
  }

  /** One that goes with the scene. */
  file(name: string): string {
    return path.join(this.directory, name);
  }

  /** The one process of the service, as users run it; another one when other settings are asked for. */
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

  async close(): Promise<void> {
    await Promise.all([this.driver.close(), this.reference.close()]);
    await this.rig.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
