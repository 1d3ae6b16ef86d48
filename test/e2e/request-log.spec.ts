import { startApi, type RunningApi } from '../support/start-api.js';
import { eventually } from '../support/eventually.js';

type Line = Record<string, unknown>;

const ALLOWED = [
  'duration_ms',
  'key_id',
  'method',
  'mode',
  'order_id',
  'request_id',
  'route',
  'status',
  'store_id',
] as const;

describe('the request log', () => {
  const written: string[] = [];
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ PIPELINE: 'inline', SMTP_URL: 'smtp://127.0.0.1:1' }, written);
  });
  afterAll(() => api.stop());
  beforeEach(() => void (written.length = 0));

  const lines = () => written.map((line) => JSON.parse(line) as Line);
  const requests = () => lines().filter(({ msg }) => msg === 'request');
  /** The line of the only request, which the service writes after its answer. */
  const only = async (): Promise<Line> => {
    await eventually(() => expect(requests()).toHaveLength(1));
    return requests()[0] ?? {};
  };
  const order = (product: number, headers = {}) =>
    api.post(
      '/v1/orders?canary=canary',
      {
        items: [{ product_id: product, quantity: 1 }],
        customer: { name: 'Canary', email: 'canary@example.com', phone: '+1 555 canary' },
        notes: 'canary',
      },
      { 'user-agent': 'canary', cookie: 'canary', 'idempotency-key': 'canary', ...headers },
    );

  it('contains exactly the allowed fields, and no other data of a request', async () => {
    const product = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
    const response = await order(product, { 'x-request-id': 'request-7' });
    const { order_id } = response.json<{ data: { order_id: string } }>().data;

    const { level, time, msg, ...fields } = await only();
    expect([level, typeof time, msg]).toEqual([30, 'string', 'request']);
    expect(Object.keys(fields).sort()).toEqual([...ALLOWED]);
    expect(fields).toMatchObject({
      request_id: 'request-7',
      method: 'POST',
      route: '/v1/orders',
      status: 201,
      store_id: api.store.id,
      mode: 'live',
      order_id,
    });
    expect(written.join('')).not.toMatch(/canary/i);
    expect(written.join('')).not.toContain(api.store.key);
  });

  it('contains the order id of a replay and of an order that is read', async () => {
    const product = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
    const { order_id, receipt_number } = (await order(product, { 'idempotency-key': 'twice' })).json<{
      data: { order_id: string; receipt_number: string };
    }>().data;
    await only();
    for (const again of [
      () => order(product, { 'idempotency-key': 'twice' }),
      () => api.get(`/v1/orders/${receipt_number}`),
    ]) {
      written.length = 0;
      await again();
      expect(await only()).toMatchObject({ order_id });
    }
    written.length = 0;
    await api.get('/v1/orders/01890000-0000-7000-8000-000000000000');
    expect(await only()).not.toHaveProperty('order_id');
  });

  it.each([
    ['keeps a safe request id', 'a.b_C-9', 'a.b_C-9'],
    ['replaces a request id that is too long', 'x'.repeat(65), expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ['replaces a request id that would break the line', 'a"b c', expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])('%s', async (_kind, given, expected: unknown) => {
    const { headers } = await api.get('/v1/store', { 'x-request-id': given });

    expect(headers['x-request-id']).toEqual(expected);
    expect(await only()).toMatchObject({ request_id: headers['x-request-id'] });
  });

  it('contains the route "unknown" instead of an unknown path', async () => {
    await api.get('/v1/canary/ada@example.com?key=canary');

    expect(await only()).toMatchObject({ route: 'unknown', status: 404 });
    expect(written.join('')).not.toMatch(/canary|ada@/);
  });

  it('contains the error code of a rejected request', async () => {
    await api.post('/v1/orders', {});

    expect(await only()).toMatchObject({ status: 400, error_code: 'invalid_request' });
  });

  it('contains no line for probes and /metrics', async () => {
    for (const url of ['/health', '/health/live', '/health/ready', '/metrics']) await api.get(url);
    await api.get('/v1/store');

    expect(await only()).toMatchObject({ route: '/v1/store' });
  });

  it('contains a line with the order and the stage for each attempt of the worker', async () => {
    const product = await api.store.product({ name: 'Mug', price: 1099, stock: 5 });
    const { order_id } = (await order(product, { 'idempotency-key': 'mail' })).json<{ data: { order_id: string } }>()
      .data;

    await eventually(() => {
      const attempt = lines().find((line) => line.order_id === order_id && line.stage === 'notify-customer');
      expect(attempt).toMatchObject({ store_id: api.store.id, attempt: 1, outcome: 'failed', msg: 'stage' });
    });
    expect(written.join('')).not.toMatch(/canary/i);
  });
});
