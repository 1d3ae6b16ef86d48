import { FraudScreening } from '@app/application';
import type { FraudSignals } from '@app/domain';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Fraud {
  verdict: string;
  score: number;
  reasons: { rule: string; score: number }[];
}

const ADA = { email: 'ada@example.com', phone: '+1 (555) 010-0', address: '1 Main St.', city: 'London', zip: 'N1 2AB' };
const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

describe('fraud screening', () => {
  let api: RunningApi;
  let store: StoreFixture;
  let mug: number;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  beforeEach(async () => {
    store = await StoreFixture.create(api.database);
    mug = await store.product({ price: 1000, stock: 5000 });
  });

  const authorized = () => ({ authorization: `Bearer ${store.key}` });
  const place = (customer: object, quantity = 1) => {
    const items = [{ product_id: mug, quantity }];
    return api.post('/v1/orders', { items, customer: { name: 'Ada', ...customer } }, authorized());
  };
  const fraudOf = async (placed: ReturnType<typeof place>): Promise<Fraud> => {
    const response = await placed;
    expect(response.statusCode).toBe(201);
    const { order_id } = response.json<{ data: { order_id: string } }>().data;
    return (await api.get(`/v1/orders/${order_id}`, authorized())).json<{ data: { fraud: Fraud } }>().data.fraud;
  };
  const rulesOf = async (placed: ReturnType<typeof place>) => (await fraudOf(placed)).reasons.map(({ rule }) => rule);

  /** Earlier orders as the table has them, 10 minutes old. */
  const earlier = async (count: number, values: Record<string, unknown>, of = store) => {
    const defaults = { source: 'WEBSITE', created_at: ago(10) };
    for (let n = 0; n < count; n++) await of.order({ ...defaults, ...values });
  };
  const limit = (limits: object) =>
    api.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [store.id, limits]);
  /** Enough sales to know what is usual: two units in a line, for 10.00. */
  const history = async (values: Record<string, unknown> = {}, line: Record<string, unknown> = {}, count = 50) => {
    for (let n = 0; n < count; n++) {
      await store.orderLine(await store.order({ created_at: ago(1000 + n), ...values }), line);
    }
  };
  const connect = async () => {
    const client = new pg.Client({ connectionString: api.database.url });
    await client.connect();
    return client;
  };

  describe('velocity', () => {
    it('counts the orders that came through the API, and is weak alone and a review with another sign', async () => {
      await limit({ review_orders_per_email: 6 });
      const verdicts: Fraud[] = [];
      for (const email of ['ada@example.com', 'ADA@example.com', 'Ada@Example.COM', 'aDa@example.com']) {
        verdicts.push(await fraudOf(place({ email })));
      }
      const weak = { rule: 'email_velocity', score: 30 };

      expect(verdicts.map(({ verdict }) => verdict)).toEqual(['ACCEPT', 'ACCEPT', 'ACCEPT', 'ACCEPT']);
      expect(verdicts[3]).toEqual({ verdict: 'ACCEPT', score: 30, reasons: [weak] });
      await earlier(3, { customer_email: 'ada@sub.mailinator.com' });
      expect(await fraudOf(place({ email: 'ada@sub.mailinator.com' }))).toEqual({
        verdict: 'REVIEW',
        score: 60,
        reasons: [weak, { rule: 'disposable_email', score: 30 }],
      });
    });

    it('shows no sign of a business customer who orders ten times an hour', async () => {
      const address = { address: ADA.address, city: ADA.city, zip: ADA.zip };
      await earlier(10, { customer_email: ADA.email, customer_phone: ADA.phone, shipping_address: address });

      expect(await fraudOf(place(ADA))).toEqual({ verdict: 'ACCEPT', score: 0, reasons: [] });
    });

    it("counts as far as the store's own limit, and not at all without one", async () => {
      await earlier(100, { customer_email: ADA.email });
      expect(await rulesOf(place({ email: ADA.email }))).toEqual(['email_velocity_high']);

      await limit({ review_orders_per_email: 102 });
      expect(await rulesOf(place({ email: ADA.email }))).toEqual(['email_velocity']);
      expect(await rulesOf(place({ email: ADA.email }))).toEqual(['email_velocity_high']);
      await limit({ review_orders_per_email: null });
      expect(await rulesOf(place({ email: ADA.email }))).toEqual([]);
    });

    it.each([['30'], [0], [-5], [true], [{}]])('takes the unreadable limit %j for the default', async (value) => {
      await limit({ review_orders_per_email: value });
      await earlier(29, { customer_email: ADA.email });
      expect(await rulesOf(place({ email: ADA.email }))).toEqual(['email_velocity']);
      expect(await rulesOf(place({ email: ADA.email }))).toEqual(['email_velocity_high']);
    });

    it.each([
      ['e-mail', { customer_email: 'ADA@Example.com' }, { email: ADA.email }, 15, 'email_velocity'],
      ['e-mail, too often', { customer_email: ADA.email }, { email: 'ADA@EXAMPLE.com' }, 30, 'email_velocity_high'],
      ['phone', { customer_phone: '001-555-0100' }, { phone: ADA.phone }, 15, 'phone_velocity'],
      ['phone with letters', { customer_phone: 'call 1555 0100' }, { phone: '+15550100' }, 15, 'phone_velocity'],
      [
        'address',
        { shipping_address: { address: ' 1 MAIN  st', city: 'Londn', zip: 'n12ab' } },
        ADA,
        30,
        'address_velocity',
      ],
      [
        'address without zip',
        { shipping_address: { address: '1, main st', city: 'LONDON', zip: '' } },
        { ...ADA, zip: '' },
        60,
        'address_velocity_high',
      ],
    ])('counts the same %s however it is written', async (_case, columns, customer, count, rule) => {
      await earlier(count - 1, columns);
      expect(await rulesOf(place(customer))).not.toContain(rule);

      await earlier(1, columns);

      expect(await rulesOf(place(customer))).toContain(rule);
    });

    it.each([
      ['older than an hour', { created_at: ago(61) }],
      ['at the till', { source: 'POS' }],
    ])('does not count orders %s', async (_case, values) => {
      const address = { address: ADA.address, city: ADA.city, zip: ADA.zip };
      const contact = { customer_email: ADA.email, customer_phone: ADA.phone, shipping_address: address };
      await earlier(30, { ...contact, ...values });

      expect(await rulesOf(place(ADA))).toEqual([]);
    });

    it('does not count orders of other stores', async () => {
      const address = { address: ADA.address, city: ADA.city, zip: ADA.zip };
      const contact = { customer_email: ADA.email, customer_phone: ADA.phone, shipping_address: address };
      await earlier(30, contact, await StoreFixture.create(api.database));

      expect(await rulesOf(place(ADA))).toEqual([]);
    });

    it.each([
      ['nothing stated', {}, {}],
      ['a phone without digits', { customer_phone: 'none' }, { phone: 'n/a' }],
      [
        'an address of spaces',
        { shipping_address: { address: ' ', city: '', zip: 'N1' } },
        { address: ' ', zip: 'N1' },
      ],
      [
        'an address that differs only in its marks',
        { shipping_address: { address: 'Flat 1/2', city: '', zip: 'N1' } },
        { address: 'Flat 12', zip: 'N1' },
      ],
      [
        'the same street in another city',
        { shipping_address: { address: '1 Main St', city: 'Leeds', zip: '' } },
        { address: '1 Main St', city: 'London' },
      ],
    ])('takes %s for no sign', async (_case, columns, customer) => {
      await earlier(30, columns);

      expect(await rulesOf(place(customer))).toEqual([]);
    });

    it('indexes the longest contact there can be', async () => {
      const random = (length: number) =>
        Array.from({ length }, () => String.fromCodePoint(0x20000 + Math.floor(Math.random() * 40_000))).join('');
      const customer = { phone: '1'.repeat(40), address: random(500), city: random(200), zip: random(32) };

      expect((await place({ ...customer, email: `${'x'.repeat(252)}@b` })).statusCode).toBe(201);
    });
  });

  describe('a disposable e-mail', () => {
    it.each(['x@mailinator.com', 'X@MAILINATOR.COM', 'x@a.b.mailinator.com'])('is a weak sign: %s', async (email) => {
      const reasons = [{ rule: 'disposable_email', score: 30 }];

      expect(await fraudOf(place({ email }))).toEqual({ verdict: 'ACCEPT', score: 30, reasons });
    });

    it.each(['x@my-mailinator.example.com', 'mailinator.com@example.com', 'x@com', ''])('is not %j', async (email) => {
      expect(await rulesOf(place({ email }))).toEqual([]);
    });

    it('is a review with a second sign', async () => {
      await earlier(15, { customer_phone: ADA.phone });

      const { verdict } = await fraudOf(place({ email: 'x@mailinator.com', phone: ADA.phone }));

      expect(verdict).toBe('REVIEW');
    });
  });

  describe('what is usual in the store', () => {
    it('makes a far larger order a review, and names why', async () => {
      await history();

      expect(await fraudOf(place({}, 10))).toEqual({
        verdict: 'REVIEW',
        score: 60,
        reasons: [
          { rule: 'amount_above_usual', score: 30 },
          { rule: 'quantity_above_usual', score: 30 },
        ],
      });
    });

    it('leaves the amount alone when only the quantity is odd, and the other way round', async () => {
      await history({ total_amount: 100_000 });
      expect(await rulesOf(place({}, 10))).toEqual(['quantity_above_usual']);

      store = await StoreFixture.create(api.database);
      mug = await store.product({ price: 5000, stock: 10 });
      await history();
      expect(await rulesOf(place({}, 1))).toEqual(['amount_above_usual']);
    });

    it.each([
      ['too few orders', {}, 49],
      ['failed orders', { status: 'FAILED' }, 50],
      ['cancelled orders', { status: 'CANCELLED' }, 50],
      ['test orders', { is_test: true }, 50],
      ['orders in another currency', { currency: 'JPY' }, 50],
      ['credit notes', { total_amount: -1_000 }, 50],
    ])('is not known from %s', async (_case, values, count) => {
      await history(values, {}, count);

      expect(await rulesOf(place({}, 10))).toEqual([]);
    });

    it('is not learned from an order that waits for its review', async () => {
      await history();
      const waiting = { source: 'WEBSITE', fulfillment_status: 'PENDING', total_amount: 1_000_000 };
      for (let n = 0; n < 5; n++) {
        const order_id = await store.order(waiting);
        await store.orderLine(order_id, { quantity: 500 });
        await store.row('fraud_assessments', { order_id, verdict: 'REVIEW', score: 60 });
      }

      expect(await rulesOf(place({}, 10))).toEqual(['amount_above_usual', 'quantity_above_usual']);
    });

    it.each([
      ['held', ['amount_above_usual', 'quantity_above_usual']],
      ['done', ['amount_above_usual']],
    ])('is learned from an order that was released, not from one that is held: %s', async (state, rules) => {
      await history();
      const order_id = await store.order({ source: 'WEBSITE', fulfillment_status: 'PENDING' });
      await store.orderLine(order_id, { quantity: 500 });
      await store.row('fraud_assessments', { order_id, verdict: 'REVIEW', score: 60 });
      await store.row('order_stages', { order_id, stage: 'notify-customer', state, position: 3 });

      expect(await rulesOf(place({}, 10))).toEqual(rules);
    });

    it('is learned from an order whose review went well', async () => {
      await history();
      const order_id = await store.order({ source: 'WEBSITE', fulfillment_status: 'SHIPPED' });
      await store.orderLine(order_id, { quantity: 500 });
      await store.row('fraud_assessments', { order_id, verdict: 'REVIEW', score: 60 });

      expect(await rulesOf(place({}, 10))).toEqual(['amount_above_usual']);
    });

    it('is the matter of each store', async () => {
      await history();
      expect((await fraudOf(place({}, 10))).verdict).toBe('REVIEW');

      store = await StoreFixture.create(api.database);
      mug = await store.product({ stock: 10 });

      expect((await fraudOf(place({}, 10))).verdict).toBe('ACCEPT');
    });
  });

  it('keeps only the assessment of an order of a blocked customer, with every reason', async () => {
    await api.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [
      store.id,
      { blocked_emails: ['x@mailinator.com'], blocked_phones: ['001 555 0100'] },
    ]);

    const response = await place({ email: 'X@Mailinator.com', phone: ADA.phone });

    expect(response.statusCode).toBe(422);
    const rows = async (table: string) =>
      api.database.query(`SELECT verdict, score, reasons FROM ${table} WHERE store_id = $1`, [store.id]);
    expect(await rows('fraud_assessments')).toEqual([
      {
        verdict: 'REJECT',
        score: 230,
        reasons: [
          { rule: 'blocked_email', score: 100 },
          { rule: 'blocked_phone', score: 100 },
          { rule: 'disposable_email', score: 30 },
        ],
      },
    ]);
    expect(await api.database.query('SELECT 1 FROM orders WHERE store_id = $1', [store.id])).toEqual([]);
    expect(await store.onHand(mug)).toBe(5000);
  });

  describe('when the analysis is unavailable', () => {
    const unavailable = { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'analysis_unavailable', score: 50 }] };
    const signals: FraudSignals = {
      email: '',
      phone: '',
      address: { address: '', city: '', zip: '' },
      total: 1,
      quantities: [1],
    };
    const poolOf = () => (api.app.get(DataSource).driver as unknown as { master: pg.Pool }).master;
    const assess = async (storeId = store.id) => {
      const startedAt = Date.now();
      const assessment = await api.app.get(FraudScreening).assess(storeId, signals);
      return { assessment, took: Date.now() - startedAt };
    };
    const until = async (condition: () => boolean | Promise<boolean>) => {
      while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    const isPoolIdle = () => {
      const { totalCount, idleCount, waitingCount } = poolOf();
      return totalCount === idleCount && waitingCount === 0;
    };

    it('makes the order all the same, for review', async () => {
      const locker = await connect();
      await locker.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
      const startedAt = Date.now();

      const placed = place({});
      // Given up by the analysis, the lock now holds up the order itself.
      await until(async () => {
        const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'INSERT INTO orders'`;
        return (await api.database.query(sql)).length > 0;
      });
      await locker.end();

      expect((await placed).statusCode).toBe(201);
      expect(Date.now() - startedAt).toBeLessThan(1000);
      expect(await fraudOf(placed)).toEqual(unavailable);
    });

    it('has the statement that waits for a lock given up, and its connection free again', async () => {
      const locker = await connect();
      await locker.query('BEGIN; LOCK TABLE order_lines IN ACCESS EXCLUSIVE MODE');

      const attempts = await Promise.all(Array.from({ length: 12 }, () => assess()));
      await until(isPoolIdle); // while the table is still locked
      await locker.end();

      expect(attempts.map(({ assessment }) => assessment)).toEqual(Array(12).fill(unavailable));
      expect(Math.max(...attempts.map(({ took }) => took))).toBeLessThan(450);
      expect((await assess()).assessment.verdict).toBe('ACCEPT');
    });

    it('does not wait for an exhausted pool', async () => {
      const taken = await Promise.all(Array.from({ length: 5 }, () => poolOf().connect()));

      const { assessment, took } = await assess();
      taken.forEach((client) => client.release());
      await until(isPoolIdle);

      expect(assessment).toEqual(unavailable);
      expect(took).toBeLessThan(450);
      expect((await assess()).assessment.verdict).toBe('ACCEPT');
    });

    it('survives a connection that breaks meanwhile', async () => {
      const locker = await connect();
      await locker.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');

      const assessing = assess();
      const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await until(async () => (await api.database.query(kill)).length > 0);

      expect((await assessing).assessment).toEqual(unavailable);
      await locker.end();
      await until(isPoolIdle);
      expect((await assess()).assessment.verdict).toBe('ACCEPT');
    });

    it('has a person look at an order of a store it cannot find', async () => {
      expect((await assess(2_000_000_000)).assessment).toEqual(unavailable);
    });
  });
});
