import { ChangeOrder, CustomersService, FraudScreening, RescreenHeldOrders, StageRetries } from '@app/application';
import { wholeAddress } from '@app/domain';
import type { Histogram } from 'prom-client';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { BY_OPERATOR } from '../builders/change-origin.js';
import { changing } from '../support/changing.js';
import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { bundleImports } from '../support/bundle-imports.js';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { freshGauge } from '../support/fresh-gauges.js';
import { lockWaits } from '../support/lock-waits.js';
import { readMail } from '../support/mail-message.js';
import { openTransaction } from '../support/open-transaction.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Stage {
  readonly stage: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string;
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
afterEach(() => void (smtp.behaviour = { kind: 'accept' }));

const settings = (fraud: object) => api.database.query('UPDATE stores SET fraud_settings = $1', [fraud]);

type ChangeStage = 'notify-shipment' | 'notify-cancellation' | 'notify-refund';

interface OrderData {
  readonly fraud: { readonly verdict: string; readonly reasons: readonly { readonly rule: string }[] };
  readonly pipeline: readonly Stage[];
}

async function placeOrder(email = 'ada@example.com', price = 1099): Promise<string> {
  const mug = await api.store.product({ name: 'Mug', price, stock: 5 });
  return (await api.place(anOrderBody(mug, 1, { customer: { name: 'Ada Lovelace', email } }))).order_id;
}

