import type { BrandRecord } from './brand.repository.js';
import type { CategoryRecord } from './category.repository.js';
import type { CustomerRecord } from './customer.repository.js';
import type { OrderRecord } from './order.repository.js';
import type { PriceList } from './price-list.repository.js';
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
  readonly price_lists: PriceList;
}

export const CHANGE_KINDS = [
  'orders',
  'products',
  'skus',
  'customers',
  'categories',
  'brands',
  'stock',
  'price_lists',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The latest change of a resource. Each resource occurs once in the feed. */
export interface Change {
  readonly kind: ChangeKind;
  /** `70-12` is the SKU of variant 12 of product 70, `70-12-5` its stock in bin 5, and a code a price list (changed-records.ts). */
  readonly id: string;
  readonly position: number;
  /** When the change entered the feed, a moment after its commit. */
  readonly at: Date;
}

export interface FeedPosition {
  /** The database history that the positions belong to. A restore, or a failover, begins another one. */
  readonly branch: string;
  readonly position: number;
  /** Tombstones up to this position were already deleted when the reader began, so it misses none of them. */
  readonly base: number;
}

/**
 * Where a read begins: after a place, with the first change at or after a time, at the end, or, with null, at the
 * beginning. A time in the future means the end.
 */
export type FeedStart = FeedPosition | Date | 'end' | null;

/** A change with the current full record of the resource; null when the API no longer shows it. */
export type ChangedResource = {
  readonly [Kind in ChangeKind]: Change & { readonly kind: Kind; readonly record: RecordOfKind[Kind] | null };
}[ChangeKind];

export interface FeedPage {
  readonly changes: readonly Change[];
  readonly next: FeedPosition;
  readonly hasMore: boolean;
  /**
   * Whether the reader has seen changes that the database has lost. The page is then the first one of the whole feed.
   */
  readonly rewound: boolean;
}

export interface FeedQuery {
  readonly kinds: readonly ChangeKind[];
  /** Whether to read orders of test keys; absent reads all. A deleted order matches either way. */
  readonly isTest?: boolean | undefined;
  readonly after: FeedStart;
  readonly limit: number;
  /** Whether the read is one of many, such as for webhooks. Bulk reads are limited to a part of the connections. */
  readonly bulk?: boolean;
}

/** The changes of a store in sequence: a new change never appears before a position that a reader has passed. */
export abstract class ChangeFeed {
  /**
   * Reads what is committed after a place. A change that was committed before the call may be missing while another
   * call is assigning its position, or when assigning takes long.
   * @throws CursorExpired when the reader may have missed a deletion, which the feed keeps for `DELETION_RETENTION_DAYS`.
   */
  abstract read(storeId: number, query: FeedQuery): Promise<FeedPage>;

  /**
   * Assigns positions to the committed changes of a store, unless that takes long. Changes of prices and stock, imports
   * and erasures end with it, so that the next read sees their time. Orders do not: the stock that they sell gets its
   * position later.
   */
  abstract catchUp(storeId: number): Promise<void>;

  /** Returns the newest position of each kind in each store, including everything committed; 0 when there is none. */
  abstract newest(storeIds: readonly number[]): Promise<NewestPositions>;
}

export type NewestPositions = ReadonlyMap<number, Readonly<Record<ChangeKind, number>>>;
