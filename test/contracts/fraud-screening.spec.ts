import { FraudScreening } from '@app/application';
import { DEFAULT_FRAUD_SETTINGS, type FraudAssessment, type FraudSettings, type FraudSignals } from '@app/domain';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryShop } from '../support/in-memory/in-memory-shop.js';
import { startApi } from '../support/start-api.js';

/** The port, with methods that set a store's rules and read stored assessments. */
interface Subject {
  readonly fraud: FraudScreening;
  readonly storeId: number;
  readonly otherStoreId: number;
  /** The rules of the first store. */
  set(settings: FraudSettings): Promise<unknown>;
  kept(orderId: string): Promise<FraudAssessment | null>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const shop = new InMemoryShop();
  return Promise.resolve({
    fraud: shop.fraud,
    storeId: 1,
    otherStoreId: 2,
    set: (settings) => Promise.resolve((shop.fraudSettings = settings)),
    kept: (orderId) => Promise.resolve(shop.rejectionOf(orderId)),
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const { app, database, store } = api;
  const fraud = app.get(FraudScreening, { strict: false });
  // The first analysis connects and plans, which can use up its time limit on a busy machine.
  await fraud.begin(store.id, someSignals()).assess(someSignals());
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
    close: () => api.stop(),
  };
}

/** The signals of an ordinary order, with the given values. */
function someSignals(values: Partial<FraudSignals> = {}): FraudSignals {
  const address = { address: '1 Main Street', city: 'London', zip: 'N1' };
  return { email: 'ada@example.com', phone: '+1 555 0100', address, total: 1000, quantities: [1], ...values };
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('FraudScreening %s', (_name, open) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await open();
    await subject.set({
      ...DEFAULT_FRAUD_SETTINGS,
      blockedEmails: [' Eve@Example.com'],
      blockedPhones: ['+1 (555) 666-0000'],
      reviewAmount: 50_000,
    });
  });
  afterAll(() => subject.close());

  const assess = (storeId: number, signals: FraudSignals) => subject.fraud.begin(storeId, signals).assess(signals);
  const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };
  const rejectedBy = (rule: string) => ({ verdict: 'REJECT', score: 100, reasons: [{ rule, score: 100 }] });

  it('accepts an ordinary order', async () => {
    expect(await assess(subject.storeId, someSignals({ total: 49_999 }))).toEqual(ACCEPTED);
  });

  it('accepts an order without contacts', async () => {
    const address = { address: '', city: '', zip: '' };

    const assessment = await assess(subject.storeId, someSignals({ email: '', phone: '', address }));

    expect(assessment).toEqual(ACCEPTED);
  });

  it("holds an order of the store's review amount for review", async () => {
    expect(await assess(subject.storeId, someSignals({ total: 50_000 }))).toEqual({
      verdict: 'REVIEW',
      score: 50,
      reasons: [{ rule: 'amount_over_limit', score: 50 }],
    });
  });

  it.each(['eve@example.com', 'EVE@EXAMPLE.COM', ' Eve@Example.com '])(
    'rejects the blocked e-mail %j',
    async (email) => {
      const assessment = await assess(subject.storeId, someSignals({ email }));

      expect(assessment).toEqual(rejectedBy('blocked_email'));
    },
  );

  it.each(['+15556660000', '1-555-666-0000', '001 555 666 00 00'])('rejects the blocked phone %j', async (phone) => {
    const assessment = await assess(subject.storeId, someSignals({ phone }));

    expect(assessment).toEqual(rejectedBy('blocked_phone'));
  });

  it("applies only the store's own rules", async () => {
    const signals = someSignals({ email: 'eve@example.com', total: 50_000 });

    expect(await assess(subject.otherStoreId, signals)).toEqual(ACCEPTED);
  });

  it('applies the same rules to an order that was placed before', async () => {
    const placed = { orderId: uuidv7(), at: new Date() };
    const reassess = (values: Partial<FraudSignals>) =>
      subject.fraud.reassess(subject.storeId, someSignals(values), placed);

    expect(await reassess({ total: 49_999 })).toEqual(ACCEPTED);
    expect(await reassess({ total: 50_000 })).toMatchObject({ verdict: 'REVIEW', score: 50 });
    expect(await reassess({ email: 'eve@example.com' })).toEqual(rejectedBy('blocked_email'));
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
