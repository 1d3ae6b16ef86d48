import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
beforeAll(async () => (application = await startApi({ THROTTLE_PER_10S: '0' })));
afterAll(() => application.stop());

interface Listed {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly updated_at: string })[];
  readonly pagination: { readonly total: number };
}

const readerOf = (api: RunningApi) => async (path: string) => {
  const response = await api.get(path);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<Listed>();
};

const daysAfter = (time: unknown, days: number) =>
  new Date(Date.parse(time as string) + days * 86_400_000).toISOString();

const idsOf = ({ data }: Listed) => data.map(({ id }) => id);

describe('a parameter of a list', () => {
  const TIME = 'must be a time with a zone, such as 2026-03-29T00:00:00+01:00 or 2026-03-28T23:00:00Z';

  it.each([
    ['/v1/orders?created_from=2026-03-29', `created_from ${TIME}`],
    ['/v1/orders?created_to=2026-02-30T00:00:00Z', `created_to ${TIME}`],
    ['/v1/orders?updated_from=yesterday', `updated_from ${TIME}`],
    ['/v1/customers?created_from=2026-03-29T00:00:00', `created_from ${TIME}`],
    ['/v1/products?updated_to=', `updated_to ${TIME}`],
    ['/v1/skus?updated_from=1', `updated_from ${TIME}`],
    ['/v1/skus?sort=created_at', 'sort must be one of updated_at, -updated_at'],
    ['/v1/orders?sort=total', 'sort must be one of created_at, -created_at, updated_at, -updated_at'],
    ['/v1/orders?sort=constructor', 'sort must be one of created_at, -created_at, updated_at, -updated_at'],
    ['/v1/customers?sort=name', 'sort must be one of created_at, -created_at, updated_at, -updated_at'],
    [
      '/v1/products?include=updated_at,stock',
      'include must be one or more of updated_at, sku, metadata, separated by commas',
    ],
    [
      '/v1/customers?include=orders',
      'include must be one or more of updated_at, addresses, contacts, metadata, separated by commas',
    ],
    ['/v1/orders?refund_due=false', 'refund_due must be true'],
    ['/v1/orders?open=false', 'open must be true'],
    ['/v1/orders?overdue=false', 'overdue must be true'],
    ['/v1/orders?paid_from=2026-03-29', `paid_from ${TIME}`],
    ['/v1/orders?paid_to=', `paid_to ${TIME}`],
    ['/v1/orders?mail_failed=', 'mail_failed must be true'],
    ['/v1/skus?out_of_stock=false', 'out_of_stock must be true'],
    [`/v1/orders?status=${'PENDING,'.repeat(21)}`, 'status must have at most 20 values'],
    [`/v1/orders?ids=${'x,'.repeat(101)}`, 'ids must have at most 100 values'],
  ])('is refused by its name: %s', async (path, error) => {
    const response = await application.get(path);

    expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
  });

  it.each([
    ['/v1/orders?status=PAID', 'status must be one of PENDING, SUCCEEDED, FAILED, REFUNDED, CANCELLED'],
    ['/v1/orders?source=POS,SHOP', 'source must be one of POS, WEBSITE'],
  ])('is refused in strict handling when no row can have its word: %s', async (path, error) => {
    const strict = await application.get(path, { prefer: 'handling=strict' });
    const lenient = await application.get(path);

    expect([strict.statusCode, strict.json()]).toMatchObject([400, { success: false, error }]);
    expect(lenient.statusCode).toBe(200);
  });

  it.each(['status=pending&status=FAILED', 'status=PENDING,failed', 'status=failed,PENDING,,UNKNOWN'])(
    'means one of its values: %s',
    async (query) => {
      const { store, get } = await application.withStore();
      await store.order({ status: 'SUCCEEDED' });
      const ids = [await store.order({ status: 'PENDING' }), await store.order({ status: 'FAILED' })];

      const { data } = (await get(`/v1/orders?${query}`)).json<Listed>();

      expect(data.map(({ id }) => id).sort()).toEqual(ids.sort());
    },
  );

  it('does not accept the name of another list', async () => {
    const response = await application.get('/v1/skus?created_from=2026-03-29T00:00:00Z&status=ACTIVE');

    expect(response.headers['x-ignored-parameters']).toBe('created_from, status');
  });
});

