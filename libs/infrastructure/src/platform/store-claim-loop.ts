import { MAILS_OF_STORE, type ClaimLimits } from '@app/application';
import { ClaimLoop, type ClaimLoopOptions } from './claim-loop.js';

/** Leaves places to other stores when the work of one store takes long, as with a mail server that answers slowly. */
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

/** The values $1 to $4 of a claim. */
export function valuesOf({ most, mostOfStore, running }: ClaimLimits): unknown[] {
  return [most, mostOfStore, [...running.keys()], [...running.values()]];
}

/** What a claim may take of a store: SQL, for the values of `valuesOf` and a column `store_id` of the table `waiting`. */
export const ROOM_OF_STORE = `$2::int - coalesce((
  SELECT busy.count FROM unnest($3::int[], $4::int[]) AS busy (store_id, count) WHERE busy.store_id = waiting.store_id), 0)`;

/**
 * The SQL of a table `due` with the places that a claim takes of the rows `locked`. The worker at the same moment may have locked
 * what comes first of a store: the rows behind it replace those, and no others.
 */
export const DUE_OF_LOCKED = `due AS (
    SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY store_id ORDER BY turn) AS number FROM locked) AS numbered
    WHERE number <= room
  )`;
