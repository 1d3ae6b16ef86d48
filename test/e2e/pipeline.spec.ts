import { ChangeOrder, FraudScreening, HeldOrders, RescreenHeldOrders, StageRetries } from '@app/application';
import pg from 'pg';
import type { Histogram } from 'prom-client';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { CANCELLATION, changing } from '../support/changing.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { freshGauge } from '../support/fresh-gauges.js';
import { lockWaits } from '../support/lock-waits.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Stage {
  stage: string;
  state: string;
  attempts: number;
  last_error: string;
}

const REVIEW_AMOUNT = 50_000;
const contact = { email: 'merchant@example.com' };

let smtp: SmtpSink;
let api: RunningApi;
beforeAll(async () => {
  smtp = await SmtpSink.start();
  api = await startApi({ PIPELINE: 'inline', SMTP_URL: smtp.url, PIPELINE_MAX_DEAD_LETTERS: '2' });
  await api.database.query('UPDATE stores SET contact = $1', [contact]);
});
afterAll(async () => {
  await api.stop();
  await smtp.close();
});
beforeEach(() => settings({ review_amount: REVIEW_AMOUNT }));

const settings = (fraud: object) => api.database.query('UPDATE stores SET fraud_settings = $1', [fraud]);

interface OrderData {
  readonly fraud: { readonly verdict: string; readonly reasons: readonly { readonly rule: string }[] };
  readonly pipeline: readonly Stage[];
}

/** Places an order of one unit and returns its id. */
async function placeOrder(email = 'ada@example.com', price = 1099, to = api): Promise<string> {
  const mug = await to.store.product({ name: 'Mug', price, stock: 5 });
  const customer = { name: 'Ada Lovelace', email };
  const response = await to.post('/v1/orders', { items: [{ product_id: mug, quantity: 1 }], customer });
  return response.json<{ data: { order_id: string } }>().data.order_id;
}

async function notifications(orderId: string, of = api): Promise<Stage[]> {
  const response = await of.get(`/v1/orders/${orderId}`);
  return response
    .json<{ data: { pipeline: Stage[] } }>()
    .data.pipeline.filter(({ stage }) => stage.startsWith('notify'));
}

/** The number of confirmations that ended because of their recipient. */
async function undeliverable(): Promise<number> {
  const attempts = api.app.get(Metrics).registry.getSingleMetric('pipeline_attempt_duration_seconds') as Histogram;
  const { values } = await attempts.get();
  const count = values.find(
    ({ metricName, labels: { stage, outcome } }) =>
      metricName === 'pipeline_attempt_duration_seconds_count' &&
      stage === 'notify-customer' &&
      outcome === 'undeliverable',
  );
  return count?.value ?? 0;
}