describe('include', () => {
  it('adds the fields that it names to the rows of orders, and no others', async () => {
    const api = await application.withStore();
    const product = await api.store.product({ stock: 5 });
    const body = {
      ...anOrderBody(product),
      items: [{ product_id: product, quantity: 3 }],
      external_reference: 'PO-1',
      payment_terms_days: 14,
    };
    const placed = (await api.post('/v1/orders', body)).json<{ data: { order_id: string; total: number } }>().data;
    const money = { reference: 'P-1', amount: Math.round(placed.total * 100), currency: 'USD' };
    await api.post(`/v1/orders/${placed.order_id}/payments`, money);
    await api.post(`/v1/orders/${placed.order_id}/cancel`, {});
    const words =
      'updated_at,is_test,held,units,refund_due,due_at,external_reference,customer_id,line_items,payments,amounts';

    const [plain, full] = [await readerOf(api)('/v1/orders'), await readerOf(api)(`/v1/orders?include=${words}`)];
    const order = (await api.get(`/v1/orders/${placed.order_id}`)).json<{ data: Record<string, unknown> }>().data;

    expect(full.data).toEqual([
      {
        ...plain.data[0],
        ...{ updated_at: order['updated_at'], is_test: false, held: false, units: 3, refund_due: money.amount },
        due_at: daysAfter(plain.data[0]?.['created_at'], 14),
        ...{ external_reference: 'PO-1', customer_id: null, line_items: order['line_items'] },
        ...{ payments: order['payments'], amount_credited: order['amount_credited'], amount_owed: 0 },
        ...{ amount_paid: money.amount, amount_refunded: 0, amount_open: 0 },
      },
    ]);
    expect((await readerOf(api)('/v1/orders?include=units')).data).toEqual([{ ...plain.data[0], units: 3 }]);
    expect(idsOf(await readerOf(api)('/v1/orders?refund_due=true'))).toEqual([placed.order_id]);
  });

  it('and a filter find what is still to be paid, and how much', async () => {
    const api = await application.withStore();
    const product = await api.store.product({ stock: 20, price: 1000 });
    const place = async () => {
      const body = { ...anOrderBody(product), items: [{ product_id: product, quantity: 3 }] };
      return (await api.post('/v1/orders', body)).json<{ data: { order_id: string } }>().data.order_id;
    };
    const pay = (id: string, amount: number, more: object = {}) =>
      api.post(`/v1/orders/${id}/payments`, { reference: 'P-1', amount, currency: 'USD', ...more });
    const [unpaid, part, paid, cancelled, back] = [
      await place(),
      await place(),
      await place(),
      await place(),
      await place(),
    ];
    await pay(part, 1000, { partial: true });
    await pay(paid, 3000);
    await api.post(`/v1/orders/${cancelled}/cancel`, {});
    await pay(back, 3000);
    await api.post(`/v1/orders/${back}/refunds`, { reference: 'CB', amount: 500, reason: 'chargeback' });

    const read = readerOf(api);
    const open = await read('/v1/orders?open=true&sort=created_at&include=amounts');

    expect([idsOf(open), open.data.map((order) => (order as { amount_open?: number }).amount_open)]).toEqual([
      [unpaid, part, back],
      [3000, 2000, 500],
    ]);
    expect(open.pagination.total).toBe(3);
    expect(idsOf(await read('/v1/orders?open=true&status=SUCCEEDED'))).toEqual([]);
    expect(idsOf(await read(`/v1/orders?open=true&status=PENDING,REFUNDED&ids=${part},${paid}`))).toEqual([part]);
    const money = await read(`/v1/orders?ids=${back}&include=payments`);
    expect(money.data).toMatchObject([{ payments: [{ reference: 'P-1', amount: 3000, written_off: 0 }] }]);
  });

  it('and filters find what is overdue, by the terms of the order or of its account, and what was paid when', async () => {
    const api = await application.withStore();
    const product = await api.store.product({ stock: 20, price: 1000 });
    const ada = await api.store.customer({ email: 'ada@example.com', payment_terms_days: 30 });
    const place = async (email: string, terms: object = {}) => {
      const body = { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada', email }, ...terms };
      return (await api.post('/v1/orders', body)).json<{ data: { order_id: string } }>().data.order_id;
    };
    const termsOf = async (id: string) => {
      const { data } = (await api.get(`/v1/orders/${id}`)).json<{ data: Record<string, unknown> }>();
      expect(data['due_at']).toBe(
        data['payment_terms_days'] === null ? null : daysAfter(data['created_at'], Number(data['payment_terms_days'])),
      );
      return data['payment_terms_days'];
    };
    const ids = [
      await place('ADA@example.com'),
      await place('ada@example.com', { payment_terms_days: 0 }),
      await place('guest@example.com', { payment_terms_days: 365 }),
      await place('guest@example.com'),
      await place('guest@example.com', { payment_terms_days: 0 }),
    ];
    const [, now = '', , none, paid] = ids;
    const paidAt = Date.now() - 3_600_000;
    const at = (after: number) => new Date(paidAt + after).toISOString();
    await api.post(`/v1/orders/${paid}/payments`, {
      ...{ reference: 'P-1', amount: 1000, currency: 'USD', at: at(3_600_000).replace('Z', '+01:00') },
    });
    const read = readerOf(api);

    expect(await Promise.all(ids.map(termsOf))).toEqual([30, 0, 365, null, 0]);
    expect((await api.get(`/v1/customers/${ada}`)).json()).toMatchObject({ data: { payment_terms_days: 30 } });
    const overdue = await read('/v1/orders?overdue=true&include=due_at');
    expect([idsOf(overdue), overdue.pagination.total]).toEqual([[now], 1]);
    expect(overdue.data[0]?.['due_at']).toBe(overdue.data[0]?.['created_at']);
    expect(idsOf(await read(`/v1/orders?paid_from=${at(0)}&paid_to=${at(60_000)}`))).toEqual([paid]);
    expect(idsOf(await read(`/v1/orders?paid_from=${at(1)}`))).toEqual([]);
    expect(idsOf(await read(`/v1/orders?paid_to=${at(0)}`))).toEqual([]);
    expect((await read(`/v1/orders?ids=${none}&include=due_at`)).data).toMatchObject([{ due_at: null }]);
    for (const payment_terms_days of [-1, 366, 1.5]) {
      const refused = await api.post('/v1/orders', { ...anOrderBody(product), payment_terms_days });
      expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([
        ...[400, 'payment_terms_days must be an integer from 0 to 365'],
      ]);
    }
  });

  it('adds the amounts of orders whose payments do not fit on a page, and reads none of them', async () => {
    const api = await application.withStore();
    for (const status of ['PENDING', 'SUCCEEDED', 'SUCCEEDED'])
      await api.store.order({ status, total_amount: 100_000 });
    const recorded = (event: string) => `WITH recorded AS (
      INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
      SELECT $1, id, 'key', '${event}', n FROM orders, generate_series(1, 400) AS n
      WHERE store_id = $1 AND status = 'PENDING' RETURNING order_id, reference)`;
    await api.database.query(
      `${recorded('payment_recorded')} INSERT INTO payments (store_id, order_id, number, reference, amount, written_off, payout)
       SELECT $1, order_id, reference::int, reference, 20, 5, repeat('x', 3000) FROM recorded`,
      [api.store.id],
    );
    await api.database.query(
      `${recorded('refund_recorded')} INSERT INTO refunds (store_id, order_id, number, reference, amount, credited)
       SELECT $1, order_id, reference::int, reference, 3, 2 FROM recorded`,
      [api.store.id],
    );

    const { data } = await readerOf(api)('/v1/orders?include=amounts&sort=created_at');
    const {
      data: [one],
    } = await readerOf(api)('/v1/orders?include=amounts,payments&status=PENDING');

    expect(data).toMatchObject([
      {
        amount_credited: 2_800,
        amount_owed: 97_200,
        amount_paid: 8_000,
        amount_refunded: 1_200,
        amount_open: 90_400,
      },
      { amount_paid: 100_000, amount_open: 0 },
      { amount_paid: 100_000, amount_open: 0 },
    ]);
    expect(one).toMatchObject({ amount_open: 90_400 });
    expect((await api.get('/v1/orders?include=amounts,payments')).statusCode).toBe(422);
  });

  it.each([
    ['/v1/products', 'updated_at,sku', ['sku', 'updated_at']],
    ['/v1/customers', 'updated_at', ['updated_at']],
    ['/v1/skus', 'updated_at', ['updated_at']],
  ])('adds to %s: %s', async (path, words, names) => {
    const api = await application.withStore();
    await api.store.product({ stock: 1 });
    await api.store.customer();

    const [plain] = (await readerOf(api)(path)).data;
    const [row] = (await readerOf(api)(`${path}?include=${words}`)).data;

    expect(
      Object.keys(row ?? {})
        .filter((name) => !(name in (plain ?? {})))
        .sort(),
    ).toEqual(names);
    expect(row).toMatchObject({ ...plain, updated_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string });
  });
});

describe('a product or customer', () => {
  it('is found by each of its keys, and by no other', async () => {
    const api = await application.withStore();
    const read = readerOf(api);
    const brand = await api.store.brand();
    const mug = await api.store.product({ slug: 'mug', sku: 'M-1', brandId: brand });
    const shoe = await api.store.product({ slug: 'shoe', sku: 'S-0' });
    await api.store.variant(shoe, { sku: 'S-42' });
    const ada = await api.store.customer({ email: 'Ada@example.com' });
    await api.store.customer({ email: 'bada@example.com' });

    expect(idsOf(await read('/v1/products?sku=m-1'))).toEqual([String(mug)]);
    expect(idsOf(await read('/v1/products?sku=s-42'))).toEqual([String(shoe)]);
    expect(idsOf(await read('/v1/products?sku=S-4'))).toEqual([]);
    expect(idsOf(await read('/v1/products?sku='))).toEqual([]);
    expect(idsOf(await read('/v1/products?slug=shoe'))).toEqual([String(shoe)]);
    expect(idsOf(await read(`/v1/products?brand_id=${brand}`))).toEqual([String(mug)]);
    expect(idsOf(await read(`/v1/products?ids=${mug},x,${shoe}&sort=created_at`))).toEqual([String(mug), String(shoe)]);
    expect(idsOf(await read('/v1/customers?email=ada@EXAMPLE.com'))).toEqual([ada]);
    expect(idsOf(await read(`/v1/customers?ids=${ada.toUpperCase()},x`))).toEqual([ada]);
    expect(idsOf(await read('/v1/customers?email='))).toEqual([]);
  });
});

describe('a connector that knows only a time and pages', () => {
  interface Followed {
    readonly list: string;
    readonly idOf: (row: Listed['data'][number]) => unknown;
    readonly field: string;
    /** Adds 250 rows at once. */
    readonly add: string;
    /** Changes rows. */
    readonly change: string;
    /** Takes rows out of the list. */
    readonly leave?: string;
    readonly stored: string;
  }
  const LISTS: readonly Followed[] = [
    {
      ...{ list: '/v1/orders', field: 'customer_name', idOf: (row) => row.id },
      add: `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
          amount, total_amount, customer_name, created_at)
        SELECT $1, gen_random_uuid(), 'F-' || n, 'POS', 'SUCCEEDED', 'DELIVERED', 'CASH', 'USD', 1, 1, '', now()
        FROM generate_series(1, 250) AS n RETURNING id`,
      change: 'UPDATE orders SET customer_name = $3 WHERE store_id = $1 AND id = ANY ($2::uuid[])',
      stored: 'SELECT id, customer_name AS value FROM orders WHERE store_id = $1',
    },
    {
      ...{ list: '/v1/skus', field: 'name', idOf: (row) => row['product_id'] },
      add: `INSERT INTO products (store_id, slug, name, price)
        SELECT $1, 'f-' || n, '', 1 FROM generate_series(1, 250) AS n RETURNING id`,
      change: 'UPDATE products SET name = $3 WHERE store_id = $1 AND id = ANY ($2::int[])',
      leave: `UPDATE products SET status = 'ARCHIVED' WHERE store_id = $1 AND id = ANY ($2::int[])`,
      stored: `SELECT id, name AS value FROM products WHERE store_id = $1 AND status = 'ACTIVE'`,
    },
  ];

  it.each(LISTS)(
    'misses no change of $list, also of rows that change, or leave it, while it pages',
    async (followed) => {
      const api = await application.withStore();
      const copy = new Map<unknown, unknown>();
      let from = '2000-01-01T00:00:00Z';
      const run = async (whilePaging: () => Promise<unknown>) => {
        for (let more = true; more;) {
          const query = `updated_from=${from}&sort=updated_at&include=updated_at&limit=100`;
          const { data } = await readerOf(api)(`${followed.list}?${query}`);
          for (const row of data) copy.set(followed.idOf(row), row[followed.field]);
          from = data.at(-1)?.updated_at ?? from;
          more = data.length === 100;
          await whilePaging();
        }
      };
      const ids = (await api.database.query<{ id: unknown }>(followed.add, [api.store.id])).map(({ id }) => id);
      let serial = 0;
      const change = async () => {
        const place = serial++ * 10;
        const some = ids.filter((_, n) => (n * 7 + place) % 250 < 60);
        await api.database.query(followed.change, [api.store.id, some, `${serial}`]);
        if (followed.leave) await api.database.query(followed.leave, [api.store.id, ids.slice(place, place + 10)]);
      };

      for (let n = 0; n < 8; n++) await run(change);
      await run(() => Promise.resolve());

      const stored = await api.database.query<{ id: unknown; value: string }>(followed.stored, [api.store.id]);
      expect(serial).toBeGreaterThan(8);
      expect(stored.map(({ id, value }) => [id, copy.get(id), value])).toEqual(
        stored.map(({ id, value }) => [id, value, value]),
      );
    },
  );

  it('finds few rows with the same time, so that the last row of a page is later than the first', async () => {
    const api = await application.withStore();
    for (const { add } of LISTS) await api.database.query(add, [api.store.id]);
    await api.get('/v1/changes?kinds=orders&limit=1');

    const [most] = await api.database.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM changes WHERE store_id = $1 GROUP BY changed_at ORDER BY 1 DESC LIMIT 1`,
      [api.store.id],
    );

    expect(most?.rows).toBeLessThanOrEqual(50);
  });

  it('is refused a page that skips more than 1,000 rows, and is shown the way; one past the end is empty', async () => {
    const api = await application.withStore();
    await api.database.query(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, created_at)
       SELECT $1, gen_random_uuid(), 'D-' || n, 'POS', 'SUCCEEDED', 'DELIVERED', 'CASH', 'USD', 1, 1, '', now()
       FROM generate_series(1, 1150) AS n`,
      [api.store.id],
    );

    const [refused, beyond, skus] = await Promise.all([
      api.get('/v1/orders?sort=-updated_at&limit=100&page=12'),
      api.get('/v1/orders?sort=-updated_at&limit=100&page=13'),
      api.get('/v1/skus?sort=-updated_at&limit=100&page=13'),
    ]);

    expect([refused.statusCode, refused.headers['x-error-code']]).toEqual([400, 'page_too_deep']);
    expect(refused.json<{ error: string }>().error).toContain('send page=1 with sort=updated_at');
    expect(beyond.json()).toMatchObject({ data: [], pagination: { total: 1_150, page: 13 } });
    expect(skus.json()).toMatchObject({ data: [], pagination: { total: 0, page: 13 } });
  });
});

