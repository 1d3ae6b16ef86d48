import type { PriceBreak, QuantityRule } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { ChangeOrigin } from './audit-log.js';
import type { Page, PageOf } from './page.js';
import type { SkuId } from './sku.repository.js';

export interface PriceList {
  /** Unique in the store, of 1 to 64 characters. Letter case matters. */
  readonly code: string;
  readonly name: string;
  /** Among the lists of a customer's groups, the highest applies first. */
  readonly priority: number;
  /** The first and the last day on which the list applies, in the store's time zone, as `YYYY-MM-DD`; null: without end. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  /** Groups of customers to whom the list applies. Letter case matters. */
  readonly customerGroups: readonly string[];
}

export interface PriceListFilter {
  readonly code?: string;
  readonly customerGroup?: string;
  /** A day, as `YYYY-MM-DD`, on which the list applies. */
  readonly validOn?: string;
}

export interface UnitPricesFilter {
  /** The code of a list; absent: the catalog. */
  readonly list?: string;
  /** Each means what it means in a line of a change. */
  readonly skus?: readonly string[];
}

/** The prices and the quantity rule of a unit, in the catalog or in a list. */
export interface UnitPrices extends SkuId {
  /** `''` when there is none. */
  readonly sku: string;
  /** Sorted by quantity, lowest first. The catalog has one price, from quantity 1. */
  readonly priceBreaks: readonly PriceBreak[];
  /** Null where the catalog or the list has none for the unit. */
  readonly rule: QuantityRule | null;
}

export interface UnitPricesPage {
  readonly limit: number;
  /** The unit after which the page begins; absent: the first page. */
  readonly after?: SkuId;
}

export abstract class PriceListRepository {
  /** Sorted by code as code points. */
  abstract list(storeId: number, filter: PriceListFilter, page: Page): Promise<PageOf<PriceList>>;

  /** Finds the existing lists among the codes, in any order. */
  abstract findByCodes(storeId: number, codes: readonly string[]): Promise<PriceList[]>;

  /**
   * Creates the list, or replaces what it says and keeps its prices.
   * @throws TooManyPriceLists when the store has as many as it may have.
   * @throws CommitOutcomeUnknown
   */
  abstract save(storeId: number, list: PriceList, origin: ChangeOrigin): Promise<void>;

  /**
   * Deletes the list with its prices, in one transaction.
   * @returns whether there was one.
   * @throws PriceListInUse when a customer has the list.
   * @throws DeadlineExceeded, Overloaded, CommitOutcomeUnknown
   */
  abstract delete(storeId: number, code: string, deadline: Deadline, origin: ChangeOrigin): Promise<boolean>;

  /**
   * Returns the units that the list has prices for, or all products and variants of the catalog, of every status. Sorted by
   * product id, then variant id, the product itself first.
   */
  abstract prices(
    storeId: number,
    filter: UnitPricesFilter,
    page: UnitPricesPage,
  ): Promise<{ readonly rows: readonly UnitPrices[]; readonly hasMore: boolean }>;

  /** Counts these units after `after`, or all; about `most` when there are more. */
  abstract countPrices(storeId: number, filter: UnitPricesFilter, after: SkuId | null, most: number): Promise<number>;
}
