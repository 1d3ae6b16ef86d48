import { MAILS_OF_STORE, type ClaimLimits } from '@app/application';
import { ClaimLoop, type ClaimLoopOptions } from './claim-loop.js';

/** Leaves slots to other stores when the work of one store takes long, for example with a slow mail server. */
export abstract class StoreClaimLoop<Claim extends { readonly storeId: number }> extends ClaimLoop<Claim> {
  private readonly mostOfStore: number;

  constructor(options: ClaimLoopOptions) {
    super(options);
    this.mostOfStore = Math.max(1, Math.floor(options.concurrency * MAILS_OF_STORE));
  }

  /** Claims due work, which no other worker then has for some time. */
  abstract claimWithin(limits: ClaimLimits): Promise<readonly Claim[]>;

  override claim(most: number): Promise<readonly Claim[]> {
    return this.claimWithin({ most, mostOfStore: this.mostOfStore, running: this.runningByStore() });
  }

  protected override isHeldBack(): boolean {
    return [...this.runningByStore().values()].some((count) => count >= this.mostOfStore);
  }

  private runningByStore(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { storeId } of this.running.values()) counts.set(storeId, (counts.get(storeId) ?? 0) + 1);
    return counts;
  }
}

/** Returns the values $1 to $4 of a claim. */
export function valuesOf({ most, mostOfStore, running }: ClaimLimits): unknown[] {
  return [most, mostOfStore, [...running.keys()], [...running.values()]];
}

/** SQL for how many rows a claim may take from a store. It needs the values of `valuesOf`, and a table `waiting` with `store_id`. */
export const ROOM_OF_STORE = `$2::int - coalesce((
  SELECT busy.count FROM unnest($3::int[], $4::int[]) AS busy (store_id, count) WHERE busy.store_id = waiting.store_id), 0)`;

/**
 * SQL of a table `due` with the rows that a claim takes from `locked`. A concurrent worker may have locked the first rows of
 * a store; only the rows behind them replace those.
 */
export const DUE_OF_LOCKED = `due AS (
    SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY store_id ORDER BY turn) AS number FROM locked) AS numbered
    WHERE number <= room
  )`;
