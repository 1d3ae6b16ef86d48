import { setTimeout as delay } from 'node:timers/promises';
import type { EmbeddedPostgres } from '@app/embedded-postgres';
import pg from 'pg';

/** A read replica that a test can pause and stop. */
export class Standby {
  private isRunning = true;
  private transactions = 0;

  /** @param url URL of the database that the service reads. */
  constructor(
    private readonly server: EmbeddedPostgres,
    readonly url: string,
  ) {}

  /** The number of transactions so far. Each read is one transaction. */
  async count(): Promise<number> {
    if (!this.isRunning) return this.transactions;
    const [row] = await this.ask<{ n: string }>(
      'SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return (this.transactions = Number(row?.n));
  }

  /** Receives the primary's WAL but does not apply it. */
  async pause(milliseconds: number): Promise<void> {
    await this.ask('SELECT pg_wal_replay_pause()');
    await delay(milliseconds);
    await this.ask('SELECT pg_wal_replay_resume()');
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await this.server.stop();
  }

  private async ask<Row>(sql: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Row[];
    } finally {
      await client.end();
    }
  }
}