describe('a list by the time of the last change', () => {
  it.each(['updated_at', '-updated_at'])(
    'has the rows of rare and of frequent labels in the same order by sort=%s',
    async (sort) => {
      const api = await application.withStore();
      const ids: string[] = [];
      for (let n = 0; n < 60; n++) ids.push(await api.store.order({ status: n % 20 === 0 ? 'FAILED' : 'PENDING' }));
      const places = Array.from({ length: 60 }, (_, n) => (n * 7) % 60);
      for (const place of places) {
        await api.database.query(`UPDATE orders SET notes = 'x' WHERE id = $1`, [ids[place]]);
        await readerOf(api)(`/v1/orders?sort=updated_at&limit=1`);
      }
      const changed = places.map((place) => ids[place] ?? '');
      const expected = sort === 'updated_at' ? changed : changed.toReversed();
      const read = async (filter: string) => {
        const pages = await Promise.all(
          [1, 2].map((page) => readerOf(api)(`/v1/orders?sort=${sort}&${filter}&page=${page}`)),
        );
        return pages.flatMap(idsOf);
      };

      const isFailed = (id: string) => ids.indexOf(id) % 20 === 0;
      expect(await read('status=FAILED&limit=2')).toEqual(expected.filter(isFailed));
      expect(await read('status=FAILED,REFUNDED&limit=2')).toEqual(expected.filter(isFailed));
      expect(await read('status=PENDING&limit=50')).toEqual(expected.filter((id) => !isFailed(id)));
      expect(await read('limit=50')).toEqual(expected);
    },
  );

  it('has the SKUs that changed last first, in and out of stock', async () => {
    const api = await application.withStore();
    const products: number[] = [];
    for (let n = 0; n < 6; n++) products.push(await api.store.product({ stock: n % 3 }));
    for (const product of [3, 0, 5, 1, 4, 2].map((place) => products[place])) {
      await api.database.query(`UPDATE products SET name = 'x' WHERE id = $1`, [product]);
      await readerOf(api)('/v1/skus?include=updated_at');
    }
    const read = async (query: string) => {
      const { data, pagination } = await readerOf(api)(`/v1/skus?${query}`);
      return [data.map((row) => products.indexOf(row['product_id'] as number)), pagination.total];
    };

    expect(await read('sort=-updated_at&limit=4')).toEqual([[2, 4, 1, 5], 6]);
    expect(await read('sort=updated_at&in_stock=true')).toEqual([[5, 1, 4, 2], 4]);
    expect(await read('sort=-updated_at&out_of_stock=true')).toEqual([[0, 3], 2]);
    expect(await read('sort=updated_at&search=x&limit=2&page=2')).toEqual([[5, 1], 6]);
  });
});

