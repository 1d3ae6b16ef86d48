import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ChangeOrderStatus, RetryPipeline } from '@app/application';
import { Readiness } from '@app/health';
import { startApi, type RunningApi } from '../support/start-api.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';

interface Stage {
  stage: string;
  state: string;
  attempts: number;
  last_error: string;
}

/** Places an order of one unit and returns its id. */
async function placeOrder(api: RunningApi, email = 'ada@example.com', price = 1099): Promise<string> {
  const mug = await api.store.product({ name: 'Mug', price, stock: 5 });
  const customer = { name: 'Ada Lovelace', email };
  const response = await api.post('/v1/orders', { items: [{ product_id: mug, quantity: 1 }], customer });
  return response.json<{ data: { order_id: string } }>().data.order_id;
}

async function notifications(api: RunningApi, orderId: string): Promise<Stage[]> {
  const response = await api.get(`/v1/orders/${orderId}`);
  return response
    .json<{ data: { pipeline: Stage[] } }>()
    .data.pipeline.filter(({ stage }) => stage.startsWith('notify'));
}

const contact = { email: 'merchant@example.com' };

describe('the pipeline without a mail server', () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-mail-'));
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ PIPELINE: 'inline', DATA_DIR: dataDir });
    await api.database.query('UPDATE stores SET contact = $1', [contact]);
  });
  afterAll(async () => {
    await api.stop();
    fs.rmSync(dataDir, { recursive: true });
  });

  it('writes both mails of an order as .eml files and leaves updated_at unchanged', async () => {
    const orderId = await placeOrder(api);

    await eventually(async () => {
      expect((await notifications(api, orderId)).map(({ state }) => state)).toEqual(['done', 'done']);
    });

    const order = (await api.get(`/v1/orders/${orderId}`)).json<{
      data: Record<'created_at' | 'updated_at', string>;
    }>();
    expect(order.data.updated_at).toBe(order.data.created_at);

    const files = fs.readdirSync(path.join(dataDir, 'mail')).filter((name) => name.includes(orderId));
    expect(files.sort()).toEqual(
      ['customer', 'merchant'].map((whom) => `${api.store.subdomain}-${orderId}-notify-${whom}.eml`),
    );
    expect(fs.readFileSync(path.join(dataDir, 'mail', files[0] ?? ''), 'utf8')).toMatch(/^To: .*ada@example\.com/m);
  });
});

