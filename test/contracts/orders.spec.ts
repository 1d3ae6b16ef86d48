import { FraudScreening, OrderRepository, type OrderFilter, type OrderRecord } from '@app/application';
import { DEFAULT_FRAUD_SETTINGS, type FraudAssessment, type FraudSettings, type FraudSignals } from '@app/domain';
import { v7 as uuidv7 } from 'uuid';
import { anOrder } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

let application: RunningApplication;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());

async function give(store: StoreFixture, order: OrderRecord): Promise<OrderRecord> {
  if (order.customerId) await store.customer({ id: order.customerId });
  await store.order({
    id: order.id,
    customer_id: order.customerId,
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
  for (const { productId, variantId, sku, name, attributes, unitPrice, quantity, lineTotal } of order.lines) {
    const ids = { product_id: productId, variant_id: variantId };
    const price = { unit_price: unitPrice, quantity, line_total: lineTotal };
    await store.orderLine(order.id, { ...ids, sku, name, attributes, ...price });
  }
  if (order.fraud) {
    const reasons = JSON.stringify(order.fraud.reasons);
    await store.row('fraud_assessments', { order_id: order.id, ...order.fraud, reasons });
  }
  for (const [position, { lastError, at, ...stage }] of order.pipeline.entries()) {
    const row = { ...stage, last_error: lastError, updated_at: at, position };
    await store.row('order_stages', { order_id: order.id, ...row });
  }
  return order;
}

describe('OrderRepository', () => {
  let orders: OrderRepository;
  let store: StoreFixture;
  let other: StoreFixture;
  let web: OrderRecord;
  let pos: OrderRecord;
  let twin: OrderRecord;
  let theirs: OrderRecord;

  beforeAll(async () => {
    orders = application.app.get(OrderRepository, { strict: false });
    store = application.store;
    other = await StoreFixture.create(application.database);
    const createdAt = new Date('2026-01-01T00:00:00.001Z');
    pos = await give(store, anOrder({ receiptNumber: 'POS-7', status: 'FAILED', createdAt }));
    twin = await give(store, anOrder({ receiptNumber: 'POS-8', fulfillmentStatus: 'RETURNED', createdAt }));
    web = await give(
      store,
      anOrder({
        receiptNumber: 'WEB-261120-7K3M9Q',
        source: 'WEBSITE',
        status: 'PENDING',
        createdAt: new Date('2026-02-01T00:00:00.002Z'),
        updatedAt: new Date('2026-02-01T00:00:00.003Z'),
        amount: 5_000_000_000,
        customer: { name: 'Ada Lovelace', email: 'Ada_L@Example.test', phone: '1' },
        customerId: '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c',
        shippingAddress: { address: '1 Main St', city: 'London', zip: 'N1', region: '', country: '' },
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
            line: 1,
            shippedQuantity: 2,
            returnedQuantity: 0,
            allocations: [],
          },
        ],
        fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'amount_over_limit', score: 50 }] },
        pipeline: [
          { stage: 'notify-merchant', reference: '', state: 'held', attempts: 2, lastError: 'EPIPE', at: createdAt },
          { stage: 'notify-customer', reference: '', state: 'held', attempts: 0, lastError: '', at: createdAt },
        ],
      }),
    );
    theirs = await give(other, anOrder({ receiptNumber: 'POS-8', status: 'PENDING' }));
    await give(other, anOrder({ receiptNumber: 'THEIRS-1', status: 'PENDING', externalReference: 'PO-theirs' }));
  });

  const receipts = async (filter: OrderFilter, page = 1, limit = 50) => {
    const { rows, total } = await orders.list(store.id, filter, { page, limit });
    return [total, ...rows.map(({ receiptNumber }) => receiptNumber)];
  };

  it("lists a store's orders, newest first, then by id", async () => {
    expect(await receipts({})).toEqual([3, 'WEB-261120-7K3M9Q', 'POS-8', 'POS-7']);
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

  it('tells which orders of the store are test orders', async () => {
    const ids = [web.id, pos.id, theirs.id];

    expect(await orders.idsOfMode(store.id, ids, true)).toEqual([web.id]);
    expect(await orders.idsOfMode(store.id, ids, false)).toEqual([pos.id]);
  });

  it('locates an order in all stores that have it', async () => {
    const { subdomain } = store;
    const ours = { storeId: store.id, subdomain, orderId: twin.id };
    const elsewhere = { storeId: other.id, subdomain: other.subdomain, orderId: theirs.id };

    expect(await orders.locate('pos-8', null)).toEqual([ours, elsewhere]);
    expect(await orders.locate('POS-8', subdomain)).toEqual([ours]);
    expect(await orders.locate(theirs.id, null)).toEqual([elsewhere]);
    expect(await orders.locate(theirs.id, subdomain)).toEqual([]);
    expect(await orders.locate('POS-9', null)).toEqual([]);
  });
});