describe('a page of rows with large parts', () => {
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, '界'.repeat(200)]));
  const LINES = `INSERT INTO order_lines (store_id, order_id, position, name, unit_price, quantity, line_total)
    SELECT $1, orders.id, n, 'Mug', 1, 1, 1 FROM orders, generate_series(0, 99) AS n WHERE store_id = $1`;
  const many = (add: () => Promise<unknown>) => Promise.all(Array.from({ length: 60 }, add));

  it.each<[string, (api: RunningApi) => Promise<unknown>]>([
    [
      '/v1/orders?include=line_items',
      async ({ store, database }) => {
        await many(() => store.order());
        await database.query(LINES, [store.id]);
      },
    ],
    ['/v1/orders?include=metadata', ({ store }) => many(() => store.order({ metadata }))],
    ['/v1/customers?include=metadata', ({ store }) => many(() => store.customer({ metadata }))],
    ['/v1/products?include=metadata', ({ store }) => many(() => store.product({ columns: { metadata } }))],
  ])('is refused, and names a limit at which all of %s is read', async (list, fill) => {
    const api = await application.withStore();
    await fill(api);

    const refused = await api.get(`${list}&limit=100`);
    const { error } = refused.json<{ error: string }>();
    const limit = Number(/limit=(\d+) or less$/.exec(error)?.[1]);
    const ids = new Set<string>();
    for (let page = 1; (page - 1) * limit < 60; page++) {
      for (const id of idsOf(await readerOf(api)(`${list}&limit=${limit}&page=${page}`))) ids.add(id);
    }

    expect([refused.statusCode, refused.headers['x-error-code'], ids.size]).toEqual([422, 'page_too_large', 60]);
    expect(limit).toBeGreaterThan(5);
    expect((await api.get(`${list.split('?')[0]}?limit=100`)).statusCode).toBe(200);
  });

  it('has the units of an order and its lines from one moment', async () => {
    const api = await application.withStore();
    const id = await api.store.order({ units: 1 });
    await api.store.orderLine(id, { quantity: 1 });
    let isOver = false;
    const writing = (async () => {
      for (let n = 1; !isOver; n = (n % 9) + 1)
        await api.database.query(
          `WITH one AS (UPDATE orders SET units = $3 WHERE store_id = $1 AND id = $2)
           UPDATE order_lines SET quantity = $3 WHERE store_id = $1 AND order_id = $2`,
          [api.store.id, id, n],
        );
    })();

    const wrong: unknown[] = [];
    for (let n = 0; n < 300; n++) {
      const { data } = await readerOf(api)('/v1/orders?include=units,line_items');
      const [{ units, line_items = [] } = {}] = data as readonly {
        units?: number;
        line_items?: { quantity: number }[];
      }[];
      if (units !== line_items[0]?.quantity) wrong.push([units, line_items]);
    }
    isOver = true;
    await writing;

    expect(wrong).toEqual([]);
  });
});

