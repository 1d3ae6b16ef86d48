import type { StockItem } from '@app/domain';
import type { Page, PageOf } from './page.js';

export interface StockId extends StockItem {
  readonly binId: number;
}

export interface StockRecord extends StockId {
  /** The SKU of the variant or the product; `""` when it has none. */
  readonly sku: string;
  readonly warehouse: string;
  readonly bin: string;
  /** Available units. */
  readonly quantity: number;
}

export interface StockFilter {
  /** Each SKU matches exactly, or else in any letter case. */
  readonly skus?: readonly string[];
  readonly productId?: number;
  /** Matches the code exactly. */
  readonly warehouse?: string;
  readonly bin?: string;
}

export interface WarehouseRecord {
  readonly code: string;
  readonly name: string;
  /** Whether its stock is for sale. */
  readonly active: boolean;
  /** Codes, sorted as code points. */
  readonly bins: readonly string[];
}

export abstract class StockRepository {
  /** Sorted by product id, variant id (the product itself first) and bin id. */
  abstract list(storeId: number, filter: StockFilter, page: Page): Promise<PageOf<StockRecord>>;

  /** Finds the existing stock among the ids, in any order. */
  abstract findByIds(storeId: number, ids: readonly StockId[]): Promise<StockRecord[]>;

  /** Sorted by code, as code points. */
  abstract warehouses(storeId: number, page: Page): Promise<PageOf<WarehouseRecord>>;
}
