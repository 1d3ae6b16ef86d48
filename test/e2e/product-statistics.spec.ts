import { orderChanges, startShop } from '../support/order-changes.js';
import { WRONG_ORDER_SUMS } from '../support/order-sums.js';
import type { RunningApi } from '../support/start-api.js';

let api: RunningApi;
let mug: number;
let tee: number;
beforeAll(async () => ({ api, mug, tee } = await startShop()));
afterAll(() => api.stop());
const { orders, place, post } = orderChanges(() => ({ api, mug, tee }));

interface FullOrder {
  readonly created_at: string;
  readonly source: string;
  readonly status: string;
  readonly fulfillment_status: string;
  readonly payment_method: string;
  readonly is_test: boolean;
  readonly total_amount: number;
  readonly shipping_address: { readonly country?: string };
  readonly line_items: readonly {
    readonly product_id: string | null;
    readonly variant_id: number | null;
    readonly sku: string;
    readonly name: string;
    readonly unit_price: number;
    readonly quantity: number;
    readonly cancelled_quantity: number;
    readonly returned_quantity: number;
  }[];
}

interface Sums {
  readonly product_id: number | null;
  readonly variant_id: number | null;
  readonly sku: string;
  readonly name: string;
  readonly units: number;
  readonly amount: number;
  readonly returned: number;
  readonly cancelled: number;
}

const products = async (query = '') =>
  (await api.get(`/v1/statistics/products?limit=100${query}`)).json<{ data: Sums[]; pagination: { total: number } }>();
const statistics = async (query: string) =>
  (await api.get(`/v1/statistics/orders?${query}`)).json<{
    data: { period: string; group?: string; orders: number; units: number; amount: number; paid: number }[];
  }>().data;

/** Reads every order of the store by the API. */
async function allOrders(): Promise<FullOrder[]> {
  const rows = await api.database.query<{ id: string }>('SELECT id FROM orders WHERE store_id = $1', [api.store.id]);
  return Promise.all(rows.map(({ id }) => orders.read<FullOrder>(id)));
}

const isCancelled = ({ status, fulfillment_status }: FullOrder) => [status, fulfillment_status].includes('CANCELLED');

/** Sums the lines of orders as the guide defines it, without names. */
function summed(of: readonly FullOrder[], by: 'product' | 'sku'): Omit<Sums, 'name'>[] {
  const sums = new Map<string, Omit<Sums, 'name'>>();
  for (const order of of) {
    for (const line of order.line_items) {
      const cancelled = isCancelled(order) ? line.quantity : line.cancelled_quantity;
      const item = {
        product_id: line.product_id === null || line.product_id === '' ? null : Number(line.product_id),
        variant_id: by === 'sku' ? line.variant_id : null,
        sku: line.sku,
      };
      const key = item.product_id === null ? `${line.sku} ${line.name}` : JSON.stringify({ ...item, sku: '' });
      const sum = sums.get(key) ?? { ...item, units: 0, amount: 0, returned: 0, cancelled: 0 };
      sums.set(key, {
        ...sum,
        units: sum.units + line.quantity - cancelled,
        amount: sum.amount + line.unit_price * (line.quantity - cancelled),
        returned: sum.returned + line.returned_quantity,
        cancelled: sum.cancelled + cancelled,
      });
    }
  }
  return [...sums.values()].filter(
    ({ units, amount, returned, cancelled }) => units || amount || returned || cancelled,
  );
}

const byUnits = (one: Omit<Sums, 'name'>, other: Omit<Sums, 'name'>) =>
  other.units - one.units ||
  (one.product_id ?? 0) - (other.product_id ?? 0) ||
  (one.variant_id ?? 0) - (other.variant_id ?? 0) ||
  (one.sku < other.sku ? -1 : 1);

const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);

const dayIn = (zone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  return (time: string) => format.format(new Date(time));
};

async function importLines(...lines: object[]): Promise<void> {
  const answer = (await api.post('/v1/import', { lines })).json<{
    data: { lines: { result: string; error: string }[] };
  }>();
  expect(answer.data.lines.map(({ error }) => error)).toEqual(lines.map(() => ''));
}