/** The port, with methods that set a store's rules and read stored assessments. */
interface Subject {
  readonly fraud: FraudScreening;
  readonly storeId: number;
  readonly otherStoreId: number;
  /** The rules of the first store. */
  set(settings: FraudSettings): Promise<unknown>;
  kept(orderId: string): Promise<FraudAssessment | null>;
}

async function onPostgres(): Promise<Subject> {
  const { app, database } = application;
  const store = await StoreFixture.create(database);
  const fraud = app.get(FraudScreening, { strict: false });
  // The first analysis connects and plans, which can use up its time limit on a busy machine.
  await fraud.begin(store.id, someSignals(), null).assess(someSignals());
  return {
    fraud,
    storeId: store.id,
    otherStoreId: (await StoreFixture.create(database)).id,
    set: ({ blockedEmails, blockedPhones, reviewAmount }) =>
      database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [
        store.id,
        { blocked_emails: blockedEmails, blocked_phones: blockedPhones, review_amount: reviewAmount },
      ]),
    kept: async (orderId) => {
      const rows = await database.query<FraudAssessment>(
        'SELECT verdict, score, reasons FROM fraud_assessments WHERE store_id = $1 AND order_id = $2',
        [store.id, orderId],
      );
      return rows[0] ?? null;
    },
  };
}

/** The signals of an ordinary order, with the given values. */
function someSignals(values: Partial<FraudSignals> = {}): FraudSignals {
  const address = { address: '1 Main Street', city: 'London', zip: 'N1', region: '', country: '' };
  return {
    email: 'ada@example.com',
    phone: '+1 555 0100',
    address,
    total: 1000,
    items: [{ productId: 1, variantId: null, quantity: 1 }],
    ...values,
  };
}

describe('FraudScreening', () => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await onPostgres();
    await subject.set({
      ...DEFAULT_FRAUD_SETTINGS,
      blockedEmails: [' Eve@Example.com'],
      blockedPhones: ['+1 (555) 666-0000'],
      reviewAmount: 50_000,
    });
  });

  const assess = (storeId: number, signals: FraudSignals) =>
    subject.fraud.begin(storeId, signals, null).assess(signals);
  const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };
  const rejectedBy = (rule: string) => ({ verdict: 'REJECT', score: 100, reasons: [{ rule, score: 100 }] });

  it.each(['eve@example.com', 'EVE@EXAMPLE.COM', ' Eve@Example.com '])(
    'rejects the blocked e-mail %j',
    async (email) => {
      const assessment = await assess(subject.storeId, someSignals({ email }));

      expect(assessment).toEqual(rejectedBy('blocked_email'));
    },
  );

  it("applies only the store's own rules", async () => {
    const signals = someSignals({ email: 'eve@example.com', total: 50_000 });

    expect(await assess(subject.otherStoreId, signals)).toEqual(ACCEPTED);
  });

  it('stores the assessment of a rejected order, and of no other', async () => {
    const [orderId, another] = [uuidv7(), uuidv7()];
    const refused = await assess(subject.storeId, someSignals({ email: 'eve@example.com' }));
    const worse: FraudAssessment = { ...refused, score: 200 };

    await subject.fraud.recordRejection(subject.storeId, orderId, refused);
    await subject.fraud.recordRejection(subject.storeId, another, worse);

    expect(await subject.kept(orderId)).toEqual(refused);
    expect(await subject.kept(another)).toEqual(worse);
    expect(await subject.kept(uuidv7())).toBeNull();
  });
});
