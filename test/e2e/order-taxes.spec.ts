import { writeStoreExport } from '@app/bundles';
import { Money, orderLineOf, wholeAddress } from '@app/domain';
import type { Database } from '@app/infrastructure';
import type { OrderResponse } from '@app/representations';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { StoreCharges } from '../../libs/infrastructure/src/catalog/store-charges.js';
import { anOrderBody } from '../builders/order-body.js';
import { bundleImports } from '../support/bundle-imports.js';
import { commandLine } from '../support/command-line.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase } from '../support/test-database.js';

/** Prices have 19 percent, books 7; France has 20. Shipping costs 4.90 below 50.00. */
const CHARGES = {
  prices_include_tax: true,
  reverse_charge_from: 'DE',
  rates: [
    { country: 'DE', name: 'VAT', rate: 19 },
    { country: 'DE', category: 'books', name: 'VAT', rate: 7 },
    { country: 'FR', name: 'TVA', rate: 20 },
  ],
  shipping: { amount: 490, free_from: 5_000 },
};

let api: RunningApi;
let lamp: number;
let book: number;
beforeAll(async () => {
  api = await startApi({ THROTTLE_PER_10S: '0' });
  const books = await api.store.category({ slug: 'books' });
  lamp = await api.store.product({ price: 1_190, stock: 1_000 });
  book = await api.store.product({ price: 1_070, stock: 1_000, categoryIds: [books] });
  await api.database.query('UPDATE stores SET charge_settings = $2 WHERE id = $1', [api.store.id, CHARGES]);
});
afterAll(() => api?.stop());
const { directory } = commandLine(() => api.database);

const bodyOf = (more: object = {}) => ({
  ...anOrderBody(lamp, 2, { customer: { name: 'Ada', country: 'DE' } }),
  items: [
    { product_id: lamp, quantity: 2 },
    { product_id: book, quantity: 1 },
  ],
  ...more,
});
const UNNAMED = { variantId: null, sku: '', name: 'Atlas', attributes: {} };
const vat = (rate: number, amount: number) => ({ name: 'VAT', rate, amount });

async function placed(more: object = {}): Promise<OrderResponse> {
  const { order_id: id } = await api.place(bodyOf(more));
  return (await api.get(`/v1/orders/${id}`)).json<{ data: OrderResponse }>().data;
}

