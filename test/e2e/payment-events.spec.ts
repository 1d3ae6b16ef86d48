import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeStoreExport } from '@app/bundles';
import { migrate, type OwnMigrations } from '@app/infrastructure';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { ReceivesRaw } from '../../apps/api/src/public.js';
import { extension } from '../../examples/extending/src/extension.js';
import { ProviderSecrets } from '../../examples/extending/src/payments/payments.controller.js';
import { PaymentsModule } from '../../examples/extending/src/payments/payments.module.js';
import { anOrderBody } from '../builders/order-body.js';
import { bundleImports } from '../support/bundle-imports.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const SECRET = 'whsec_0123456789abcdef';

@Controller('echo')
class EchoController {
  @Post()
  @ReceivesRaw({ maxBytes: 100 })
  echo(@Body() body: Buffer) {
    return { isBuffer: Buffer.isBuffer(body), hex: body.toString('hex') };
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

interface Sending {
  readonly secret?: string;
  readonly secondsAgo?: number;
  readonly address?: string;
  readonly store?: number;
}

describe('the events of a payment provider', () => {
  const log: string[] = [];
  const secrets = new ProviderSecrets();
  let api: RunningApi;
  let order: string;
  let eventCount = 0;

  beforeAll(async () => {
    const own = extension({});
    const database = await createTestDatabase();
    await migrate(database.url, undefined, [own.migrations as OwnMigrations]);
    const modules = [...(own.modules ?? []), PaymentsModule.on(secrets), EchoModule];
    const env = { TRUST_PROXY: 'true', THROTTLE_PER_10S: '200' };
    api = await startApi(env, log, database, { ...own, modules });
    secrets.set(String(api.store.id), SECRET);
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    const mug = await api.store.product({ name: 'Mug', price: 1_000, stock: 5 });
    order = (await api.place(anOrderBody(mug, 2))).order_id;
  });

  const send = (payload: string, { secret = SECRET, secondsAgo = 0, address = '192.0.2.1', store }: Sending = {}) => {
    const time = Math.floor(Date.now() / 1_000) - secondsAgo;
    const signature = createHmac('sha256', secret).update(`${time}.${payload}`).digest('hex');
    return api.inject({
      method: 'POST',
      url: `/payment-events/${store ?? api.store.id}`,
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        'provider-signature': `t=${time},v1=${'0'.repeat(64)},v1=${signature}`,
      },
      payload,
    });
  };
  const anEvent = (type: string, more: object = {}) =>
    JSON.stringify({
      id: `evt_${++eventCount}`,
      type,
      order,
      payment: 'pay_1',
      amount: 2_000,
      currency: 'usd',
      ...more,
    });
  const statusOf = async (payload: string, options?: Sending) => (await send(payload, options)).statusCode;
  const record = async () => (await api.get(`/v1/orders/${order}`)).json<{ data: Record<string, unknown> }>().data;
  const history = async () => {
    const { data } = (await api.get(`/v1/orders/${order}/history`)).json<{
      data: { event: string; reference: string; actor: object; details: object }[];
    }>();
    return data.slice(1);
  };
  const eventsOf = async () => (await history()).map(({ event }) => event);

  it('record a payment, by the actor that names the extension', async () => {
    const answer = await send(anEvent('payment.succeeded'));

    expect([answer.statusCode, answer.json(), answer.headers['cache-control']]).toEqual([
      200,
      { received: true },
      'no-store',
    ]);
    expect(await record()).toMatchObject({ status: 'SUCCEEDED', amount_paid: 2_000 });
    expect((await history())[0]).toMatchObject({
      event: 'payment_recorded',
      reference: 'pay_1',
      actor: { type: 'system', id: '', name: 'extension:payments' },
    });
  });

  it('change nothing when they come again', async () => {
    const payment = anEvent('payment.succeeded');
    const refund = anEvent('payment.refunded', { refund: 're_1', amount: 500 });
    const dispute = anEvent('payment.disputed');
    for (const event of [payment, refund, dispute]) expect(await statusOf(event)).toBe(200);
    await api.post(`/v1/orders/${order}/release`, {});
    const before = await history();

    for (const event of [payment, refund, dispute]) expect(await statusOf(event)).toBe(200);

    expect(await history()).toEqual(before);
    expect(await record()).toMatchObject({ held: false, payments: [{}], refunds: [{ reference: 're_1' }] });
  });

  it.each<[string, Sending]>([
    ['another secret', { secret: 'whsec_of_someone_else' }],
    ['a time stamp of 6 minutes ago', { secondsAgo: 360 }],
    ['a time stamp 6 minutes ahead', { secondsAgo: -360 }],
    ['a store without a secret', { store: 77 }],
  ])('are refused with 401 for %s', async (_case, options) => {
    expect(await statusOf(anEvent('payment.succeeded'), options)).toBe(401);
    expect(await eventsOf()).toEqual([]);
  });

  it.each(['', 't=1', 'v1=00', `t=${'9'.repeat(20)},v1=zz`])(
    'are refused with 401 for the signature "%s"',
    async (header) => {
      const answer = await api.inject({
        method: 'POST',
        url: `/payment-events/${api.store.id}`,
        headers: { 'content-type': 'application/json', 'provider-signature': header },
        payload: anEvent('payment.succeeded'),
      });

      expect([answer.statusCode, answer.headers['x-error-code']]).toEqual([401, 'unauthorized']);
    },
  );

  it('of another amount are accepted, and shown as refused in the history, once', async () => {
    const event = anEvent('payment.succeeded', { amount: 1_999 });

    expect([await statusOf(event), await statusOf(event)]).toEqual([200, 200]);

    expect(await record()).toMatchObject({ status: 'PENDING', payments: [] });
    expect(await history()).toMatchObject([
      { event: 'payment_refused', reference: 'pay_1', details: { amount: 1_999 } },
    ]);
  });

  it('that the order refuses otherwise leave a note, once', async () => {
    await send(anEvent('payment.succeeded'));
    const event = anEvent('payment.refunded', { refund: 're_1', amount: 2_001 });

    expect([await statusOf(event), await statusOf(event)]).toEqual([200, 200]);

    expect((await history()).filter(({ event }) => event === 'noted')).toMatchObject([
      { details: { reason: expect.stringContaining('At most 2000 can be refunded') as unknown } },
    ]);
  });

  it('of a refund before its payment answer 409 until the payment is there', async () => {
    const refund = anEvent('payment.refunded', { refund: 're_1', amount: 500 });

    const early = await send(refund);
    await send(anEvent('payment.succeeded'));

    expect([early.statusCode, early.headers['x-error-code']]).toEqual([409, 'payment_unknown']);
    expect(await statusOf(refund)).toBe(200);
    expect(await record()).toMatchObject({ amount_refunded: 500 });
  });

  it('of a dispute hold the order', async () => {
    await send(anEvent('payment.succeeded'));

    expect(await statusOf(anEvent('payment.disputed'))).toBe(200);

    expect(await record()).toMatchObject({ held: true });
    expect((await history()).at(-1)).toMatchObject({ event: 'held', details: { reason: 'Payment pay_1 is disputed' } });
  });

  it('do not reach the orders of another store', async () => {
    const other = await api.withStore();
    secrets.set(String(other.store.id), 'whsec_of_the_other_store');

    const answer = await statusOf(anEvent('payment.succeeded'), {
      store: other.store.id,
      secret: 'whsec_of_the_other_store',
    });

    expect(answer).toBe(404);
    expect(await eventsOf()).toEqual([]);
  });

  it.each([
    ['of a type that nobody reads', () => anEvent('payment.created'), 200],
    ['that are not JSON', () => 'canary-of-a-body {', 400],
    ['that are null', () => 'null', 200],
    ['without an amount', () => anEvent('payment.succeeded', { amount: null }), 400],
    ['of an unknown order', () => anEvent('payment.succeeded', { order: 'NONE-1' }), 404],
  ])('%s change nothing', async (_case, event, status) => {
    expect(await statusOf(event())).toBe(status);
    expect(await eventsOf()).toEqual([]);
  });

  it('are in the log without their body', async () => {
    await send(anEvent('payment.succeeded', { note: 'canary-of-a-body' }));

    expect(log.join('')).toContain('/payment-events/:store');
    expect(log.join('')).not.toContain('canary-of-a-body');
  });

  describe('come by a route that', () => {
    const echo = (payload: string | Buffer | undefined, headers: Record<string, string> = {}) =>
      api.inject({ method: 'POST', url: '/echo', headers, ...(payload !== undefined && { payload }) });

    it.each([
      ['application/json', Buffer.from('{ "a" :\t1.0,\r\n"ä€😀":"\\u00e9" }\n')],
      ['application/json; charset=utf-16', Buffer.from([0xff, 0xfe, 0x7b, 0x00])],
      ['application/x-www-form-urlencoded', Buffer.from('a=%20+b')],
      ['application/x-ndjson', Buffer.from('{}\n')],
      ['application/octet-stream', Buffer.from([0, 0xff, 0xc0])],
      ['text/plain', Buffer.alloc(0)],
    ])('gets the bytes of %s as they were sent', async (type, body) => {
      const answer = await echo(body, { 'content-type': type, 'content-encoding': 'gzip' });

      expect(answer.json()).toEqual({ isBuffer: true, hex: body.toString('hex') });
    });

    it('gets an empty buffer without a body', async () => {
      expect((await echo(undefined)).json()).toEqual({ isBuffer: true, hex: '' });
    });

    it('takes a body of its limit, and refuses a larger one with 400', async () => {
      const type = { 'content-type': 'text/plain' };

      expect((await echo('x'.repeat(100), type)).statusCode).toBe(201);
      const refused = await echo('x'.repeat(101), type);
      expect([refused.statusCode, refused.json()]).toMatchObject([400, { error: 'Request body exceeds 100 bytes' }]);
    });

    it('refuses a network that sends too much with 429, and no other', async () => {
      const type = { 'content-type': 'text/plain' };
      const from = (address: string) => echo('', { ...type, 'x-forwarded-for': address });
      for (let n = 0; n < 400; n++) await from(`2001:db8::${n.toString(16)}`);

      const [refused, other] = [await from('2001:db8::ffff'), await from('192.0.2.7')];

      expect([refused.statusCode, refused.headers['x-error-code']]).toEqual([429, 'throttled']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(other.statusCode).toBe(201);
    });

    it('is not in the API document', async () => {
      expect((await api.inject({ method: 'GET', url: '/openapi.json' })).body).not.toContain('/echo');
    });
  });

  it('keep their actor when the store is exported and imported', async () => {
    await send(anEvent('payment.succeeded'));
    const target = await createTestDatabase();
    const directory = mkdtempSync(path.join(tmpdir(), 'payment-events-'));
    const exported = async ({ url }: TestDatabase, file: string) => {
      await writeStoreExport(url, api.store.subdomain, path.join(directory, file));
      return readFileSync(path.join(directory, file), 'utf8').split('\n').slice(0, -1);
    };
    const lines = await exported(api.database, 'source');
    await bundleImports(() => target).importText(lines.join('\n'));

    const imported = await exported(target, 'target');

    await target.drop();
    rmSync(directory, { recursive: true });
    const actor = { type: 'system', id: '', name: 'extension:payments' };
    for (const all of [lines, imported]) {
      const line = all.find((text) => text.includes(`"${order}"`)) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({ history: [{ event: 'payment_recorded', actor }, { actor }] });
    }
  });

  it('leave the other routes their types of bodies', async () => {
    const answer = await api.inject({
      method: 'POST',
      url: '/v1/orders',
      headers: { authorization: `Bearer ${api.store.key}`, 'content-type': 'text/plain' },
      payload: '{}',
    });

    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'Content-Type must be application/json' }]);
  });
});