describe('the pipeline with a mail server', () => {
  let smtp: SmtpSink;
  let api: RunningApi;
  beforeAll(async () => {
    smtp = await SmtpSink.start();
    api = await startApi({ PIPELINE: 'inline', SMTP_URL: smtp.url });
    await api.database.query(`UPDATE stores SET contact = $1, fraud_settings = '{"review_amount": 50000}'`, [contact]);
  });
  afterAll(async () => {
    await api.stop();
    await smtp.close();
  });

  const mailsOf = (orderId: string) => smtp.mails.filter(({ messageId }) => messageId.includes(orderId));

  it('sends one mail to the customer and one to the merchant', async () => {
    const orderId = await placeOrder(api);

    await eventually(() => expect(mailsOf(orderId)).toHaveLength(2));

    expect(
      mailsOf(orderId)
        .flatMap(({ to }) => to)
        .sort(),
    ).toEqual(['ada@example.com', 'merchant@example.com']);
  });

  it('sends the mails of two stores whose orders have the same id', async () => {
    const id = await placeOrder(api);
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
    const orderId = await placeOrder(api, 'grace@example.com', 50_000);
    await eventually(() => expect(mailsOf(orderId).flatMap(({ to }) => to)).toEqual(['merchant@example.com']));

    await api.app
      .get(ChangeOrderStatus)
      .execute({ storeId: api.store.id, orderId }, { fulfillmentStatus: 'CONFIRMED' });

    await eventually(() => expect(mailsOf(orderId).flatMap(({ to }) => to)).toContain('grace@example.com'));
  });

  it('retries a failed stage, counts the attempts and stores the code of the error without its text', async () => {
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    const orderId = await placeOrder(api);
    await eventually(async () => {
      const stages = await notifications(api, orderId);
      expect(stages.every(({ attempts, last_error }) => attempts >= 1 && last_error !== '')).toBe(true);
      expect(JSON.stringify(stages)).not.toContain('@');
    });

    smtp.behaviour = { kind: 'accept' };

    await eventually(async () => {
      const stages = await notifications(api, orderId);
      expect(stages.map(({ state }) => state)).toEqual(['done', 'done']);
      expect(Math.min(...stages.map(({ attempts }) => attempts))).toBeGreaterThan(1);
    });
  });

  it('does not send a mail again when a retry is requested while its attempt runs', async () => {
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    const orderId = await placeOrder(api);
    await eventually(async () => {
      expect((await notifications(api, orderId)).map(({ last_error }) => last_error)).not.toContain('');
    });
    smtp.behaviour = { kind: 'slow', at: 'message', ms: 1_500 };
    await eventually(() => expect(smtp.waiting).toBe(2));

    const retried = await api.app.get(RetryPipeline).execute({ storeId: api.store.id, orderId });

    await eventually(async () => {
      expect((await notifications(api, orderId)).map(({ state }) => state)).toEqual(['done', 'done']);
    });
    expect(mailsOf(orderId)).toHaveLength(2);
    expect(retried).toMatchObject({ stages: [], running: ['notify-customer', 'notify-merchant'] });
    smtp.behaviour = { kind: 'accept' };
  });

  it('reports a dead letter after the last attempt, and runs the stage again on request', async () => {
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 550 };
    const orderId = await placeOrder(api);
    // The back-off takes hours, so the test uses up the remaining attempts.
    await eventually(async () => {
      await api.database.query(
        `UPDATE order_stages SET attempts = greatest(attempts, 11), run_at = now()
         WHERE order_id = $1 AND state = 'pending' AND locked_until IS NULL`,
        [orderId],
      );
      expect((await notifications(api, orderId)).map(({ state }) => state)).toEqual(['dead', 'dead']);
    });
    await api.app.get(Readiness).check();
    expect((await api.inject({ url: '/health' })).json()).toMatchObject({ details: { pipeline: { dead_letters: 2 } } });
    expect((await api.inject({ url: '/metrics' })).body).toContain('\npipeline_dead_letters 2\n');
    smtp.behaviour = { kind: 'accept' };

    const retried = await api.app.get(RetryPipeline).execute({ storeId: api.store.id, orderId });

    expect([...retried.stages].sort()).toEqual(['notify-customer', 'notify-merchant']);
    await eventually(() => expect(mailsOf(orderId)).toHaveLength(2));
  });

  it('gives up a mail to an invalid address after one attempt', async () => {
    const orderId = await placeOrder(api, 'a,b@example.com');

    await eventually(async () => {
      expect((await notifications(api, orderId))[0]).toMatchObject({
        state: 'dead',
        attempts: 1,
        last_error: 'EADDRESS',
      });
    });
  });

  it('takes over the stages of a killed worker, and gives up a stage that was killed in its last attempt', async () => {
    const orderId = await placeOrder(api);
    await eventually(() => expect(mailsOf(orderId)).toHaveLength(2));

    await api.database.query(
      `UPDATE order_stages SET state = 'pending', attempts = CASE stage WHEN 'notify-customer' THEN 3 ELSE 11 END,
         locked_until = now() - interval '1 s' WHERE order_id = $1 AND stage LIKE 'notify-%'`,
      [orderId],
    );

    await eventually(async () => {
      const stages = await notifications(api, orderId);
      expect(stages.map(({ state, attempts, last_error }) => [state, attempts, last_error])).toEqual([
        ['pending', 4, 'WorkerLost'],
        ['dead', 12, 'WorkerLost'],
      ]);
    });
    await api.database.query(`UPDATE order_stages SET run_at = now() WHERE order_id = $1`, [orderId]);
    await eventually(async () => {
      expect((await notifications(api, orderId))[0]).toMatchObject({ state: 'done', attempts: 5, last_error: '' });
    });
    expect(mailsOf(orderId)).toHaveLength(3);
  });
});
