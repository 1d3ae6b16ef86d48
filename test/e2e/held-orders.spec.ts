import {
  FraudScreening,
  CancelOrder,
  HeldOrders,
  ReleaseOrder,
  RescreenHeldOrders,
  RetryPipeline,
} from '@app/application';
import { Readiness } from '@app/health';
import pg from 'pg';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface OrderData {
  readonly fraud: { readonly verdict: string; readonly reasons: readonly { readonly rule: string }[] };
  readonly pipeline: readonly { readonly stage: string; readonly state: string; readonly last_error: string }[];
}

const REVIEW_AMOUNT = 50_000;
const NO_SIGNAL = new AbortController().signal;

describe('orders under review', () => {
  let smtp: SmtpSink;
  let api: RunningApi;
  let serial = 0;
  beforeAll(async () => {
    smtp = await SmtpSink.start();
    api = await startApi({ PIPELINE: 'inline', SMTP_URL: smtp.url });
  });
  afterAll(async () => {
    await api.stop();
    await smtp.close();
  });
  beforeEach(() => settings({ review_amount: REVIEW_AMOUNT }));

  const settings = (fraud: object) => api.database.query('UPDATE stores SET fraud_settings = $1', [fraud]);
  const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email)).length;
  const orderOf = async (id: string) => (await api.get(`/v1/orders/${id}`)).json<{ data: OrderData }>().data;
  const customerStage = async (id: string) =>
    (await orderOf(id)).pipeline.find(({ stage }) => stage === 'notify-customer');
  const whereIs = (orderId: string) => ({ storeId: api.store.id, orderId });

  const aProduct = (price = REVIEW_AMOUNT) => api.store.product({ price, stock: 5 });

  async function place(product: number) {
    const email = `buyer-${++serial}@example.com`;
    const body = { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada', email } };
    const response = await api.post('/v1/orders', body);
    return { id: response.json<{ data: { order_id: string } }>().data.order_id, email };
  }

  /** Places an order whose fraud analysis gives up because of a lock. */
  async function placeUnanalysed(price?: number) {
    const locker = new pg.Client({ connectionString: api.database.url });
    await locker.connect();
    const product = await aProduct(price);
    try {
      await locker.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
      const placing = place(product);
      await eventually(async () => {
        const sql = `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'INSERT INTO orders'`;
        expect(await api.database.query(sql)).toHaveLength(1);
      }, 5_000);
      await locker.query('COMMIT');
      return await placing;
    } finally {
      await locker.end();
    }
  }

  it('are listed once each, page by page, when two stores have an order with the same id', async () => {
    const twins = [api.store, await StoreFixture.create(api.database)];
    const id = await api.store.order();
    await twins[1]?.order({ id });
    for (const twin of twins) {
      const stage = { order_id: id, stage: 'notify-customer', state: 'held', held_for: ['twin'], position: 3 };
      await twin.row('order_stages', stage);
    }
    const filter = { subdomain: null, reasons: ['twin'] };

    const [first] = await api.app.get(HeldOrders).list(filter, 1, null);
    const rest = await api.app.get(HeldOrders).list(filter, 1, first ?? null);

    expect([first, ...rest].map((order) => order?.storeId)).toEqual(twins.map((twin) => twin.id));
  });

  it('are screened again after a failed analysis, and confirmed once when the verdict is ACCEPT', async () => {
    const { id, email } = await placeUnanalysed(1_000);

    await eventually(() => expect(mailsTo(email)).toBe(1));

    await eventually(async () => expect(await customerStage(id)).toMatchObject({ state: 'done' }));
    expect((await orderOf(id)).fraud).toEqual({ verdict: 'ACCEPT', score: 0, reasons: [] });
    expect(mailsTo(email)).toBe(1);
  });

  it.each([
    ['a high amount', {}, 'amount_over_limit'],
    ['a blocked e-mail, although the order can no longer be rejected', { blocked_emails: true }, 'blocked_email'],
  ])('stay held when the second analysis finds %s', async (_what, more, rule) => {
    const { id, email } = await placeUnanalysed();
    await settings({ review_amount: REVIEW_AMOUNT, ...('blocked_emails' in more ? { blocked_emails: [email] } : {}) });

    // The worker screens the order too. The second screening changes nothing.
    await api.app.get(RescreenHeldOrders).execute(null, NO_SIGNAL);

    await eventually(async () =>
      expect((await orderOf(id)).fraud.reasons.map((reason) => reason.rule)).toContain(rule),
    );
    expect((await orderOf(id)).fraud.verdict).toBe('REVIEW');
    expect(await customerStage(id)).toMatchObject({ state: 'held' });
    expect(mailsTo(email)).toBe(0);
  });

  it('are screened with the velocity at the time of their placement', async () => {
    const email = 'often@example.com';
    const at = new Date(Date.now() - 3 * 3_600_000);
    const order = (minutes: number) =>
      api.store.order({
        source: 'WEBSITE',
        customer_email: email,
        created_at: new Date(at.getTime() + minutes * 60_000),
      });
    const own = await order(0);
    await settings({ review_orders_per_email: 3 });
    const signals = { email, phone: '', address: { address: '', city: '', zip: '' }, total: 1, quantities: [1] };
    const rules = async () => {
      const assessment = await api.app.get(FraudScreening).reassess(api.store.id, signals, { orderId: own, at });
      return assessment.reasons.map(({ rule }) => rule);
    };

    for (const minutes of [-61, 1, 2, 3, 4]) await order(minutes);
    expect(await rules()).toEqual([]);
    await order(-59);
    await order(-30);
    expect(await rules()).toEqual(['email_velocity']);
    await order(-1);
    expect(await rules()).toEqual(['email_velocity_high']);
  });

  it('are confirmed once when three releases run at the same time', async () => {
    const { id, email } = await place(await aProduct());
    const release = () => api.app.get(ReleaseOrder).execute(whereIs(id));

    const outcomes = await Promise.all([release(), release(), release()]);

    expect(outcomes.filter((released) => released)).toHaveLength(1);
    await eventually(async () => expect(await customerStage(id)).toMatchObject({ state: 'done' }));
    expect(await release()).toBe(false);
    expect(mailsTo(email)).toBe(1);
  });

  it('are never confirmed after their cancellation', async () => {
    const { id, email } = await place(await aProduct());
    await api.app.get(CancelOrder).execute(whereIs(id));

    const retried = await api.app.get(RetryPipeline).execute(whereIs(id));

    expect(retried).toMatchObject({ stages: [], cancelled: true });
    // The stage is in the state of one that was pending before the cancellation.
    await api.database.query(
      `UPDATE order_stages SET state = 'pending' WHERE order_id = $1 AND stage = 'notify-customer'`,
      [id],
    );
    await eventually(async () => {
      expect(await customerStage(id)).toMatchObject({ state: 'dead', last_error: 'order_cancelled' });
    });
    expect(mailsTo(email)).toBe(0);
  });

  it('are those of GET /v1/orders?held=true, newest first, until they are released or cancelled', async () => {
    const idsOf = async (query: string) =>
      (await api.get(`/v1/orders?limit=100&${query}`)).json<{ data: { id: string }[] }>().data.map(({ id }) => id);
    const listed = async () => {
      const found = await api.app.get(HeldOrders).list({ subdomain: api.store.subdomain, reasons: null }, 1_000, null);
      return found.map(({ orderId }) => orderId);
    };
    const accepted = (await place(await aProduct(1_000))).id;
    const [released, cancelled, held] = [
      (await place(await aProduct())).id,
      (await place(await aProduct())).id,
      (await place(await aProduct())).id,
    ];

    expect((await idsOf('held=true')).slice(0, 3)).toEqual([held, cancelled, released]);
    expect((await idsOf('held=true')).sort()).toEqual((await listed()).sort());
    expect((await orderOf(held)).fraud.reasons).toEqual([expect.objectContaining({ rule: 'amount_over_limit' })]);

    await api.app.get(ReleaseOrder).execute(whereIs(released));
    await api.app.get(CancelOrder).execute(whereIs(cancelled));

    expect((await idsOf('held=true'))[0]).toBe(held);
    expect((await idsOf('held=true')).sort()).toEqual((await listed()).sort());
    expect((await idsOf('held=false')).slice(0, 3)).toEqual([cancelled, released, accepted]);
  });

  it('are counted by reason in the metrics', async () => {
    const valueOf = async (reason: string) => {
      await api.app.get(Readiness).check();
      const { body } = await api.inject({ url: '/metrics' });
      return Number(new RegExp(`^orders_held\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(body)?.[1] ?? 0);
    };
    const [before, unavailable] = [await valueOf('amount_over_limit'), await valueOf('analysis_unavailable')];
    const { id } = await place(await aProduct());

    // The API renders the metrics at most once a second.
    const becomes = (reason: string, count: number) =>
      eventually(async () => expect(await valueOf(reason)).toBe(count));
    await becomes('amount_over_limit', before + 1);
    expect(unavailable).toBe(0);
    await api.database.query('UPDATE order_stages SET held_for = NULL WHERE order_id = $1', [id]);
    await becomes('unknown', 1);
    expect(await valueOf('amount_over_limit')).toBe(before);
    await api.app.get(ReleaseOrder).execute(whereIs(id));
    await becomes('unknown', 0);
  });
});
