import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestDatabase } from '../../support/test-database.js';
import { operate } from './cli.js';
import { PostgresServer } from './postgres-server.js';
import { Service, type Role } from './service.js';

export interface ProcessOptions {
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile?: string;
}

export class Rig {
  readonly processes: Service[] = [];
  private readonly dataDir = mkdtempSync(path.join(tmpdir(), 'store-commerce-rig-'));
  private shared: Promise<readonly [Service, Service]> | null = null;
  private readonly killAll = () => {
    for (const service of this.processes) void service.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  };

  constructor(
    readonly database: TestDatabase,
    /** `null` when the proof may not kill it: with `DATABASE_URL`, and in the quick forms. */
    readonly server: PostgresServer | null,
  ) {
    // This also runs on interruption: no other code would end the processes.
    process.once('exit', this.killAll);
  }

  /** Opens a durable server with those settings, or a database on the server of `DATABASE_URL`. */
  static async open(tuning: Readonly<Record<string, string>> = {}): Promise<Rig> {
    const given = process.env['DATABASE_URL'];
    return given ? new Rig(await createDatabase(given), null) : Rig.launch(tuning);
  }

  /** Opens a server of its own in any case. @param migrate options of that command. */
  static async launch(tuning: Readonly<Record<string, string>>, ...migrate: readonly string[]): Promise<Rig> {
    const server = await PostgresServer.launch(tuning);
    try {
      return new Rig(await createDatabase(server.url, ...migrate), server);
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  pair(): Promise<readonly [Service, Service]> {
    return (this.shared ??= Promise.all([this.startService(), this.startService()]));
  }

  startService(options: ProcessOptions = {}): Promise<Service> {
    return this.start('api', options);
  }

  startWorker(options: ProcessOptions = {}): Promise<Service> {
    return this.start('worker', options);
  }

  async restart(service: Service): Promise<Service> {
    const next = await service.restart();
    this.processes.push(next);
    return next;
  }

  async close(): Promise<void> {
    process.off('exit', this.killAll);
    await Promise.all(this.processes.map((service) => service.kill()));
    await this.database.drop().catch(() => undefined);
    await this.server?.remove();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async start(role: Role, options: ProcessOptions): Promise<Service> {
    const { databaseUrl = this.database.url, env = {}, logFile } = options;
    // A single key represents a whole crowd here.
    const settings = { DATABASE_URL: databaseUrl, DATA_DIR: this.dataDir, PIPELINE: 'off', THROTTLE_PER_10S: '0' };
    const service = await Service.start({ role, env: { ...settings, ...env }, logFile });
    this.processes.push(service);
    return service;
  }
}

export async function createDatabase(serverUrl: string, ...options: readonly string[]): Promise<TestDatabase> {
  const name = `proof_${randomBytes(4).toString('hex')}`;
  const admin = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await admin(`CREATE DATABASE ${name}`);
  const url = urlOf(serverUrl, name);
  await operate(url, 'migrate', ...options);
  const connected = connect(url);
  return {
    ...connected,
    drop: async () => {
      await connected.drop();
      await admin(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** The same database on a copy of its server, which goes with the copy. */
export function databaseOn(serverUrl: string, { url }: Pick<TestDatabase, 'url'>): TestDatabase {
  return connect(urlOf(serverUrl, new URL(url).pathname.slice(1)));
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

function connect(url: string): TestDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined)); // DROP may overtake the pool's end
  return {
    url,
    query: async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[],
    drop: () => pool.end(),
  };
}
