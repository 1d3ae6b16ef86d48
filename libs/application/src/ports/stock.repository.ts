import type { Page, PageOf } from './page.js';

export interface StockId {
  readonly productId: number;
  readonly variantId: number | null;
  readonly binId: number;
}

export interface StockRecord extends StockId {
  /** Of the variant or the product; `""` when it has none. */
  readonly sku: string;
  readonly warehouse: string;
  readonly bin: string;
  /** Available units. */
  readonly quantity: number;
}

/** Conditions on a list of stock; absent ones do not filter. */
export interface StockFilter {
  /** Of units with one of these SKUs: each exactly, or else in any letter case. */
  readonly skus?: readonly string[];
  readonly productId?: number;
  /** Codes, exactly. */
  readonly warehouse?: string;
  readonly bin?: string;
}

export abstract class StockRepository {
  /** By product id, variant id (the product itself first) and bin id. */
  abstract list(storeId: number, filter: StockFilter, page: Page): Promise<PageOf<StockRecord>>;

  /** In no order. Ids without a row are missing in the result. */
  abstract findByIds(storeId: number, ids: readonly StockId[]): Promise<StockRecord[]>;
}
