import { DeadlineExceeded, MAX_READS_OF_CONNECTION } from '@app/application';
import type pg from 'pg';

export type IsWanted = () => boolean;

interface Read {
  readonly query: pg.QueryConfig;
  /** Null for a read that its request cannot do without. */
  readonly isWanted: IsWanted | null;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends short reads of the same tick together, a few of a store on each connection, without waiting for the answers in between. Under
 * load these are many, because requests wait in groups for the look-up of their keys.
 */
export class ReadBatches {
  private waiting: Read[] = [];

  constructor(private readonly pool: pg.Pool) {}

  query(query: pg.QueryConfig, isWanted: IsWanted | null = null): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ query, isWanted, resolve, reject }) === 1) setImmediate(() => this.send());
    });
  }

  private send(): void {
    const reads = this.waiting;
    this.waiting = [];
    for (const batch of inBatches(reads)) void this.run(batch);
  }

  private async run(batch: readonly Read[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const reads = inOrder(batch);
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

/** Each batch has the reads of one store, so that no store waits behind a slow read of another. */
function inBatches(reads: readonly Read[]): Read[][] {
  const batches: Read[][] = [];
  const lastOf = new Map<unknown, Read[]>();
  let owner: unknown;
  for (const read of reads) {
    owner = ownerOf(read) ?? owner;
    let batch = lastOf.get(owner);
    if (!batch || isFull(batch, read)) {
      batches.push((batch = []));
      lastOf.set(owner, batch);
    }
    batch.push(read);
  }
  return batches;
}

/** The store, or one group for what finds the store, such as keys. A read without values belongs to the one before it. */
function ownerOf({ query: { values = [] } }: Read): unknown {
  const first: unknown = values[0];
  return first === undefined || typeof first === 'number' ? first : 'all stores';
}

/** A second optional read would make its connection wait twice for the same lock. */
function isFull(batch: readonly Read[], { isWanted }: Read): boolean {
  return (
    batch.length === MAX_READS_OF_CONNECTION || (isWanted !== null && batch.some((other) => other.isWanted !== null))
  );
}

/** Rejects the reads whose callers have given up. */
function inOrder(batch: readonly Read[]): Read[] {
  const [needed, optional]: [Read[], Read[]] = [[], []];
  for (const read of batch) {
    if (read.isWanted === null) needed.push(read);
    else if (read.isWanted()) optional.push(read);
    else read.reject(new DeadlineExceeded());
  }
  return [...needed, ...optional];
}
