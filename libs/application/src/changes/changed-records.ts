import { Injectable } from '@nestjs/common';
import { BrandRepository } from '../ports/brand.repository.js';
import { CategoryRepository } from '../ports/category.repository.js';
import type { ChangeKind, RecordOfKind } from '../ports/change-feed.js';
import { CustomerRepository } from '../ports/customer.repository.js';
import { OrderRepository } from '../ports/order.repository.js';
import { ProductRepository } from '../ports/product.repository.js';
import { SkuRepository } from '../ports/sku.repository.js';
import { StockRepository } from '../ports/stock.repository.js';
import { formatSkuId, parseSkuId } from './sku-ids.js';
import { formatStockId, parseStockId } from './stock-ids.js';

type AnyRecord = RecordOfKind[ChangeKind];
type Finder<Found> = (storeId: number, ids: readonly string[]) => Promise<readonly Found[]>;

/** Finds the full records that the feed shows, as the route of each kind shows them. */
@Injectable()
export class ChangedRecords {
  private readonly finders: { readonly [Kind in ChangeKind]: Finder<RecordOfKind[Kind]> };

  /** One repository for each kind of the feed. */
  constructor(
    private readonly orders: OrderRepository,
    products: ProductRepository,
    skus: SkuRepository,
    customers: CustomerRepository,
    categories: CategoryRepository,
    brands: BrandRepository,
    stock: StockRepository,
  ) {
    this.finders = {
      orders: (storeId, ids) => orders.findByIds(storeId, ids),
      products: (storeId, ids) => products.findByIds(storeId, ids.map(Number)),
      skus: (storeId, ids) => skus.findByIds(storeId, ids.map(parseSkuId)),
      customers: (storeId, ids) => customers.findByIds(storeId, ids),
      categories: (storeId, ids) => categories.findByIds(storeId, ids.map(Number)),
      brands: (storeId, ids) => brands.findByIds(storeId, ids.map(Number)),
      stock: (storeId, ids) => stock.findByIds(storeId, ids.map(parseStockId)),
    };
  }

  /** Those of the orders that are test orders, or those that are not. */
  async ordersOfMode(storeId: number, ids: readonly string[], isTest: boolean): Promise<ReadonlySet<string>> {
    return new Set(await this.orders.idsOfMode(storeId, ids, isTest));
  }

  /** The records by id. A record that the API does not show is missing. */
  async find(storeId: number, kind: ChangeKind, ids: readonly string[]): Promise<ReadonlyMap<string, AnyRecord>> {
    const records: readonly AnyRecord[] = await this.finders[kind](storeId, ids);
    return new Map(records.map((record) => [idOf(record), record]));
  }
}

function idOf(record: AnyRecord): string {
  if ('id' in record) return String(record.id);
  return 'binId' in record ? formatStockId(record) : formatSkuId(record);
}
