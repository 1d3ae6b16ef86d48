import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@store-commerce/embedded-postgres';
import { freePort } from '../../support/free-port.js';

type Settings = Readonly<Record<string, string>>;

/** Durability is the server's default. It is set explicitly because a proof without it would prove nothing. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

export class PostgresServer {
  private constructor(
    readonly dataDir: string,
    private readonly settings: Settings,
    private server: EmbeddedPostgres,
  ) {}

  static async launch(tuning: Settings = {}, dataDir = newDataDir()): Promise<PostgresServer> {
    const settings = { ...tuning, ...DURABLE, port: String(await freePort()) };
    return new PostgresServer(dataDir, settings, await startEmbeddedPostgres({ dataDir, settings }));
  }

  get url(): string {
    return this.server.url;
  }

  /** Sends kill -9 to the postmaster; resolves when it is gone. Its sessions then end on their own. */
  async kill(): Promise<void> {
    const file = path.join(this.dataDir, 'postgres/postmaster.pid');
    process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGKILL');
    await this.server.stop();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  async start(): Promise<void> {
    this.server = await startEmbeddedPostgres({ dataDir: this.dataDir, settings: this.settings });
  }

  copy(): Promise<PostgresServer> {
    const copy = newDataDir();
    // Unlike cpSync, cp keeps the owner of the files.
    execFileSync('cp', ['-a', `${this.dataDir}/.`, copy]);
    return PostgresServer.launch(this.settings, copy);
  }

  async remove(): Promise<void> {
    await this.server.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function newDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), 'store-commerce-proof-'));
}
