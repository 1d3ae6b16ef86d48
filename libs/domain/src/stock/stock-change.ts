import { MAX_INT4 } from '../values/value-kind.js';

export type StockWrite =
  | { readonly kind: 'adjust'; readonly by: number }
  /** `expected` is the quantity that the writer assumes; null overwrites any quantity. */
  | { readonly kind: 'set'; readonly to: number; readonly expected: number | null }
  | {
      readonly kind: 'count';
      readonly counted: number;
      /**
       * `available` excludes sold units. `on_hand` counts everything on the shelf. `in_bin` is like `on_hand`, but
       * picked units have already left the bin.
       */
      readonly basis: CountBasis;
    };

export const COUNT_BASES = ['available', 'on_hand', 'in_bin'] as const;
export type CountBasis = (typeof COUNT_BASES)[number];

export const MOVEMENT_KINDS = ['OPENING', 'ORDER', 'CANCELLATION', 'RETURN', 'ADJUSTMENT', 'SET', 'COUNT'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

export const STOCK_REFUSALS = [
  'invalid',
  'unknown_sku',
  'ambiguous_sku',
  'unknown_bin',
  'too_many_bins',
  'below_zero',
  'above_limit',
  'stale',
  'cursor_expired',
  'superseded',
] as const;
export type StockRefusalCode = (typeof STOCK_REFUSALS)[number];

export interface StockRefusal {
  readonly code: StockRefusalCode;
  readonly error: string;
}

export interface CountFacts {
  /** Position of the snapshot in the feed; later positions are higher. */
  readonly position: number;
  /** Units of orders that were placed and not yet shipped at that position. */
  readonly unshipped: number;
  /** Net units of the movements after that position, without counts. */
  readonly movedSince: number;
  /** Whether a set or an opening stock follows that position. */
  readonly isOverwritten: boolean;
  /** Position of the bin's last count; null when it was never counted on this branch. */
  readonly lastCount: number | null;
}

export interface StockOutcome {
  readonly before: number;
  readonly after: number;
  /** Units that were sold although the count did not find them. */
  readonly short: number;
  readonly refusal: StockRefusal | null;
}

/** Tracks the stock in a bin through the lines of one request. */
export class BinStock {
  private adjusted = 0;
  private isSet = false;

  /** @param quantity the units that were read under the lock of the bin. */
  constructor(private quantity: number) {}

  adjust(by: number): StockOutcome {
    const after = this.quantity + by;
    if (after < 0) return this.refuse('below_zero', `The bin holds only ${this.quantity}`);
    if (after > MAX_INT4) return this.refuse('above_limit', `A bin can hold at most ${MAX_INT4} units`);
    this.adjusted += by;
    return this.become(after);
  }

  set(to: number, expected: number | null): StockOutcome {
    // @protects expected-quantity
    if (expected !== null && expected !== this.quantity) {
      return this.refuse('stale', `The bin holds ${this.quantity}, not ${expected}`);
    }
    this.isSet = true;
    return this.become(to);
  }

  /**
   * Movements after the position of the count still apply; the correction by an earlier count does not. All counts of
   * the request have the same position: any others are superseded.
   */
  count(counted: number, facts: CountFacts): StockOutcome {
    if (this.isSet || facts.isOverwritten || facts.position < (facts.lastCount ?? 0)) return this.supersede();
    // @protects moved-since
    const after = counted - facts.unshipped + facts.movedSince + this.adjusted;
    if (after > MAX_INT4) return this.refuse('above_limit', `A bin can hold at most ${MAX_INT4} units`);
    return { ...this.become(Math.max(after, 0)), short: Math.max(-after, 0) };
  }

  /** Refuses a count that a later count or set of the bin overrides. */
  supersede(): StockOutcome {
    return this.refuse('superseded', 'The bin was counted or set after the cursor of this count');
  }

  private become(after: number): StockOutcome {
    const before = this.quantity;
    this.quantity = after;
    return { before, after, short: 0, refusal: null };
  }

  private refuse(code: StockRefusalCode, error: string): StockOutcome {
    return { before: this.quantity, after: this.quantity, short: 0, refusal: { code, error } };
  }
}
