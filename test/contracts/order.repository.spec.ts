import { type OrderFilter, type OrderRecord, OrderRepository } from '@app/application';
import { anOrder } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryOrderRepository } from '../support/in-memory/in-memory-order.repository.js';
import { startApi } from '../support/start-api.js';

/** The repository with two stores and a method that adds orders to them. */
interface Subject {
  readonly orders: OrderRepository;
  readonly storeId: number;
  readonly otherStoreId: number;
  /** Subdomain of the first store. */
  readonly subdomain: string;
  give(storeId: number, order: OrderRecord): Promise<OrderRecord>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const subdomains = new Map([
    [1, 'first'],
    [2, 'second'],
  ]);
  const orders = new InMemoryOrderRepository(subdomains);
  return Promise.resolve({
    orders,
    storeId: 1,
    otherStoreId: 2,
    subdomain: 'first',
    give: (storeId, order) => {
      orders.add(storeId, order);
      return Promise.resolve(order);
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const other = await StoreFixture.create(api.database);
  const stores = new Map([api.store, other].map((store) => [store.id, store]));
  return {
    orders: api.app.get(OrderRepository, { strict: false }),
    storeId: api.store.id,
    otherStoreId: other.id,
    subdomain: api.store.subdomain,
    give: async (storeId, order) => {
      const store = stores.get(storeId);
      if (store) await insertOrder(store, order);
      return order;
    },
    close: () => api.stop(),
  };
}

async function insertOrder(store: StoreFixture, order: OrderRecord): Promise<void> {
  await store.order({
    id: order.id,
    receipt_number: order.receiptNumber,
    status: order.status,
    fulfillment_status: order.fulfillmentStatus,
    payment_method: order.paymentMethod,
    amount: order.amount,
    total_amount: order.totalAmount,
    currency: order.currency,
    source: order.source,
    customer_name: order.customerName,
    customer_email: order.customer.email,
    customer_phone: order.customer.phone,
    shipping_address: order.shippingAddress,
    billing_address: order.billingAddress,
    notes: order.notes,
    external_reference: order.externalReference || null,
    is_test: order.isTest,
    created_at: order.createdAt,
    updated_at: order.updatedAt,
  });
  for (const { productId, variantId, unitPrice, lineTotal, ...line } of order.lines) {
    const names = { product_id: productId, variant_id: variantId, unit_price: unitPrice, line_total: lineTotal };
    await store.orderLine(order.id, { ...line, ...names });
  }
  if (order.fraud) {
    const reasons = JSON.stringify(order.fraud.reasons);
    await store.row('fraud_assessments', { order_id: order.id, ...order.fraud, reasons });
  }
  for (const [position, { lastError, at, ...stage }] of order.pipeline.entries()) {
    const row = { ...stage, last_error: lastError, updated_at: at, position };
    await store.row('order_stages', { order_id: order.id, ...row });
  }
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('OrderRepository %s', (_name, open) => {
  let subject: Subject;
  let web: OrderRecord;
  let pos: OrderRecord;
  let twin: OrderRecord;
  let theirs: OrderRecord;

  beforeAll(async () => {
    subject = await open();
    const { storeId, otherStoreId } = subject;
    const createdAt = new Date('2026-01-01T00:00:00.001Z');
    pos = await subject.give(storeId, anOrder({ receiptNumber: 'POS-7', status: 'FAILED', createdAt }));
    twin = await subject.give(storeId, anOrder({ receiptNumber: 'POS-8', fulfillmentStatus: 'RETURNED', createdAt }));
    web = await subject.give(
      storeId,
      anOrder({
        receiptNumber: 'WEB-261120-7K3M9Q',
        source: 'WEBSITE',
        status: 'PENDING',
        createdAt: new Date('2026-02-01T00:00:00.002Z'),
        updatedAt: new Date('2026-02-01T00:00:00.003Z'),
        amount: 5_000_000_000,
        customer: { name: 'Ada Lovelace', email: 'Ada_L@Example.test', phone: '1' },
        shippingAddress: { address: '1 Main St', city: 'London', zip: 'N1' },
        notes: 'Ring twice',
        externalReference: 'PO 7/a',
        isTest: true,
        lines: [
          {
            productId: 77,
            variantId: null,
            sku: 'M',
            name: 'Mug',
            attributes: { Size: 'L' },
            unitPrice: 2_500_000_000,
            quantity: 2,
            lineTotal: 5_000_000_000,
          },
        ],
        fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'amount_over_limit', score: 50 }] },
        pipeline: [
          { stage: 'notify-merchant', state: 'held', attempts: 2, lastError: 'EPIPE', at: createdAt },
          { stage: 'notify-customer', state: 'held', attempts: 0, lastError: '', at: createdAt },
        ],
      }),
    );
    theirs = await subject.give(otherStoreId, anOrder({ receiptNumber: 'POS-8', status: 'PENDING' }));
    await subject.give(
      otherStoreId,
      anOrder({ receiptNumber: 'THEIRS-1', status: 'PENDING', externalReference: 'PO-theirs' }),
    );
  });
  afterAll(() => subject.close());

  const receipts = async (filter: OrderFilter, page = 1, limit = 50) => {
    const { rows, total } = await subject.orders.list(subject.storeId, filter, { page, limit });
    return [total, ...rows.map(({ receiptNumber }) => receiptNumber)];
  };

  it("lists a store's orders, newest first, then by id", async () => {
    expect(await receipts({})).toEqual([3, 'WEB-261120-7K3M9Q', 'POS-8', 'POS-7']);
  });

  it('lists a page with the total of all pages', async () => {
    expect(await receipts({}, 2, 2)).toEqual([3, 'POS-7']);
    expect(await receipts({}, 3, 2)).toEqual([3]);
    expect(await receipts({}, 21_474_836, 100)).toEqual([3]);
  });

  it('lists summaries', async () => {
    const { rows } = await subject.orders.list(subject.storeId, { source: 'WEBSITE' }, { page: 1, limit: 1 });

    expect(rows).toEqual([
      {
        id: web.id,
        receiptNumber: 'WEB-261120-7K3M9Q',
        status: 'PENDING',
        fulfillmentStatus: 'DELIVERED',
        paymentMethod: 'CASH',
        amount: 5_000_000_000,
        totalAmount: 1000,
        currency: 'USD',
        customerName: 'Ada Lovelace',
        source: 'WEBSITE',
        createdAt: web.createdAt,
      },
    ]);
  });

  it.each<[OrderFilter, ...string[]]>([
    [{ status: 'failed' }, 'POS-7'],
    [{ fulfillmentStatus: 'Returned' }, 'POS-8'],
    [{ source: 'pos' }, 'POS-8', 'POS-7'],
    [{ source: 'POS', status: 'FAILED' }, 'POS-7'],
    [{ search: '7k3m' }, 'WEB-261120-7K3M9Q'],
    [{ search: 'EXAMPLE' }, 'WEB-261120-7K3M9Q'],
    [{ search: '_' }, 'WEB-261120-7K3M9Q'],
    [{ search: '7' }, 'WEB-261120-7K3M9Q', 'POS-7'],
    [{ search: '%' }],
    [{ search: '\\' }],
    [{ search: 'THEIRS' }],
    [{ held: true }, 'WEB-261120-7K3M9Q'],
    [{ held: true, source: 'website', search: '7' }, 'WEB-261120-7K3M9Q'],
    [{ held: true, status: 'FAILED' }],
    [{ held: false }, 'POS-8', 'POS-7'],
    [{ held: false, status: 'failed' }, 'POS-7'],
    [{ held: false, source: 'WEBSITE' }],
    [{ held: false, search: '7' }, 'POS-7'],
    [{ externalReference: 'PO 7/a' }, 'WEB-261120-7K3M9Q'],
    [{ externalReference: 'PO 7/a', source: 'website', search: '7', held: true }, 'WEB-261120-7K3M9Q'],
    [{ externalReference: 'PO 7/a', status: 'FAILED' }],
    [{ externalReference: 'PO 7/a', search: 'POS' }],
    [{ externalReference: 'PO 7/A' }],
    [{ externalReference: 'PO 7/' }],
    [{ externalReference: 'PO-theirs' }],
    [{ externalReference: '\0' }],
    [{ status: 'FOO' }],
    [{ status: 'PENDING\0' }],
    [{ source: '\0' }],
    [{ search: '\0' }],
    [{ search: '\ud800' }],
  ])('filters by %j', async (filter, ...expected) => {
    expect(await receipts(filter)).toEqual([expected.length, ...expected]);
  });

  it('finds the full record by id, in any letter case', async () => {
    expect(await subject.orders.findById(subject.storeId, web.id)).toEqual(web);
    expect(await subject.orders.findById(subject.storeId, web.id.toUpperCase())).toEqual(web);
  });

  it('finds the full record by receipt number, in any letter case', async () => {
    expect(await subject.orders.findByReceiptNumber(subject.storeId, 'web-261120-7k3m9q')).toEqual(web);
    expect(await subject.orders.findByReceiptNumber(subject.storeId, 'POS-7')).toEqual(pos);
  });

  it('finds no order of another store', async () => {
    const { orders, storeId, otherStoreId } = subject;

    expect(await orders.findById(otherStoreId, twin.id)).toBeNull();
    expect(await orders.findByReceiptNumber(otherStoreId, 'POS-7')).toBeNull();
    expect(await orders.findByReceiptNumber(storeId, 'THEIRS-1')).toBeNull();
    expect(await orders.findByReceiptNumber(storeId, 'POS-')).toBeNull();
  });

  it('locates an order in all stores that have it', async () => {
    const { orders, storeId, otherStoreId, subdomain } = subject;
    const ours = { storeId, subdomain, orderId: twin.id };
    const other = { storeId: otherStoreId, subdomain: expect.any(String) as string, orderId: theirs.id };

    expect(await orders.locate('pos-8', null)).toEqual([ours, other]);
    expect(await orders.locate('POS-8', subdomain)).toEqual([ours]);
    expect(await orders.locate(theirs.id, null)).toEqual([other]);
    expect(await orders.locate(theirs.id, subdomain)).toEqual([]);
    expect(await orders.locate('POS-9', null)).toEqual([]);
  });
});