const imported = (receipt: string, created: string, lines: object[], fields: object = {}) => ({
  ...{ kind: 'order', receipt_number: receipt, source: 'POS', status: 'SUCCEEDED', fulfillment_status: 'DELIVERED' },
  ...{ payment_method: 'CASH', currency: 'USD', amount: 1000, total_amount: 1000, created_at: created },
  line_items: lines,
  ...fields,
});

describe('the statistics of products', () => {
  it('equal the lines of placed, changed, cancelled, returned and imported orders, in every time zone', async () => {
    await importLines(
      {
        kind: 'product',
        slug: 'runner',
        sku: 'R',
        name: 'Runner',
        price: '10',
        variants: [
          { sku: 'R-1', name: '1', attributes: { Size: '1' } },
          { sku: 'R-2', name: '2', attributes: { Size: '2' } },
        ],
      },
      ...Array.from({ length: 12 }, (_, n) =>
        imported(
          `OLD-${n}`,
          `2026-0${1 + Math.floor(n / 4)}-${['01T00:30', '14T23:10', '28T12:00', '28T22:45'][n % 4]}:00.000Z`,
          [
            {
              product: 'runner',
              variant: n % 3 ? 'R-1' : 'R-2',
              name: 'Runner',
              unit_price: 100 + n,
              quantity: 1 + (n % 5),
            },
            { sku: n % 2 ? 'BAG' : '', name: 'Bag', unit_price: -5, quantity: 2 },
          ],
          {
            ...(n % 5 === 4 && { status: 'CANCELLED', fulfillment_status: 'CANCELLED' }),
            shipping_address: n % 2 ? { country: 'DE' } : {},
          },
        ),
      ),
    );
    const [kept, edited, gone, part, back] = [
      await place(),
      await place(),
      await place(),
      await place(),
      await place(),
    ];
    await post(edited, 'lines', {
      set: [
        { line: 1, quantity: 5 },
        { line: 2, quantity: 0 },
      ],
      add: [{ product_id: tee, quantity: 2 }],
    });
    await post(part, 'cancel', { items: [{ line: 1, quantity: 2 }] });
    await post(part, 'lines', { set: [{ line: 1, quantity: 4 }] });
    await post(gone, 'cancel', { items: [{ line: 1, quantity: 1 }] });
    await post(gone, 'cancel');
    await post(back, 'shipments', { reference: 'S', notify: false });
    await post(back, 'payments', { reference: 'P', amount: 3500, currency: 'USD' });
    await post(back, 'refunds', {
      reference: 'R1',
      amount: 1000,
      lines: [{ line: 1, quantity: 1 }],
      restock: true,
      notify: false,
    });
    await post(back, 'refunds', {
      reference: 'R2',
      amount: 1000,
      lines: [{ line: 1, quantity: 1 }],
      restock: true,
      notify: false,
    });
    await api.place(
      { items: [{ product_id: mug, quantity: 9 }], customer: { name: 'Ada' } },
      { authorization: `Bearer ${await api.store.createKey('test')}` },
    );
    const all = await allOrders();
    expect(all.filter(({ line_items: lines }) => lines.some(({ returned_quantity: units }) => units > 0))).toHaveLength(
      1,
    );
    expect(kept).not.toBe('');

    for (const zone of ['UTC', 'America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Kiritimati']) {
      await api.database.query('UPDATE stores SET time_zone = $2 WHERE id = $1', [api.store.id, zone]);
      const day = dayIn(zone);
      const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
      for (const [from, to] of [
        ['2026-01-14', '2026-01-15'],
        ['2026-01-01', '2026-02-01'],
        ['2026-01-28', '2026-02-28'],
        ['2026-02-14', '2026-02-28'],
        ['2026-03-01', '2026-03-29'],
        [dayBefore(tomorrow, 20), tomorrow],
      ] as const) {
        for (const by of ['product', 'sku'] as const) {
          const { data } = await products(`&from=${from}&to=${to}&by=${by}&is_test=false`);
          const of = all.filter(
            (order) => !order.is_test && day(order.created_at) >= from && day(order.created_at) < to,
          );
          const sold = summed(of, by);
          const named = sold.map(({ product_id, ...sums }) => ({
            product_id,
            ...sums,
            sku: data.find(
              (row) =>
                row.product_id === product_id &&
                row.variant_id === sums.variant_id &&
                (product_id !== null || row.sku === sums.sku),
            )?.sku,
          }));

          expect([zone, from, by, data.map(({ name: _, ...row }) => row).toSorted(byUnits)]).toEqual([
            zone,
            from,
            by,
            named.toSorted(byUnits as never),
          ]);
          const sums = await statistics(`from=${from}&to=${to}&by=month`);
          const total = (what: (row: Sums) => number) => data.reduce((sum, row) => sum + what(row), 0);
          expect(total(({ units, cancelled }) => units + cancelled)).toBe(
            sums.reduce((sum, { units }) => sum + units, 0),
          );
        }
      }
    }
    expect(await api.database.query(WRONG_ORDER_SUMS, [api.store.id])).toEqual([]);
  });
});

