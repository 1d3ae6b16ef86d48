import type { Actor, StockRefusalCode, StockWrite } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { FeedPosition } from './change-feed.js';
import type { IdempotencyScope } from './idempotency.js';

export interface StockUnit {
  /** Matches exactly, or else in any letter case; null when the line names ids. */
  readonly sku: string | null;
  readonly productId: number | null;
  readonly variantId: number | null;
}

export interface InvalidLine {
  /** What the client sent. It distinguishes two requests whose lines have the same faults. */
  readonly sent: unknown;
  readonly error: string;
}

export interface StockLine extends StockUnit {
  /** A code. It may be null when the product lies in only one bin, or when the store has only one bin. */
  readonly warehouse: string | null;
  readonly bin: string | null;
  readonly write: StockWrite;
  /**
   * The feed position of a count; null for other lines. A position is refused when the client took it from a page after
   * which the feed has more changes (`hasMore`).
   */
  readonly asOf: (Pick<FeedPosition, 'branch' | 'position'> & { readonly hasMore: boolean }) | null;
  /** What the client sent when the form of the line is wrong; null otherwise. Such a line names no unit. */
  readonly invalid: InvalidLine | null;
}

/** Texts are `''` and numbers null where the line does not give a usable value. */
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
  /** When the units moved. Absent or null means now. */
  readonly at?: Date | null;
  /** Whether one refused line refuses the whole request. */
  readonly isAtomic: boolean;
  /** Whether to create a bin that a line names and its warehouse lacks. */
  readonly createsBins: boolean;
  readonly requestHash: Buffer;
  readonly idempotency: IdempotencyScope | null;
  readonly deadline?: Deadline;
}

export interface ChangedStock {
  readonly lines: readonly StockLineResult[];
  /** Whether an earlier request with the same key or reference made the change. */
  readonly isReplay: boolean;
  /** Sold units that the counts of this request did not find. */
  readonly short: number;
}

/** Each request is one transaction. After an error, except CommitOutcomeUnknown, nothing is written. */
export abstract class StockChanges {
  /**
   * Applies or refuses each line in sequence.
   * @throws StockRefused when the request is atomic and a line is refused.
   * @throws ReferenceTaken, DatedTooEarly, IdempotencyMismatch, CommitOutcomeUnknown
   * @throws IdempotencyInFlight when another request with the key is still running after 2 s.
   * @throws Overloaded when too many changes run, in the process or for the store.
   */
  abstract apply(request: StockChangeRequest): Promise<ChangedStock>;
}
