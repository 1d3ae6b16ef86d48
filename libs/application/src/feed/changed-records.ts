import { Injectable } from '@nestjs/common';
import { BrandRepository } from '../ports/brand.repository.js';
import { CategoryRepository } from '../ports/category.repository.js';
import type { ChangeKind, RecordOfKind } from '../ports/change-feed.js';
import { CustomerRepository } from '../ports/customer.repository.js';
import { OrderRepository } from '../ports/order.repository.js';
import { PriceListRepository } from '../ports/price-list.repository.js';
import { ProductRepository } from '../ports/product.repository.js';
import { SkuRepository, type SkuId } from '../ports/sku.repository.js';
import { StockRepository, type StockId } from '../ports/stock.repository.js';

type AnyRecord = RecordOfKind[ChangeKind];
type Finder<Found> = (storeId: number, ids: readonly string[]) => Promise<readonly Found[]>;

@Injectable()
export class ChangedRecords {
  private readonly finders: { readonly [Kind in ChangeKind]: Finder<RecordOfKind[Kind]> };

  constructor(
    private readonly orders: OrderRepository,
    products: ProductRepository,
    skus: SkuRepository,
    customers: CustomerRepository,
    categories: CategoryRepository,
    brands: BrandRepository,
    stock: StockRepository,
    priceLists: PriceListRepository,
  ) {
    this.finders = {
      orders: (storeId, ids) => orders.findByIds(storeId, ids),
      products: (storeId, ids) => products.findByIds(storeId, ids.map(Number)),
      skus: (storeId, ids) => skus.findByIds(storeId, ids.map(parseSkuId)),
      customers: (storeId, ids) => customers.findByIds(storeId, ids),
      categories: (storeId, ids) => categories.findByIds(storeId, ids.map(Number)),
      brands: (storeId, ids) => brands.findByIds(storeId, ids.map(Number)),
      stock: (storeId, ids) => stock.findByIds(storeId, ids.map(parseStockId)),
      price_lists: (storeId, codes) => priceLists.findByCodes(storeId, codes),
    };
  }

  async ordersOfMode(storeId: number, ids: readonly string[], isTest: boolean): Promise<ReadonlySet<string>> {
    return new Set(await this.orders.idsOfMode(storeId, ids, isTest));
  }

  /** Returns the records by id. Records that the API does not show are missing. */
  async find(storeId: number, kind: ChangeKind, ids: readonly string[]): Promise<ReadonlyMap<string, AnyRecord>> {
    const records: readonly AnyRecord[] = await this.finders[kind](storeId, ids);
    return new Map(records.map((record) => [idOf(record), record]));
  }
}

function idOf(record: AnyRecord): string {
  if ('id' in record) return String(record.id);
  if ('code' in record) return record.code;
  const { productId, variantId } = record;
  if ('binId' in record) return `${productId}-${variantId ?? 0}-${record.binId}`;
  return variantId === null ? String(productId) : `${productId}-${variantId}`;
}

/** @param id `70` for a product, `70-12` for its variant 12. */
function parseSkuId(id: string): SkuId {
  const [productId, variantId] = id.split('-');
  return { productId: Number(productId), variantId: variantId === undefined ? null : Number(variantId) };
}

/** @param id `70-12-5` for variant 12 of product 70 in bin 5, `70-0-5` for the product itself. */
function parseStockId(id: string): StockId {
  const [productId, variantId, binId] = id.split('-').map(Number);
  return { productId: productId ?? 0, variantId: variantId || null, binId: binId ?? 0 };
}