describe('an order of a store with taxes', () => {
  it('has those of each line, of its shipping and their sums by rate', async () => {
    const order = await placed();

    // Computed by hand: 2380 × 19 / 119 = 380; 1070 × 7 / 107 = 70; 490 × 19 / 119 = 78.24.
    expect(order).toMatchObject({
      ...{ amount: 3_450, shipping_amount: 490, tax_amount: 528, total_amount: 3_940, adjustment_amount: -528 },
      line_items: [
        { line_total: 2_380, tax: [vat(19, 380)], discount_amount: 0 },
        { line_total: 1_070, tax: [vat(7, 70)], discount_amount: 0 },
      ],
      shipping_tax: [vat(19, 78)],
      tax_lines: [
        { ...vat(19, 458), included: true },
        { ...vat(7, 70), included: true },
      ],
    });
  });

  it('shows the sums in a list that includes them, and in the preview', async () => {
    const { id, tax_lines } = await placed();

    const listed = await api.get(`/v1/orders?ids=${id}&include=taxes`);
    const previewed = await api.post('/v1/orders/preview', bodyOf());

    expect(listed.json<{ data: object[] }>().data).toMatchObject([{ id, tax_lines }]);
    expect(previewed.json()).toMatchObject({
      data: {
        ...{ tax: 5.28, shipping: 4.9, total: 39.4 },
        tax_lines: [
          { ...vat(19, 4.58), included: true },
          { ...vat(7, 0.7), included: true },
        ],
      },
    });
  });

  it('is charged again when its lines change, as a preview of the change has said', async () => {
    const { id } = await placed();
    const edit = { set: [{ line: 1, quantity: 4 }], expected_total: 58.3 };

    const previewed = await api.post(`/v1/orders/${id}/lines?preview=true`, edit);
    const untouched = await api.get(`/v1/orders/${id}`);
    const changed = await api.post(`/v1/orders/${id}/lines`, edit);

    expect(changed.json()).toMatchObject({
      data: {
        ...{ total_amount: 5_830, shipping_amount: 0, tax_amount: 760 + 70, amount_open: 5_830 },
        ...{ shipping_tax: [], line_items: [{ quantity: 4, tax: [vat(19, 760)] }, { tax: [vat(7, 70)] }] },
      },
    });
    expect(untouched.json()).toMatchObject({ data: { total_amount: 3_940 } });
    expect(previewed.json<{ data: OrderResponse }>().data).toMatchObject({ total_amount: 5_830, tax_amount: 830 });
  });

  it('is charged again for another country, and says what it costs then', async () => {
    const { id } = await placed();
    const move = { shipping_address: { country: 'FR' } };

    const previewed = await api.patch(`/v1/orders/${id}?preview=true`, move);
    const untouched = await api.get(`/v1/orders/${id}`);
    const changed = await api.patch(`/v1/orders/${id}`, move);

    const french = [{ name: 'TVA', rate: 20, amount: 397 + 178 + 82, included: true }];
    expect([previewed.statusCode, previewed.json()]).toMatchObject([200, { data: { tax_lines: french } }]);
    expect(untouched.json()).toMatchObject({ data: { shipping_address: { country: 'DE' }, tax_amount: 528 } });
    expect(changed.json()).toMatchObject({
      data: { tax_lines: french, tax_amount: 657, total_amount: 3_940, adjustment_amount: -657 },
    });
    expect((await api.get(`/v1/orders/${id}/history?sort=-at`)).body).toContain('"lines_changed"');
  });

  it('costs a business of another country of the EU less by the tax that prices include', async () => {
    const vatId = { country: 'FR', vat_id: 'FR40303265045' };

    const order = await placed({ customer: { name: 'Ada', country: 'FR' }, billing_address: vatId });

    expect(order).toMatchObject({
      ...{ amount: 3_450, discount_amount: 450, shipping_amount: 412, tax_amount: 0, total_amount: 3_412 },
      tax_lines: [{ name: 'Reverse charge', rate: 0, amount: 0, included: true }],
      line_items: [{ discount_amount: 380 }, { discount_amount: 70 }],
    });
  });

  it('credits a unit with its tax and its discount', async () => {
    const { id } = await placed({ customer: { name: 'Ada', country: 'FR', vat_id: 'FR40303265045' } });

    const credited = await api.post(`/v1/orders/${id}/cancel`, { items: [{ line: 2, quantity: 1 }] });

    expect(credited.json()).toMatchObject({ data: { amount_credited: 1_000, amount_open: 2_412 } });
  });

  it('keeps right amounts when two changes of its lines meet', async () => {
    const { id } = await placed();
    const edit = (line: number, quantity: number) => api.post(`/v1/orders/${id}/lines`, { set: [{ line, quantity }] });

    const answers = await Promise.all([edit(1, 3), edit(2, 2)]);

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await api.get(`/v1/orders/${id}`)).json()).toMatchObject({
      data: { total_amount: 3_570 + 2_140, shipping_amount: 0, tax_amount: 570 + 140 },
    });
  });
});

it('reads of a product in many categories those with a rate, by their ids', async () => {
  const others = Array.from({ length: 99 }, (_, n) => api.store.category({ slug: `${'shelf-'.repeat(30)}${n}` }));
  const [books] = await api.database.query<{ id: number }>(
    `SELECT id FROM categories WHERE store_id = $1 AND slug = 'books'`,
    [api.store.id],
  );
  const categoryIds = [...(await Promise.all(others)), books?.id ?? 0];
  const atlas = await api.store.product({ price: 1_070, stock: 1, categoryIds });
  const read: string[] = [];
  const query = async <Row>(text: string, values: readonly unknown[]) => {
    const rows = await api.database.query<Row>(text, [...values]);
    read.push(JSON.stringify(rows));
    return rows;
  };
  const charges = new StoreCharges({ queryPrepared: query } as unknown as Database);
  const line = orderLineOf({ productId: atlas, quantity: 1, unitPrice: Money.ofMinor(1_070, 'USD'), ...UNNAMED });
  const address = wholeAddress({ country: 'DE' });
  const order = { currency: 'USD', paymentMethod: 'COD', lines: [line], subtotal: line.total, address } as const;

  const charged = await charges.chargesOf(api.store.id, {
    ...order,
    customer: { name: 'Ada', email: '', phone: '' },
    billing: { name: '', ...address },
  });

  expect(charged.lines).toEqual([{ tax: [vat(7, 70)], discount: 0 }]);
  expect(read.at(-1)?.length).toBeLessThan(100);
});