describe('the pipeline with a mail server', () => {
  const mailsOf = (orderId: string) => smtp.mails.filter(({ messageId }) => messageId.includes(orderId));

  it('sends one mail to the customer and one to the merchant, and leaves updated_at unchanged', async () => {
    const orderId = await placeOrder();

    await eventually(() => expect(mailsOf(orderId)).toHaveLength(2));

    expect(
      mailsOf(orderId)
        .flatMap(({ to }) => to)
        .sort(),
    ).toEqual(['ada@example.com', 'merchant@example.com']);
    const { data } = (await api.get(`/v1/orders/${orderId}`)).json<{
      data: Record<'created_at' | 'updated_at', string>;
    }>();
    expect(data.updated_at).toBe(data.created_at);
  });

  it('sends the mails of two stores whose orders have the same id', async () => {
    const id = await placeOrder();
    await eventually(() => expect(mailsOf(id)).toHaveLength(2));
    const twin = await StoreFixture.create(api.database);
    await twin.order({ id, customer_email: 'twin@example.com' });
    await twin.row('order_stages', { order_id: id, stage: 'notify-customer', state: 'done', position: 3 });

    await api.database.query(
      `UPDATE order_stages SET state = 'pending' WHERE order_id = $1 AND stage = 'notify-customer'`,
      [id],
    );

    await eventually(() => {
      const recipients = mailsOf(id).flatMap(({ to }) => to);
      expect(recipients.sort()).toEqual([
        'ada@example.com',
        'ada@example.com',
        'merchant@example.com',
        'twin@example.com',
      ]);
    });
  });

  it('holds the confirmation of an order under review until the order is confirmed', async () => {
    const orderId = await placeOrder('grace@example.com', 50_000);
    await eventually(() => expect(mailsOf(orderId).flatMap(({ to }) => to)).toEqual(['merchant@example.com']));

    await api.app
      .get(ChangeOrder)
      .setStatus(changing({ storeId: api.store.id, orderId }), { fulfillmentStatus: 'CONFIRMED' });

    await eventually(() => expect(mailsOf(orderId).flatMap(({ to }) => to)).toContain('grace@example.com'));
  });

  it('retries a failed stage, counts the attempts and stores the code of the error without its text', async () => {
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    const orderId = await placeOrder();
    await eventually(async () => {
      const stages = await notifications(orderId);
      expect(stages.every(({ attempts, last_error }) => attempts >= 1 && last_error !== '')).toBe(true);
      expect(JSON.stringify(stages)).not.toContain('@');
    });

    smtp.behaviour = { kind: 'accept' };

    await eventually(async () => {
      const stages = await notifications(orderId);
      expect(stages.map(({ state }) => state)).toEqual(['done', 'done']);
      expect(Math.min(...stages.map(({ attempts }) => attempts))).toBeGreaterThan(1);
    });
  });

  it('stays healthy when more buyers than its limit of dead letters mistype their addresses', async () => {
    const wrong = Array.from({ length: 3 }, (_, n) => `typo-${n}@example.com`);
    for (const address of wrong) smtp.blocked.add(address);
    const mug = await api.store.product({ name: 'Mug', stock: wrong.length });
    const before = await undeliverable();

    await Promise.all(
      wrong.map((email) =>
        api.post('/v1/orders', { items: [{ product_id: mug, quantity: 1 }], customer: { name: 'Ada', email } }),
      ),
    );

    await eventually(async () => {
      const [count] = await api.database.query<{ n: number; attempts: number }>(
        `SELECT count(*)::int AS n, max(attempts) AS attempts FROM order_stages JOIN orders ON orders.id = order_id
         WHERE state = 'dead' AND last_error = 'SMTP_550' AND customer_email LIKE 'typo-%'`,
      );
      expect(count).toEqual({ n: wrong.length, attempts: 1 });
    });
    expect(await freshGauge(api, 'pipeline_dead_letters')).toEqual([{ value: 0 }]);
    expect((await undeliverable()) - before).toBe(wrong.length);
  });

  it('reports a dead letter after the last attempt for a day or until it is dismissed, and runs the stage again on request', async () => {
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 550 };
    const orderId = await placeOrder();
    // The back-off takes hours, so the test uses up the remaining attempts.
    await eventually(async () => {
      await api.database.query(
        `UPDATE order_stages SET attempts = greatest(attempts, 11), run_at = now()
         WHERE order_id = $1 AND state = 'pending' AND locked_until IS NULL`,
        [orderId],
      );
      expect((await notifications(orderId)).map(({ state }) => state)).toEqual(['dead', 'dead']);
    });
    await eventually(async () => {
      expect((await api.inject({ url: '/health' })).json()).toMatchObject({
        details: { pipeline: { dead_letters: 2 } },
      });
      expect((await api.inject({ url: '/metrics' })).body).toContain('\npipeline_dead_letters 2\n');
    });
    smtp.behaviour = { kind: 'accept' };

    const deadLetters = async () => (await freshGauge(api, 'pipeline_dead_letters'))?.[0]?.value;
    await api.database.query(
      `UPDATE order_stages SET updated_at = now() - CASE stage WHEN 'notify-customer' THEN interval '24 hours 1 minute'
         ELSE interval '23 hours 59 minutes' END WHERE order_id = $1`,
      [orderId],
    );
    expect(await deadLetters()).toBe(1);
    const dismissed = await api.app.get(StageRetries).dismiss({ storeId: api.store.id, orderId });
    expect([...dismissed].sort()).toEqual(['notify-customer', 'notify-merchant']);
    expect(await deadLetters()).toBe(0);
    expect(await notifications(orderId)).toMatchObject([{ state: 'dead', last_error: 'SMTP_550' }, { state: 'dead' }]);

    const retried = await api.app.get(StageRetries).retry({ storeId: api.store.id, orderId });

    expect([...retried.stages].sort()).toEqual(['notify-customer', 'notify-merchant']);
    await eventually(() => expect(mailsOf(orderId)).toHaveLength(2));
  });
});

describe('orders under review', () => {
  const NO_SIGNAL = new AbortController().signal;
  let serial = 0;
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
        expect(await lockWaits(api.database, '%INSERT INTO orders%')).toBe(1);
      }, 5_000);
      await locker.query('COMMIT');
      return await placing;
    } finally {
      await locker.end();
    }
  }

  it('are screened again after a failed analysis, and confirmed once when the verdict is ACCEPT', async () => {
    const { id, email } = await placeUnanalysed(1_000);

    await eventually(() => expect(mailsTo(email)).toBe(1));

    await eventually(async () => expect(await customerStage(id)).toMatchObject({ state: 'done' }));
    expect((await orderOf(id)).fraud).toEqual({ verdict: 'ACCEPT', score: 0, reasons: [] });
    expect(mailsTo(email)).toBe(1);
    const history = 'SELECT actor_type, event FROM order_events WHERE order_id = $1';
    expect(await api.database.query(history, [id])).toEqual([{ actor_type: 'pipeline', event: 'released' }]);
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
    const signals = {
      email,
      phone: '',
      address: { address: '', city: '', zip: '', region: '', country: '' },
      total: 1,
      items: [{ productId: 1, variantId: null, quantity: 1 }],
    };
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

    const place = 'UPDATE orders SET placed_by = (SELECT id FROM api_keys WHERE store_id = $1 LIMIT 1) WHERE id = $2';
    await api.database.query(place, [api.store.id, own]);
    expect(await rules()).toEqual(['email_velocity_high']);
    await api.database.query('UPDATE api_keys SET trusted = true WHERE store_id = $1', [api.store.id]);
    expect(await rules()).toEqual([]);
    await api.database.query('UPDATE api_keys SET trusted = false WHERE store_id = $1', [api.store.id]);
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

    await api.app.get(ChangeOrder).release(changing(whereIs(released)));
    await api.app.get(ChangeOrder).cancel(changing(whereIs(cancelled)), CANCELLATION);

    expect((await idsOf('held=true'))[0]).toBe(held);
    expect((await idsOf('held=true')).sort()).toEqual((await listed()).sort());
    expect((await idsOf('held=false')).slice(0, 3)).toEqual([cancelled, released, accepted]);
  });

  it('are counted by reason in the metrics', async () => {
    const valueOf = async (reason: string) => {
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
    await api.app.get(ChangeOrder).release(changing(whereIs(id)));
    await becomes('unknown', 0);
  });
});