describe('the statistics of orders by group', () => {
  type Group = 'payment_method' | 'source' | 'country';
  const valueOf = (order: FullOrder, group: Group) =>
    group === 'country' ? (order.shipping_address.country ?? '') : order[group];

  const expected = (all: readonly FullOrder[], group: Group, source?: string) => {
    const sums = new Map<string, { orders: number; units: number; amount: number }>();
    for (const order of all.filter((each) => source === undefined || each.source === source)) {
      const sum = sums.get(valueOf(order, group)) ?? { orders: 0, units: 0, amount: 0 };
      sums.set(valueOf(order, group), {
        orders: sum.orders + 1,
        units: sum.units + order.line_items.reduce((units, { quantity }) => units + quantity, 0),
        amount: sum.amount + order.total_amount,
      });
    }
    return [...sums]
      .map(([value, sum]) => ({ group: value, ...sum }))
      .toSorted((one, other) => (one.group < other.group ? -1 : 1));
  };
  it('equals the orders of each value, and follows an order that changes its payment method and country', async () => {
    const shop = await api.withStore();
    const product = await shop.store.product({ price: 1000, stock: 99 });
    const pricing = {
      authorization: `Bearer ${await shop.store.createKey('live', 'read,orders,fulfillment,payments,pricing')}`,
    };
    const order = (payment_method: string, country: string | undefined, quantity: number) =>
      shop.place({
        ...{ payment_method, items: [{ product_id: product, quantity }] },
        customer: { name: 'Ada', address: '1 Main Street', ...(country && { country }) },
      });
    await order('COD', 'DE', 1);
    await order('OFFLINE', 'FR', 2);
    const moved = await order('COD', undefined, 3);
    const paid = { reference: 'P', amount: 3000, currency: 'USD' };
    await shop.post(`/v1/orders/${moved.order_id}/payments`, paid);
    const sums = async (group: Group) => {
      const answer = await shop.get(`/v1/statistics/orders?group=${group}&by=month`);
      return answer
        .json<{ data: { group: string; orders: number; units: number; amount: number; paid: number }[] }>()
        .data.map(({ group: value, orders: count, units, amount, paid: sum }) => [value, count, units, amount, sum]);
    };
    expect(await sums('country')).toEqual([
      ['', 1, 3, 3000, 3000],
      ['DE', 1, 1, 1000, 0],
      ['FR', 1, 2, 2000, 0],
    ]);

    const patched = await shop.patch(
      `/v1/orders/${moved.order_id}`,
      { payment_method: 'CARD', shipping_address: { address: '1 Main Street', country: 'DE' } },
      pricing,
    );

    expect([patched.statusCode, patched.body]).toEqual([200, expect.any(String)]);
    expect(await sums('country')).toEqual([
      ['DE', 2, 4, 4000, 3000],
      ['FR', 1, 2, 2000, 0],
    ]);
    expect(await sums('payment_method')).toEqual([
      ['CARD', 1, 3, 3000, 3000],
      ['COD', 1, 1, 1000, 0],
      ['OFFLINE', 1, 2, 2000, 0],
    ]);
    expect(await sums('source')).toEqual([['WEBSITE', 3, 6, 6000, 3000]]);
    expect(await shop.database.query(WRONG_ORDER_SUMS, [shop.store.id])).toEqual([]);
  });

  it.each(['source', 'payment_method', 'country'])(
    'adds up by %s to the sums without it, refunds included',
    async (group) => {
      const sumsOf = async (query: string) =>
        (await statistics(`by=month${query}`))
          .flatMap(({ period: _, group: __, ...figures }) => Object.entries(figures))
          .reduce<Record<string, number>>((sums, [name, n]) => ({ ...sums, [name]: (sums[name] ?? 0) + n }), {});
      const all = await sumsOf('');

      expect(await sumsOf(`&group=${group}`)).toEqual(all);
      expect(all).toMatchObject({ refunded: 2000, paid: 3500 });
    },
  );

  it('equals imported orders of months, also of one source', async () => {
    await api.database.query(`UPDATE stores SET time_zone = 'UTC' WHERE id = $1`, [api.store.id]);
    const all = (await allOrders()).filter(({ is_test, created_at: at }) => !is_test && at < '2026-04');
    for (const group of ['payment_method', 'source', 'country'] as const) {
      const months = await Promise.all(
        ['01', '02', '03'].map(
          async (month) =>
            (await statistics(`group=${group}&by=month&from=2026-${month}-01&to=2026-${month}-28`)).length,
        ),
      );
      expect(Math.min(...months)).toBeGreaterThan(0);
    }
    const january = all.filter(({ created_at: at }) => at < '2026-02');
    const read = async (group: Group) =>
      (await statistics(`group=${group}&by=month&from=2026-01-01&to=2026-02-01&source=pos`)).map(
        ({ period: _, group: value, orders: count, units, amount }) => ({ group: value, orders: count, units, amount }),
      );
    for (const group of ['payment_method', 'source', 'country'] as const) {
      expect([group, await read(group)]).toEqual([group, expected(january, group, 'POS')]);
    }
  });

  it.each([
    ['orders?group=region', 'group must be one of payment_method, source, country'],
    ['products?sort=units', 'sort must be one of -units, -amount'],
    ['products?by=day', 'by must be one of product, sku'],
    ['products?from=2026-01-01&to=2026-02-02', 'to must be a date after from, at most 31 days later'],
    ['orders?group=source&from=2026-01-01&to=2026-04-04', 'to must be a date after from, at most 92 days later'],
  ])('refuses %s', async (query, error) => {
    const response = await api.get(`/v1/statistics/${query}`);

    expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
  });
});