describe('the journal and the statistics of a store with taxes', () => {
  interface Row {
    readonly kind: string;
    readonly charged: number;
    readonly credited: number;
    readonly tax_lines: readonly { readonly rate: number; readonly amount: number }[];
  }
  const rowsOf = async (id: string) => {
    const { data } = (await api.get(`/v1/journal?order_id=${id}`)).json<{ data: readonly Row[] }>();
    return data.map(({ kind, charged, credited, tax_lines }) => {
      return [kind, charged, credited, ...tax_lines.map(({ rate, amount }) => `${rate}: ${amount}`)];
    });
  };

  it('have the tax by rate of what was sold, changed, given up and refunded', async () => {
    const { id } = await placed();
    await api.post(`/v1/orders/${id}/lines`, { set: [{ line: 1, quantity: 3 }] });
    await api.post(`/v1/orders/${id}/cancel`, { items: [{ line: 2, quantity: 1 }] });
    await api.post(`/v1/orders/${id}/payments`, { reference: 'P', amount: 4_060, currency: 'USD' });
    await api.post(`/v1/orders/${id}/shipments`, { reference: 'S' });
    await api.post(`/v1/orders/${id}/refunds`, { reference: 'R', amount: 1_190, lines: [{ line: 1, quantity: 1 }] });

    expect(await rowsOf(id)).toEqual([
      ['order', 3_940, 0, '19: 458', '7: 70'],
      ['lines', 1_190, 0, '19: 190'],
      ['credit', 0, 1_070, '7: 70'],
      ['payment', 0, 0],
      ['refund', 0, 0],
      ['credit', 0, 1_190, '19: 190'],
    ]);
  });

  it('have the tax of another country, and none of a cancelled order', async () => {
    const { id } = await placed({ items: [...bodyOf().items].reverse() });
    const [placing] = await rowsOf(id);
    await api.patch(`/v1/orders/${id}`, { shipping_address: { country: 'FR' } });
    await api.post(`/v1/orders/${id}/lines`, { set: [{ line: 1, quantity: 2 }] });
    await api.post(`/v1/orders/${id}/lines`, { set: [{ line: 1, quantity: 1 }] });
    await api.post(`/v1/orders/${id}/cancel`, {});
    expect((await rowsOf(id))[0]).toEqual(placing);

    expect(await rowsOf(id)).toEqual([
      ['order', 3_940, 0, '19: 458', '7: 70'],
      ['lines', 0, 0, '20: 657', '19: -458', '7: -70'],
      ['lines', 1_070, 0, '20: 179'],
      ['lines', -1_070, 0, '20: -179'],
      ['cancellation', 0, 3_940, '20: 657'],
    ]);
  });

  it('sum the taxes, the shipping and the discounts of the orders of a day', async () => {
    const sums = async () => {
      const { data } = (await api.get('/v1/statistics/orders')).json<{ data: readonly Record<string, number>[] }>();
      return data.at(-1) as Record<string, number>;
    };
    const before = await sums();
    await placed();
    await placed({ customer: { name: 'Ada', country: 'FR', vat_id: 'FR40303265045' } });

    const after = await sums();

    const grown = ['tax', 'shipping', 'discount'].map((name) => Number(after[name]) - Number(before[name]));
    expect(grown).toEqual([528, 490 + 412, 450]);
  });
});

it('is exported with orders whose amounts and bookings the import finds right, whatever they have been', async () => {
  const file = path.join(directory, 'taxes.ndjson');
  await writeStoreExport(api.database.url, api.store.subdomain, file);
  const copy = await createTestDatabase();
  try {
    const { counts, warnings } = await bundleImports(() => copy).importText(readFileSync(file, 'utf8'));

    expect(counts.order.created).toBeGreaterThan(8);
    expect(warnings).toEqual([]);
  } finally {
    await copy.drop();
  }
});
