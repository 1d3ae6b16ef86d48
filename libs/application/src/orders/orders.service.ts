import { isReceiptNumber, NotFound, readUuid } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { readsChanges } from '../feed/reads-changes.js';
import { ChangeFeed } from '../ports/change-feed.js';
import {
  OrderRepository,
  type ListedOrder,
  type OrderEventRecord,
  type OrderFilter,
  type OrderRecord,
  type OrderSums,
  type OrderSumsFilter,
  type ProductSums,
  type ProductSumsFilter,
} from '../ports/order.repository.js';
import type { Page, PageOf } from '../ports/page.js';

@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrderRepository,
    private readonly feed: ChangeFeed,
  ) {}

  async list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<ListedOrder>> {
    if (readsChanges(filter, page)) await this.feed.catchUp(storeId);
    return this.orders.list(storeId, filter, page);
  }

  /** @param reference the order's UUID or its receipt number. @throws NotFound */
  async retrieve(storeId: number, reference: string): Promise<OrderRecord> {
    const order = await this.find(storeId, reference);
    if (!order) throw new NotFound('Order');
    return order;
  }

  history(storeId: number, reference: string, page: Page): Promise<PageOf<OrderEventRecord>> {
    return this.orders.history(storeId, reference, page);
  }

  sums(storeId: number, filter: OrderSumsFilter): Promise<OrderSums[]> {
    return this.orders.sums(storeId, filter);
  }

  productSums(storeId: number, filter: ProductSumsFilter, page: Page): Promise<PageOf<ProductSums>> {
    return this.orders.productSums(storeId, filter, page);
  }

  journal(...args: Parameters<OrderRepository['journal']>): ReturnType<OrderRepository['journal']> {
    return this.orders.journal(...args);
  }

  countJournal(...args: Parameters<OrderRepository['countJournal']>): Promise<number> {
    return this.orders.countJournal(...args);
  }

  private find(storeId: number, reference: string): Promise<OrderRecord | null> {
    const id = readUuid(reference);
    if (id !== null) return this.orders.findById(storeId, id);
    if (isReceiptNumber(reference)) return this.orders.findByReceiptNumber(storeId, reference);
    return Promise.resolve(null);
  }
}
