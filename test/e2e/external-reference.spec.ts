import pg from 'pg';
import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const WAITS_FOR_A_TRANSACTION = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event = 'transactionid' AND query LIKE '%orders.insert%'`;

describe('external_reference of an order', () => {
  let api: RunningApi;
  let mug: number;
  let serial = 0;
  beforeAll(async () => {
    api = await startApi();
    mug = await api.store.product({ stock: 1_000, price: 1250 });
  });
  afterAll(() => api.stop());
  const orders = new OrdersClient(() => api);

  const aReference = () => `PO ${++serial} / Łódź`;
  const bodyOf = (external_reference: unknown, productId = mug) => ({ ...anOrderBody(productId), external_reference });
  const listed = async (query: string, headers?: Record<string, string>) => {
    const answer = await api.get(`/v1/orders?${query}`, headers);
    const { data, pagination } = answer.json<{ data: { id: string }[]; pagination: { total: number } }>();
    expect([answer.statusCode, pagination.total]).toEqual([200, data.length]);
    return data.map(({ id }) => id);
  };
  const by = (reference: string) => `external_reference=${encodeURIComponent(reference)}`;
  const codeOf = ({ statusCode, headers }: Awaited<ReturnType<typeof orders.place>>) => [
    statusCode,
    headers['x-error-code'],
    headers['x-existing-order'],
  ];

  it('is in the full record as it was sent', async () => {
    const reference = aReference();
    const { order_id } = await orders.create(bodyOf(reference));

    expect((await orders.read(order_id))['external_reference']).toBe(reference);
  });

  it.each([
    ['absent', anOrderBody],
    ['null', (id: number) => bodyOf(null, id)],
  ] as const)('is empty text in the full record when it is %s', async (_case, body) => {
    const { order_id } = await orders.create(body(mug));

    expect((await orders.read(order_id))['external_reference']).toBe('');
  });

  it.each([
    [''],
    [' '],
    [' PO'],
    ['PO '],
    ['P\tO'],
    ['P\nO'],
    ['P\0O'],
    ['P\u200bO'],
    ['P\u3164O'],
    ['x'.repeat(65)],
    [7],
    [true],
    [['PO']],
  ])('is refused with 400 when it is %j', async (value) => {
    expect(await orders.refusal(bodyOf(value))).toEqual([
      400,
      'external_reference must be 1 to 64 visible characters, with plain spaces only between them',
    ]);
  });

  it('has up to 64 characters, counted in code points', async () => {
    const reference = '🚲'.repeat(64);
    const { order_id } = await orders.create(bodyOf(reference));

    expect(await listed(by(reference))).toEqual([order_id]);
  });

  it('filters the list exactly, together with other filters', async () => {
    const reference = aReference();
    const { order_id } = await orders.create(bodyOf(reference));

    expect(await listed(by(reference))).toEqual([order_id]);
    expect(await listed(`${by(reference)}&status=pending&source=website&held=false`)).toEqual([order_id]);
    for (const other of [
      `${by(reference)}&status=FAILED`,
      `${by(reference)}&search=nothing-has-this`,
      by(reference.toUpperCase()),
      by(reference.slice(0, -1)),
      by(`${reference}%`),
      by('unknown'),
      by('\0'),
      by('x'.repeat(5_000)),
    ]) {
      expect(await listed(other)).toEqual([]);
    }
  });

  it('is refused with 422 and the id of the order that has it', async () => {
    const reference = aReference();
    const { order_id } = await orders.create(bodyOf(reference));
    const before = await api.store.onHand(mug);

    const refusal = await orders.place(bodyOf(reference), { 'idempotency-key': `other-${reference.length}` });

    expect(codeOf(refusal)).toEqual([422, 'external_reference_taken', order_id]);
    expect(refusal.json()).toEqual({ success: false, error: 'Another order has this external_reference' });
    expect([await listed(by(reference)), await api.store.onHand(mug)]).toEqual([[order_id], before]);
  });

  it('is refused after the product was archived, or its stock sold out, as well', async () => {
    const reference = aReference();
    const last = await api.store.product({ stock: 1 });
    const { order_id } = await orders.create(bodyOf(reference, last));
    const expected = [422, 'external_reference_taken', order_id];

    expect(codeOf(await orders.place(bodyOf(reference, last)))).toEqual(expected);
    await api.database.query(`UPDATE products SET status = 'ARCHIVED' WHERE id = $1`, [last]);
    expect(codeOf(await orders.place(bodyOf(reference, last)))).toEqual(expected);
  });

  it('yields to a replay: the same Idempotency-Key returns the first answer', async () => {
    const reference = aReference();
    const headers = { 'idempotency-key': 'with-reference' };
    const first = await orders.place(bodyOf(reference), headers);

    const replay = await orders.place(bodyOf(reference), headers);
    const other = await orders.refusal(bodyOf(aReference()), headers);

    expect([replay.statusCode, replay.body, replay.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
    expect(other).toEqual([422, 'This Idempotency-Key was used with a different request']);
  });

  it('stays taken when the Idempotency-Key is forgotten', async () => {
    const reference = aReference();
    const headers = { 'idempotency-key': 'forgotten' };
    const { order_id } = await orders.create(bodyOf(reference), headers);
    await api.database.query(`DELETE FROM idempotency_keys WHERE key = 'forgotten'`);

    expect(codeOf(await orders.place(bodyOf(reference), headers))).toEqual([422, 'external_reference_taken', order_id]);
  });

  it('is free after an order that was refused', async () => {
    const reference = aReference();
    const empty = await api.store.product({ stock: 0 });
    expect((await orders.place(bodyOf(reference, empty))).headers['x-error-code']).toBe('out_of_stock');

    await orders.create(bodyOf(reference));
  });

  it('is separate for live and test keys, and for stores', async () => {
    const reference = aReference();
    const testKey = { authorization: `Bearer ${await api.store.createKey('test')}` };
    const other = await StoreFixture.create(api.database);
    const theirs = await other.product({ stock: 1 });
    const live = await orders.create(bodyOf(reference));

    const test = await orders.create(bodyOf(reference), testKey);
    await orders.create(bodyOf(reference, theirs), { authorization: `Bearer ${other.key}` });

    expect(codeOf(await orders.place(bodyOf(reference), testKey))).toEqual([
      422,
      'external_reference_taken',
      test.order_id,
    ]);
    // Lists do not distinguish live and test orders.
    expect(await listed(by(reference))).toEqual([test.order_id, live.order_id]);
  });

  it.each([
    ['refuses a second order only when the first is committed', 'COMMIT', 422],
    ['places a second order when the first is rolled back', 'ROLLBACK', 201],
  ])('%s', async (_title, end, status) => {
    const reference = aReference();
    const first = new pg.Client({ connectionString: api.database.url });
    await first.connect();
    await first.query('BEGIN');
    const { rows } = await first.query<{ id: string }>(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, created_at, updated_at, external_reference)
       VALUES ($1, gen_random_uuid(), $2, 'WEBSITE', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, 'Ada', now(), now(), $3)
       RETURNING id`,
      [api.store.id, `WEB-HELD-${serial}`, reference],
    );

    const second = orders.place(bodyOf(reference));
    await eventually(async () => expect(await api.database.query(WAITS_FOR_A_TRANSACTION)).toHaveLength(1));
    await first.query(end);
    await first.end();

    const answer = await second;
    expect(answer.statusCode).toBe(status);
    if (status === 422) expect(answer.headers['x-existing-order']).toBe(rows[0]?.id);
  });
});
