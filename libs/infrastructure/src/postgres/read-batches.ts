import { DeadlineExceeded, MAX_READS_OF_CONNECTION } from '@app/application';
import type pg from 'pg';

/** The owner of statements that belong to no single store, such as key look-ups. */
export const ALL_STORES = 'all stores';

/** The owner of the slot that a statement takes: the id of a store, or `ALL_STORES`. */
export type Owner = number | typeof ALL_STORES;

export type IsWanted = () => boolean;

/** Runs work on a connection when the owner may take one, and closes the connection when the work fails. */
export type OnClient = (owner: Owner, work: (client: pg.PoolClient) => Promise<void>) => Promise<void>;

interface Read {
  readonly query: pg.QueryConfig;
  /** Whether the caller still waits for the result. Null when the request always needs the result. */
  readonly isWanted: IsWanted | null;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the short reads of one tick and sends them in batches. A batch has a few reads of one store and uses one
 * connection. The reads of a batch are sent without waiting for the answers in between. Under load, one tick has many
 * reads, because one look-up of API keys answers a group of waiting requests.
 */
export class ReadBatches {
  private waiting: Read[] = [];

  constructor(private readonly onClient: OnClient) {}

  query(query: pg.QueryConfig, isWanted: IsWanted | null = null): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ query, isWanted, resolve, reject }) === 1) setImmediate(() => this.send());
    });
  }

  private send(): void {
    const reads = this.waiting;
    this.waiting = [];
    for (const { owner, reads: batch } of inBatches(reads)) void this.run(owner, batch);
  }

  private async run(owner: Owner, batch: readonly Read[]): Promise<void> {
    const work = async (client: pg.PoolClient) => {
      const reads = inOrder(batch);
      const answers = reads.map(({ query }) => client.query(query));
      for (const [index, { resolve, reject }] of reads.entries()) answers[index]?.then(resolve, reject);
      const failed = (await Promise.allSettled(answers)).find((answer) => answer.status === 'rejected');
      if (failed) throw failed.reason;
    };
    try {
      await this.onClient(owner, work);
    } catch (error) {
      // Reads that already have an answer ignore the rejection.
      for (const { reject } of batch) reject(error);
    }
  }
}

interface Batch {
  readonly owner: Owner;
  readonly reads: Read[];
}

/** Each batch has reads of only one store, so that no store waits for a slow read of another. */
function inBatches(reads: readonly Read[]): Batch[] {
  const batches: Batch[] = [];
  const lastOf = new Map<Owner, Batch>();
  let owner: Owner = ALL_STORES;
  for (const read of reads) {
    // A read without values belongs to the same owner as the previous one.
    owner = read.query.values?.length ? ownerOf(read.query.values) : owner;
    let batch = lastOf.get(owner);
    if (!batch || isFull(batch.reads, read)) {
      batches.push((batch = { owner, reads: [] }));
      lastOf.set(owner, batch);
    }
    batch.reads.push(read);
  }
  return batches;
}

/** The owner of a statement whose caller gives no owner. A number as the first value is the id of the store. */
export function ownerOf([first]: readonly unknown[]): Owner {
  return typeof first === 'number' ? first : ALL_STORES;
}

/** A batch takes only one optional read: with a second one, the connection might wait twice for the same lock. */
function isFull(batch: readonly Read[], { isWanted }: Read): boolean {
  return (
    batch.length === MAX_READS_OF_CONNECTION || (isWanted !== null && batch.some((other) => other.isWanted !== null))
  );
}

/** Puts optional reads last and rejects those whose callers no longer wait. */
function inOrder(batch: readonly Read[]): Read[] {
  const [needed, optional]: [Read[], Read[]] = [[], []];
  for (const read of batch) {
    if (read.isWanted === null) needed.push(read);
    else if (read.isWanted()) optional.push(read);
    else read.reject(new DeadlineExceeded());
  }
  return [...needed, ...optional];
}