describe('the questions of accounting and of a warehouse', () => {
  it('are answered by a month in Berlin, which begins in winter and ends in summer', async () => {
    const api = await application.withStore();
    const times = ['2026-02-28T22:59:59.999Z', '2026-02-28T23:00:00Z', '2026-03-29T01:00:00Z'];
    const ids: string[] = [];
    for (const created_at of [...times, '2026-03-31T21:59:59.999Z', '2026-03-31T22:00:00Z']) {
      ids.push(await api.store.order({ created_at }));
    }
    const range = 'created_from=2026-03-01T00:00:00%2B01:00&created_to=2026-04-01T00:00:00%2B02:00';

    const { data, pagination } = await readerOf(api)(`/v1/orders?${range}&sort=created_at`);

    expect(pagination.total).toBe(3);
    expect(data.map(({ id }) => id)).toEqual(ids.slice(1, 4));
  });

  it('are answered by one request for what is to ship, oldest first, with lines', async () => {
    const api = await application.withStore();
    const [old, young] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    const second = await api.store.order({ fulfillment_status: 'PROCESSING', created_at: young });
    const first = await api.store.order({ fulfillment_status: 'PENDING', units: 2, created_at: old });
    await api.store.order({ fulfillment_status: 'PENDING', created_at: old, held_reasons: ['manual'] });
    await api.store.order({ fulfillment_status: 'SHIPPED', created_at: old });
    await api.store.orderLine(first, { name: 'Mug', quantity: 2 });

    const { data, pagination } = await readerOf(api)(
      '/v1/orders?fulfillment_status=PENDING,CONFIRMED,PROCESSING&held=false&sort=created_at&include=line_items,units',
    );

    expect(pagination.total).toBe(2);
    expect(data).toMatchObject([
      { id: first, units: 2, line_items: [{ name: 'Mug', quantity: 2 }] },
      { id: second, units: 0, line_items: [] },
    ]);
  });
});
