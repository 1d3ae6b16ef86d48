import type { Actor, StockRefusalCode, StockWrite } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { FeedPosition } from './change-feed.js';
import type { IdempotencyScope } from './idempotency.js';

export interface StockUnit {
  /** Exactly, or else in any letter case; null = by ids. */
  readonly sku: string | null;
  readonly productId: number | null;
  readonly variantId: number | null;
}

export interface InvalidLine {
  /** Tells two requests apart whose lines have the same faults. */
  readonly sent: unknown;
  readonly error: string;
}

export interface StockLine extends StockUnit {
  /** Codes; null where the product lies in one bin only, or the store has only one. */
  readonly warehouse: string | null;
  readonly bin: string | null;
  readonly write: StockWrite;
  /** The place of a count in the feed; null for other lines. No count is placed where a page has more. */
  readonly asOf: (Pick<FeedPosition, 'branch' | 'position'> & { readonly hasMore: boolean }) | null;
  /** What the line has instead of the form of one; it names no unit then. */
  readonly invalid: InvalidLine | null;
}

/** Texts are `''` and numbers null where the line does not say what it means. */
export interface StockLineResult {
  readonly line: number;
  readonly sku: string;
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly warehouse: string;
  readonly bin: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly short: number;
  readonly code: StockRefusalCode | null;
  readonly error: string;
}

export interface StockChangeRequest {
  readonly storeId: number;
  readonly actor: Actor;
  readonly lines: readonly StockLine[];
  /** The client's number of the request, unique in the store for ever. */
  readonly reference: string | null;
  /** The reason in the ledger; `''` for none. */
  readonly reason: string;
  /** When the units moved; absent or null: now. */
  readonly at?: Date | null;
  /** Whether no line changes anything when one is refused. */
  readonly isAtomic: boolean;
  /** Whether a bin that a line names is made where its warehouse lacks it. */
  readonly createsBins: boolean;
  readonly requestHash: Buffer;
  readonly idempotency: IdempotencyScope | null;
  readonly deadline?: Deadline;
}

export interface ChangedStock {
  readonly lines: readonly StockLineResult[];
  /** Whether an earlier request, with the same key or reference, made the change. */
  readonly isReplay: boolean;
  /** Sold units that the counts of this request did not find. */
  readonly short: number;
}

/** Each request is one transaction. After an error, except CommitOutcomeUnknown, nothing is written. */
export abstract class StockChanges {
  /**
   * Applies or refuses each line, in their order.
   * @throws StockRefused when the request is atomic and a line is refused.
   * @throws ReferenceTaken, DatedTooEarly, IdempotencyMismatch, CommitOutcomeUnknown
   * @throws IdempotencyInFlight when another request with the key is still running after 2 s.
   * @throws Overloaded when too many changes run, in the process or of the store.
   */
  abstract apply(request: StockChangeRequest): Promise<ChangedStock>;
}
