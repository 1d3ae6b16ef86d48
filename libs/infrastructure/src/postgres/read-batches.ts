import type pg from 'pg';
import { corkUntilNextTick } from './cork.js';

/** Statements that share a connection. A small number, because the others wait behind a slow one. */
const BATCH = 4;

interface Read {
  readonly query: pg.QueryConfig;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends short reads of the same tick together, a few on each connection. Under load these are many, because requests
 * wait in groups for the look-up of their keys. Sending is most of the cost of a short statement, and one packet
 * carries several. Each read has its own answer or error.
 */
export class ReadBatches {
  private waiting: Read[] = [];

  constructor(private readonly pool: () => pg.Pool) {}

  query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ query, resolve, reject }) === 1) setImmediate(() => this.send());
    });
  }

  private send(): void {
    const reads = this.waiting;
    this.waiting = [];
    for (let first = 0; first < reads.length; first += BATCH) void this.run(reads.slice(first, first + BATCH));
  }

  private async run(reads: readonly Read[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await this.pool().connect();
    } catch (error) {
      for (const { reject } of reads) reject(error);
      return;
    }
    corkUntilNextTick(client);
    const answers = reads.map(({ query }) => client.query(query));
    let failure: Error | undefined;
    for (const [index, { resolve, reject }] of reads.entries()) {
      answers[index]?.then(resolve, (error: Error) => {
        failure ??= error;
        reject(error);
      });
    }
    await Promise.allSettled(answers);
    client.release(failure);
  }
}
