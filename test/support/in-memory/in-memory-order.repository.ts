import {
  OrderRepository,
  type OrderFilter,
  type OrderLocation,
  type OrderRecord,
  type OrderSummary,
  type Page,
  type PageOf,
} from '@app/application';
import { contains, newestFirst, pageOf, sameWord } from './in-memory-pages.js';

export class InMemoryOrderRepository extends OrderRepository {
  private readonly orders: { readonly storeId: number; readonly order: OrderRecord }[] = [];

  /** @param subdomains of the stores, by id. */
  constructor(private readonly subdomains: ReadonlyMap<number, string> = new Map()) {
    super();
  }

  add(storeId: number, order: OrderRecord): void {
    this.orders.push({ storeId, order });
  }

  override list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<OrderSummary>> {
    const { status, fulfillmentStatus, source, held, externalReference, search } = filter;
    const found = this.of(storeId)
      .filter((order) => status === undefined || sameWord(order.status, status))
      .filter((order) => fulfillmentStatus === undefined || sameWord(order.fulfillmentStatus, fulfillmentStatus))
      .filter((order) => source === undefined || sameWord(order.source, source))
      .filter(({ pipeline }) => held === undefined || pipeline.some(({ state }) => state === 'held') === held)
      .filter((order) => externalReference === undefined || order.externalReference === externalReference)
      .filter(
        (order) =>
          search === undefined || contains(order.receiptNumber, search) || contains(order.customer.email, search),
      )
      .sort(newestFirst);
    return Promise.resolve(pageOf(found.map(summaryOf), page));
  }

  override findById(storeId: number, id: string): Promise<OrderRecord | null> {
    return Promise.resolve(this.of(storeId).find((order) => sameWord(order.id, id)) ?? null);
  }

  override findByIds(storeId: number, ids: readonly string[]): Promise<OrderRecord[]> {
    return Promise.resolve(this.of(storeId).filter((order) => ids.includes(order.id)));
  }

  override findByReceiptNumber(storeId: number, receiptNumber: string): Promise<OrderRecord | null> {
    return Promise.resolve(this.of(storeId).find((order) => sameWord(order.receiptNumber, receiptNumber)) ?? null);
  }

  override locate(reference: string, subdomain: string | null): Promise<OrderLocation[]> {
    const found = this.orders
      .map(({ storeId, order }) => ({ storeId, subdomain: this.subdomains.get(storeId) ?? '', order }))
      .filter((place) => subdomain === null || place.subdomain === subdomain)
      .filter(({ order }) => sameWord(order.id, reference) || sameWord(order.receiptNumber, reference))
      .sort((a, b) => a.storeId - b.storeId)
      .map(({ order, ...place }) => ({ ...place, orderId: order.id }));
    return Promise.resolve(found);
  }

  private of(storeId: number): OrderRecord[] {
    return this.orders.filter((row) => row.storeId === storeId).map(({ order }) => order);
  }
}

function summaryOf(order: OrderRecord): OrderSummary {
  const { id, receiptNumber, status, fulfillmentStatus, paymentMethod, amount, totalAmount } = order;
  const { currency, customerName, source, createdAt } = order;
  const amounts = { amount, totalAmount, currency };
  return { id, receiptNumber, status, fulfillmentStatus, paymentMethod, ...amounts, customerName, source, createdAt };
}