describe('a page of the statistics of products', () => {
  it('has the greatest amounts first, the true total, and the names that the catalog has now', async () => {
    const shop = await api.withStore();
    const cheap = await shop.store.product({ price: 100, stock: 99, name: 'Cheap', sku: 'C' });
    const dear = await shop.store.product({ price: 9000, stock: 99, name: 'Dear', sku: 'D' });
    await shop.place({
      items: [
        { product_id: cheap, quantity: 5 },
        { product_id: dear, quantity: 1 },
      ],
      customer: { name: 'Ada' },
    });
    await shop.database.query(`UPDATE products SET name = 'Dearer', sku = 'D-2' WHERE store_id = $1 AND id = $2`, [
      shop.store.id,
      dear,
    ]);
    const page = async (query: string) =>
      (await shop.get(`/v1/statistics/products?${query}`)).json<Awaited<ReturnType<typeof products>>>();
    const rowOf = (id: number, sku: string, name: string, units: number, amount: number) => ({
      ...{ product_id: id, variant_id: null, sku, name, units, amount, returned: 0, cancelled: 0 },
    });

    expect((await page('sort=-amount')).data).toEqual([
      rowOf(dear, 'D-2', 'Dearer', 1, 9000),
      rowOf(cheap, 'C', 'Cheap', 5, 500),
    ]);
    expect((await page('limit=1')).data).toEqual([rowOf(cheap, 'C', 'Cheap', 5, 500)]);
    const second = await page('limit=1&page=3');
    expect([second.data, second.pagination.total]).toEqual([[], 2]);
    const { data: days } = (await shop.get('/v1/statistics/orders')).json<{
      data: { units: number; amount: number }[];
    }>();
    expect(days.at(-1)).toMatchObject({ units: 6, amount: 9500 });
    expect((await page('is_test=true')).data).toEqual([]);
    expect((await page('to=2026-01-01')).data).toEqual([]);
  });
});
