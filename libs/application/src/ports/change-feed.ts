import type { BrandRecord } from './brand.repository.js';
import type { CategoryRecord } from './category.repository.js';
import type { CustomerRecord } from './customer.repository.js';
import type { OrderRecord } from './order.repository.js';
import type { ProductRecord } from './product.repository.js';
import type { SkuRecord } from './sku.repository.js';
import type { StockRecord } from './stock.repository.js';

export interface RecordOfKind {
  readonly orders: OrderRecord;
  readonly products: ProductRecord;
  readonly skus: SkuRecord;
  readonly customers: CustomerRecord;
  readonly categories: CategoryRecord;
  readonly brands: BrandRecord;
  readonly stock: StockRecord;
}

export const CHANGE_KINDS = ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The newest change of a resource. A resource occurs once in the feed. */
export interface Change {
  readonly kind: ChangeKind;
  /** `70-12` is the SKU of variant 12 of product 70, `70-12-5` its stock in bin 5 (changed-records.ts). */
  readonly id: string;
  readonly position: number;
  /** When the change entered the feed, a moment after its commit. */
  readonly at: Date;
}

export interface FeedPosition {
  /** The history of the database that counts the positions. A restore, or a fail-over, begins another one. */
  readonly branch: string;
  readonly position: number;
  /** Tombstones up to this position were gone when the reader began: it misses none of them. */
  readonly base: number;
}

/**
 * Where a read begins: after a place, with the first change at or after a time, at the end, or, for null, with everything. A
 * time in the future is the end.
 */
export type FeedStart = FeedPosition | Date | 'end' | null;

/** A change with the full record of the resource as it is now; null when the API does not show it any more. */
export type ChangedResource = {
  readonly [Kind in ChangeKind]: Change & { readonly kind: Kind; readonly record: RecordOfKind[Kind] | null };
}[ChangeKind];

export interface FeedPage {
  readonly changes: readonly Change[];
  readonly next: FeedPosition;
  readonly hasMore: boolean;
  /** Whether the reader has seen changes that the database has lost. The page is then the first of the whole feed. */
  readonly rewound: boolean;
}

export interface FeedQuery {
  readonly kinds: readonly ChangeKind[];
  /** Whether the orders are those of test keys; absent = all. A deleted order is either. */
  readonly isTest?: boolean | undefined;
  readonly after: FeedStart;
  readonly limit: number;
  /** Whether the read is one of many: these share a part of the connections. */
  readonly bulk?: boolean;
}

/** What changed in a store, in order: a new change never appears before a position that a reader has passed. */
export abstract class ChangeFeed {
  /**
   * Reads what is committed after a place. A change that is committed before the call may be missing only while it gets
   * its position, in another call or because that takes long.
   * @throws CursorExpired when the reader may have missed a deletion, which the feed keeps for `DELETION_RETENTION_DAYS`.
   */
  abstract read(storeId: number, query: FeedQuery): Promise<FeedPage>;

  /**
   * Gives the committed changes of a store their positions, unless that takes long. Changes of prices and stock, imports and
   * erasures end with it, so that the next read has their time. Orders do not: what they sell gets its position later.
   */
  abstract catchUp(storeId: number): Promise<void>;

  /** The newest position of each kind in each store, with everything that is committed; 0 without any. */
  abstract newest(storeIds: readonly number[]): Promise<NewestPositions>;
}

export type NewestPositions = ReadonlyMap<number, Readonly<Record<ChangeKind, number>>>;