async function stagesOf(orderId: string, stage = 'notify'): Promise<Stage[]> {
  const { pipeline } = (await api.get(`/v1/orders/${orderId}`)).json<{ data: OrderData }>().data;
  return pipeline.filter((one) => one.stage.startsWith(stage));
}

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

  it('sends one mail to the customer and one to the merchant', async () => {
    const orderId = await placeOrder();

    await eventually(() => expect(mailsOf(orderId)).toHaveLength(2));

    expect(
      mailsOf(orderId)
        .flatMap(({ to }) => to)
        .sort(),
    ).toEqual(['ada@example.com', 'merchant@example.com']);
  });

  it('sends the mails of two stores whose orders have the same id', async () => {
    const id = await placeOrder();
    await eventually(() => expect(mailsOf(id)).toHaveLength(2));
    const twin = await StoreFixture.create(api.database);
    await twin.order({ id, customer_email: 'twin@example.com' });
    await twin.row('order_stages', { order_id: id, stage: 'notify-customer', state: 'done' });

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

  it.each([
    ['is sent by no channel', 1_000, false],
    ['is not sent by the release of a held order either', REVIEW_AMOUNT, true],
  ])(
    'the confirmation of an order with notify false %s, and its merchant and its shipment have mails',
    async (...row) => {
      const [, price, isHeld] = row;
      const mug = await api.store.product({ price, stock: 5 });
      const more = { customer: { name: 'Ada', email: 'quiet@example.com' }, notify: false };
      const { order_id: orderId } = await api.place(anOrderBody(mug, 1, more));
      expect(await stagesOf(orderId, 'notify-customer')).toMatchObject([
        { state: 'done', attempts: 0, last_error: 'not_wanted' },
      ]);

      if (isHeld) expect((await api.post(`/v1/orders/${orderId}/release`, {})).statusCode).toBe(200);
      expect((await api.post(`/v1/orders/${orderId}/shipments`, { reference: 'S-1' })).statusCode).toBe(201);

      await eventually(async () =>
        expect((await stagesOf(orderId)).map((stage) => `${stage.stage} ${stage.state} ${stage.attempts}`)).toEqual([
          'notify-customer done 0',
          'notify-merchant done 1',
          'notify-shipment done 1',
        ]),
      );
      expect(
        mailsOf(orderId)
          .map(({ messageId }) => /notify-\w+/.exec(messageId)?.[0])
          .sort(),
      ).toEqual(['notify-merchant', 'notify-shipment']);
    },
  );

  it('retries a failed stage, counts the attempts and stores the code of the error without its text', async () => {
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    const orderId = await placeOrder();
    await eventually(async () => {
      const stages = await stagesOf(orderId);
      expect(stages.every(({ attempts, last_error }) => attempts >= 1 && last_error !== '')).toBe(true);
      expect(JSON.stringify(stages)).not.toContain('@');
    });

    smtp.behaviour = { kind: 'accept' };

    await eventually(async () => {
      const stages = await stagesOf(orderId);
      expect(stages.map(({ state }) => state)).toEqual(['done', 'done']);
      expect(Math.min(...stages.map(({ attempts }) => attempts))).toBeGreaterThan(1);
    });
  });

  it('stays healthy when more buyers than its limit of dead letters mistype their addresses', async () => {
    const wrong = Array.from({ length: 3 }, (_, n) => `typo-${n}@example.com`);
    for (const address of wrong) smtp.blocked.add(address);
    const before = await undeliverable();

    await Promise.all(wrong.map((email) => placeOrder(email)));

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
      expect((await stagesOf(orderId)).map(({ state }) => state)).toEqual(['dead', 'dead']);
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
    expect(await stagesOf(orderId)).toMatchObject([{ state: 'dead', last_error: 'SMTP_550' }, { state: 'dead' }]);

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
  const customerStage = async (id: string) => (await stagesOf(id, 'notify-customer'))[0];

  const aProduct = (price = REVIEW_AMOUNT) => api.store.product({ price, stock: 5 });

  async function place(product: number, more = {}) {
    const email = `buyer-${++serial}@example.com`;
    const { order_id: id } = await api.place(anOrderBody(product, 1, { customer: { name: 'Ada', email }, ...more }));
    return { id, email };
  }

  async function placeUnanalysed(price?: number, more = {}) {
    const product = await aProduct(price);
    const locker = await openTransaction(api.database, 'LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
    try {
      const placing = place(product, more);
      await eventually(async () => {
        expect(await lockWaits(api.database, '%INSERT INTO orders%')).toBe(1);
      }, 5_000);
      await locker.end();
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

  it('are confirmed by no mail after a failed analysis when their client wants none', async () => {
    const { id, email } = await placeUnanalysed(1_000, { notify: false });

    await eventually(async () => expect((await orderOf(id)).fraud.verdict).toBe('ACCEPT'));
    expect(await customerStage(id)).toMatchObject({ state: 'done', attempts: 0, last_error: 'not_wanted' });
    expect(mailsTo(email)).toBe(0);
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
      address: wholeAddress({}),
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
    await api.database.query(`UPDATE orders SET held_reasons = '{}' WHERE id = $1`, [id]);
    await becomes('unknown', 1);
    expect(await valueOf('amount_over_limit')).toBe(before);
    await api.app.get(ChangeOrder).release(changing({ storeId: api.store.id, orderId: id }));
    await becomes('unknown', 0);
  });

  it('are counted beside any number of imported ones, whose reasons may be any text', async () => {
    const imported = await StoreFixture.create(api.database);
    await api.database.query(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, created_at, held_reasons)
       SELECT $1, gen_random_uuid(), 'H-' || n, 'WEBSITE', 'PENDING', 'PENDING', 'CASH', 'USD', 1, 1, '', now(),
         ARRAY['A reason ' || n]
       FROM generate_series(1, 150) AS n`,
      [imported.id],
    );
    await place(await aProduct(), { customer: { name: 'Ada', email: 'counted@example.com' } });

    await eventually(async () => {
      const { body } = await api.inject({ url: '/metrics' });
      expect(body).toMatch(/^orders_held\{reason="amount_over_limit"\} [1-9]/m);
      expect(body).not.toContain('A reason');
    });
  });
});

describe('the mails about changes of an order', () => {
  const TRACKING_URL = 'https://tracking.example.com/00340434161094042557';
  const parcel = { reference: 'SHIP-1', carrier: 'DHL', tracking_number: '00340434161094042557' };

  let serial = 0;

  async function place(email = `buyer-${++serial}@example.com`): Promise<string> {
    const mug = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
    const { order_id: id } = await api.place(anOrderBody(mug, 2, { customer: { name: 'Ada Lovelace', email } }));
    await eventually(async () => expect(await statesOf(id, 'notify-customer')).toEqual(['done']));
    return id;
  }

  async function change(id: string, what: string, body: object): Promise<void> {
    const response = await api.post(`/v1/orders/${id}/${what}`, body);
    expect([response.statusCode, response.body]).toEqual([what === 'cancel' ? 200 : 201, expect.any(String)]);
  }

  const statesOf = async (id: string, stage: string) => (await stagesOf(id, stage)).map(({ state }) => state);
  const becomes = (id: string, stage: string, states: readonly string[]) =>
    eventually(async () => expect(await statesOf(id, stage)).toEqual(states));

  const mailsOf = (id: string, stage: ChangeStage) =>
    smtp.mails.filter(({ messageId }) => messageId.startsWith(`${id}-${stage}`));
  const textOf = (raw = '') => readMail(raw).parts.get('text/plain') ?? '';
  const pay = (id: string) => change(id, 'payments', { reference: 'PAY-1', amount: 2198, currency: 'USD' });

  const CHANGES: [stage: ChangeStage, make: (id: string, notify?: boolean) => Promise<void>][] = [
    ['notify-shipment', (id, notify) => change(id, 'shipments', { ...parcel, tracking_url: TRACKING_URL, notify })],
    ['notify-cancellation', (id, notify) => change(id, 'cancel', { reason: 'none of yours', notify })],
    [
      'notify-refund',
      async (id, notify) => {
        await pay(id);
        await change(id, 'refunds', { reference: 'RE-1', amount: 550, notify });
      },
    ],
  ];

  describe('the customer of an order', () => {
    it('gets one mail for each shipment, with its tracking and what is still to come', async () => {
      const id = await place();
      const first = { ...parcel, tracking_url: TRACKING_URL, items: [{ line: 1, quantity: 1 }] };

      await change(id, 'shipments', first);
      await change(id, 'shipments', first);
      await becomes(id, 'notify-shipment', ['done']);
      await change(id, 'shipments', { reference: 'ship-1' });
      await becomes(id, 'notify-shipment', ['done', 'done']);

      const [one, other, ...more] = mailsOf(id, 'notify-shipment');
      expect(more).toEqual([]);
      expect(one?.to).toEqual([`buyer-${serial}@example.com`]);
      for (const words of ['1 × Mug', 'DHL', parcel.tracking_number, TRACKING_URL, 'Not shipped yet:\n  1 × Mug\n']) {
        expect(textOf(one?.raw)).toContain(words);
      }
      expect(textOf(other?.raw)).not.toMatch(/Tracking|Not shipped yet/);
      expect(other?.messageId).not.toBe(one?.messageId);
    });

    it('gets the mail about a picked shipment when it is shipped', async () => {
      const id = await place();
      await change(id, 'shipments', { ...parcel, status: 'picking' });
      expect(await stagesOf(id, 'notify-shipment')).toEqual([]);

      for (const status of ['shipped', 'delivered']) await api.patch(`/v1/orders/${id}/shipments/SHIP-1`, { status });

      await becomes(id, 'notify-shipment', ['done']);
      expect(mailsOf(id, 'notify-shipment')).toHaveLength(1);
    });

    it('learns from the mail about the cancellation of a paid order that the money is paid back', async () => {
      const id = await place();
      await pay(id);

      await change(id, 'cancel', { reason: 'none of yours' });

      await becomes(id, 'notify-cancellation', ['done']);
      const [mail] = mailsOf(id, 'notify-cancellation');
      expect(textOf(mail?.raw)).toMatch(/was cancelled\.[^]*We will refund \$21\.98\./);
      expect(mail?.raw).not.toContain('none of yours');
    });

    it('gets one mail for each refund, with its amount', async () => {
      const id = await place();
      await pay(id);

      for (const [reference, amount] of Object.entries({ 'RE-1': 550, 'RE-2': 1 })) {
        await change(id, 'refunds', { reference, amount });
      }

      await becomes(id, 'notify-refund', ['done', 'done']);
      const texts = mailsOf(id, 'notify-refund').map(({ raw }) => /we have refunded (\S+) for/.exec(textOf(raw))?.[1]);
      expect(texts.sort()).toEqual(['$0.01', '$5.50']);
    });
  });

  describe.each(CHANGES)('%s', (stage, make) => {
    it('is no stage of a change with notify false', async () => {
      const id = await place();

      await make(id, false);

      expect(await stagesOf(id, stage)).toEqual([]);
    });

    it('is done without a mail when the person is erased while it fails', async () => {
      const id = await place();
      smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
      await make(id);
      await eventually(async () => expect(await stagesOf(id, stage)).toMatchObject([{ last_error: 'SMTP_451' }]));

      const person = { store: api.store.subdomain, email: `buyer-${serial}@example.com`, force: true };
      expect(await api.app.get(CustomersService).erase(person, BY_OPERATOR)).toMatchObject({ orders: 1 });
      smtp.behaviour = { kind: 'accept' };

      await becomes(id, stage, ['done']);
      expect(mailsOf(id, stage)).toEqual([]);
    });

    it('sends the mail again with the same id after a worker was killed before it recorded the mail', async () => {
      const id = await place();
      await make(id);
      await becomes(id, stage, ['done']);

      // What the killed worker leaves. The back-off of the lost attempt is skipped.
      await api.database.query(
        `UPDATE order_stages SET state = 'pending', attempts = 0, locked_until = now() - interval '1 s'
       WHERE order_id = $1 AND stage = $2`,
        [id, stage],
      );
      await eventually(async () => expect(await stagesOf(id, stage)).toMatchObject([{ last_error: 'WorkerLost' }]));
      await api.database.query('UPDATE order_stages SET run_at = now() WHERE order_id = $1 AND stage = $2', [
        id,
        stage,
      ]);

      await becomes(id, stage, ['done']);
      const ids = mailsOf(id, stage).map(({ messageId }) => messageId);
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
    });
  });

  it('a shipment that becomes void before its mail is sent sends none, and the mail of the next one is sent', async () => {
    const id = await place();
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    await change(id, 'shipments', parcel);
    await eventually(async () =>
      expect(await stagesOf(id, 'notify-shipment')).toMatchObject([{ last_error: 'SMTP_451' }]),
    );
    await api.patch(`/v1/orders/${id}/shipments/SHIP-1`, { status: 'void' });
    await change(id, 'shipments', { ...parcel, reference: 'SHIP-2', tracking_number: 'second' });

    smtp.behaviour = { kind: 'accept' };

    await becomes(id, 'notify-shipment', ['done', 'done']);
    const mails = mailsOf(id, 'notify-shipment');
    expect(mails).toHaveLength(1);
    expect(textOf(mails[0]?.raw)).toContain('Tracking number: second');
  });

  describe('the merchant', () => {
    it('is told once of sold units that a count did not find, and the newest open orders, also after a failure', async () => {
      const shop = await api.withStore();
      await api.database.query('UPDATE stores SET contact = $1 WHERE id = $2', [contact, shop.store.id]);
      const product = await shop.store.product({ sku: 'R-1', stock: 5 });
      const { order_id } = await shop.place(anOrderBody(product));
      expect((await shop.post(`/v1/orders/${order_id}/shipments`, { reference: 'S-1' })).statusCode).toBe(201);
      const orders = [await shop.place(anOrderBody(product, 2)), await shop.place(anOrderBody(product, 2))];
      const reader = new FeedReader(shop);
      await reader.catchUp();
      smtp.behaviour = { kind: 'refuse', at: 'recipient', code: 451 };

      const line = { sku: 'R-1', counted: 1, as_of: reader.cursor, basis: 'on_hand' };
      const { data } = (await shop.post('/v1/stock', { lines: [line] })).json<{ data: { lines: object[] } }>();

      expect(data.lines).toMatchObject([{ after: 0, short: 3 }]);
      const attempts = () =>
        api.database.query('SELECT attempts FROM merchant_notices WHERE store_id = $1', [shop.store.id]);
      await eventually(async () => expect(await attempts()).toEqual([{ attempts: 1 }]));
      smtp.behaviour = { kind: 'accept' };
      await api.database.query('UPDATE merchant_notices SET run_at = now()');
      await eventually(async () => expect(await attempts()).toEqual([]));
      const [mail, ...more] = smtp.mails.filter(({ raw }) => raw.includes('Subject: 3 sold units are missing'));
      expect(more).toEqual([]);
      expect(mail?.to).toEqual([contact.email]);
      const newest = orders.map(({ receipt_number: receipt }) => receipt).toReversed();
      expect(mail?.raw.replaceAll('=\r\n', '')).toMatch(
        new RegExp(`3 missing\r\n\\s+Newest open orders with it: ${newest.join(', ')}`),
      );
    });

    it('is told of units that a till sold although no bin had them', async () => {
      const shop = await api.withStore();
      await api.database.query('UPDATE stores SET contact = $1 WHERE id = $2', [contact, shop.store.id]);
      const product = await shop.store.product({ slug: 'mug', stock: [2, 2] });
      const { receipt_number: placed } = await shop.place(anOrderBody(product, 3));

      await bundleImports(() => api.database).importLines({
        ...{ kind: 'order', store: shop.store.subdomain, receipt_number: 'TILL-1', source: 'POS', status: 'SUCCEEDED' },
        ...{ fulfillment_status: 'DELIVERED', payment_method: 'CASH', currency: 'USD', amount: 7, total_amount: 7 },
        ...{ created_at: '2026-01-02T03:04:05.000Z', takes_stock: true },
        line_items: [{ product: 'mug', name: 'Mug', unit_price: 1, quantity: 7 }],
      });

      const subject = 'Subject: 6 sold units are missing';
      await eventually(() => expect(smtp.mails.filter(({ raw }) => raw.includes(subject))).toHaveLength(1));
      const mail = smtp.mails.find(({ raw }) => raw.includes(subject));
      const text = mail?.raw.replaceAll('=\r\n', '') ?? '';
      expect(text).toContain('A till sold more units than were in stock.');
      expect(text).toMatch(new RegExp(`mug: 6 missing\r\n\\s+Newest open orders with it: ${placed}\r\n`));
    });
  });
});
