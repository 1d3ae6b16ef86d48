import type { Currency, PriceRefusalCode, QuantityRule } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { ChangeOrigin } from './audit-log.js';
import type { IdempotencyScope } from './idempotency.js';
import type { ResolvedSku } from './sku.repository.js';
import type { InvalidLine, StockUnit } from './stock-changes.js';

export interface PriceLine extends StockUnit {
  /**
   * Decimal text in major units, of at most 11 digits before the point. Null removes the price of a list. Undefined leaves
   * the price as it is: the line gives a quantity rule.
   */
  readonly price: string | null | undefined;
  /** The price that the writer assumes, as decimal text; null overwrites any price, and none. */
  readonly expected: string | null;
  /** The quantity from which the price of a list applies; 1 without a list. */
  readonly fromQuantity: number;
  /** The quantity rule of the unit, in the list or in the catalog: null removes it, undefined leaves it as it is. */
  readonly rule: QuantityRule | null | undefined;
  /** What the line contains when its form is wrong. It then names no unit. */
  readonly invalid: InvalidLine | null;
}

/**
 * Prices are in minor units, and null where the list has none. Texts are `''` and numbers null where the line does not
 * give a usable value.
 */
export interface PriceLineResult {
  readonly line: number;
  readonly sku: string;
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly before: number | null;
  readonly after: number | null;
  readonly code: PriceRefusalCode | null;
  readonly error: string;
}

export interface PriceChangeRequest {
  readonly storeId: number;
  readonly currency: Currency;
  /** The code of the price list that the lines change; null means the catalog. */
  readonly list: string | null;
  readonly lines: readonly (PriceLine & { readonly unit: ResolvedSku })[];
  /** The client's number of the request, unique among the store's price changes for ever. */
  readonly reference: string | null;
  /** Whether one refused line refuses the whole request. */
  readonly isAtomic: boolean;
  readonly requestHash: Buffer;
  readonly idempotency: IdempotencyScope | null;
  readonly origin: ChangeOrigin;
  readonly deadline: Deadline;
}

export interface ChangedPrices {
  readonly lines: readonly PriceLineResult[];
  /** Whether an earlier request with the same key or reference made the change. */
  readonly isReplay: boolean;
}

/** Each request is one transaction. After an error, except CommitOutcomeUnknown, nothing is written. */
export abstract class PriceChanges {
  /**
   * Applies or refuses each line in sequence: a second line for the same unit sees the price of the first. The price of
   * a product with variants is that of an order without a variant. An unchanged price is not written. Removing the last
   * price of a unit from a list removes its quantity rule in the list, too.
   * @throws UnknownPriceList when the store has no such list.
   * @throws PricesRefused when the request is atomic and a line is refused.
   * @throws ReferenceTaken, IdempotencyMismatch, CommitOutcomeUnknown
   * @throws IdempotencyInFlight when another request with the key is still running after 2 s.
   * @throws Overloaded when too many changes run, in the process or for the store.
   */
  abstract apply(request: PriceChangeRequest): Promise<ChangedPrices>;
}
