import { startApi, type RunningApi } from '../support/start-api.js';

describe('POST /v1/orders', () => {
  let api: RunningApi;
  let product: number;
  beforeAll(async () => {
    api = await startApi({ THROTTLE_PER_10S: '0' });
    product = await api.store.product({ stock: 1_000 });
  });
  afterAll(() => api.stop());

  const order = (extra: object) =>
    api.post('/v1/orders', { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada' }, ...extra });
  const values = (count: number) => ({ extra: Array.from({ length: count }, () => 1) });

  it('accepts a valid order with an unknown field of 250 kB', async () => {
    const response = await order({ extra: 'x'.repeat(250 * 1024) });

    expect(response.statusCode).toBe(201);
  });

  it('accepts a body with 4,000 values and returns 400 for more', async () => {
    // The objects, arrays and members around the values count too.
    expect((await order(values(3_990))).statusCode).toBe(201);
    const refused = await order(values(4_001));

    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toEqual({ success: false, error: 'Request body has too many values' });
  });

  it('returns 503 for large bodies while too many of them wait to be parsed, and accepts small ones', async () => {
    const crowd = Array.from({ length: 80 }, () => order({ extra: 'x'.repeat(40 * 1024) }));
    const small = await Promise.all(Array.from({ length: 5 }, () => order({})));
    const answers = await Promise.all(crowd);

    expect(small.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201, 201]);
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(80 - refused.length);
    // On a slow machine, some orders reach their deadline while they wait.
    const withoutPlace = refused.filter(({ body }) => body.includes('Too many requests at a time: try again shortly'));
    expect(withoutPlace.length).toBeGreaterThan(0);
    expect(withoutPlace.map(({ headers }) => headers['retry-after'])).toEqual(withoutPlace.map(() => '1'));
    const { body } = await api.inject({ url: '/metrics' });
    expect(body).toMatch(new RegExp(`^http_refused_requests_total\\{kind="orders"\\} ${withoutPlace.length}$`, 'm'));
  });
});
