import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PersonalData } from '@app/application';
import { demoStore } from '@app/demo-store';
import { writeStoreExport, type BundleLine } from '@app/bundles';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { BY_OPERATOR } from '../builders/change-origin.js';
import { anOrderBody } from '../builders/order-body.js';
import { aStoreBundle } from '../builders/store-bundle.js';
import { aDrawnStore } from '../support/drawn-store.js';
import { answersOf, keyOf } from '../support/answers.js';
import { bundleImports } from '../support/bundle-imports.js';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { seededRandom } from '../support/seeded-random.js';
import { startApi, type RunningApi } from '../support/start-api.js';

// Whole stores, and processes, are slow on a busy machine.

const ADDRESS = {
  ...{ company: 'Engines Ltd', vat_id: 'GB 1', address: '1 Long Street', address2: 'Floor 3' },
  ...{ city: 'Ayr', zip: 'KA7', region: 'Ayrshire', country: 'GB' },
};

let source: RunningApi;
let target: RunningApi;
beforeAll(async () => {
  [source, target] = await Promise.all([startApi(), startApi()]);
});
afterAll(() => Promise.all([source.stop(), target.stop()]));

const { cli, directory } = commandLine(() => source.database);
const into = { source: bundleImports(() => source.database), target: bundleImports(() => target.database) };

let files = 0;
async function exportedText(store: string, options: Parameters<typeof writeStoreExport>[3] = {}): Promise<string> {
  const file = path.join(directory, `${++files}.ndjson`);
  await writeStoreExport(source.database.url, store, file, options);
  return readFileSync(file, 'utf8');
}

async function exported(store: string, options?: Parameters<typeof writeStoreExport>[3]): Promise<BundleLine[]> {
  const texts = (await exportedText(store, options)).split('\n').slice(0, -1);
  return texts.map((text) => JSON.parse(text) as BundleLine);
}

/**
 * Returns all rows of a store, with the transactions that wrote them, including the feed and the changes that wait for
 * it.
 */
async function rowsOf(store: string): Promise<Record<string, readonly string[]>> {
  const tables = await source.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND column_name = 'store_id' AND table_type = 'BASE TABLE' AND table_name NOT LIKE '%key%'
     ORDER BY 1`,
  );
  const rows: Record<string, readonly string[]> = {};
  for (const { name } of [{ name: 'stores' }, ...tables]) {
    const key = name === 'stores' ? 'id' : 'store_id';
    const found = await source.database.query<{ row: string }>(
      `SELECT t.xmin || ' ' || to_jsonb(t) AS row FROM ${name} AS t
       WHERE ${key} = (SELECT id FROM stores WHERE subdomain = $1) ORDER BY to_jsonb(t)::text`,
      [store],
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}

async function order(key: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const response = await source.inject({
    ...{ method: 'POST', url: '/v1/orders', payload: body as object },
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  if (response.statusCode !== 201) throw new Error(response.body);
  return response.json<{ data: { order_id: string } }>().data.order_id;
}

const END_STAGES = `
  UPDATE order_stages SET state = CASE WHEN right(order_id::text, 1) < '8' THEN 'done' ELSE 'dead' END, attempts = 3,
    outcome = CASE WHEN right(order_id::text, 1) < '8' THEN 'sent' ELSE 'undeliverable' END,
    last_error = CASE WHEN right(order_id::text, 1) < '8' THEN '' ELSE 'EENVELOPE' END, updated_at = now()
  WHERE state = 'pending'`;

const sellable = async (store: string) => {
  const [row] = await source.database.query<{ product_id: number; variant_id: number | null }>(
    `SELECT product_id, variant_id FROM stock JOIN stores ON stores.id = stock.store_id AND subdomain = $1
     JOIN bins ON bins.store_id = stores.id AND bins.id = bin_id
     JOIN warehouses ON warehouses.store_id = stores.id AND warehouses.id = warehouse_id AND warehouses.active
     JOIN products ON products.store_id = stores.id AND products.id = product_id AND products.status = 'ACTIVE'
     WHERE quantity >= 20 AND variant_id IS NOT NULL ORDER BY product_id DESC, variant_id DESC LIMIT 1`,
    [store],
  );
  return row as { product_id: number; variant_id: number };
};

/** An export reads pages of 500 rows. */
const ordersAgain = (lines: readonly BundleLine[]): BundleLine[] =>
  lines.flatMap((line) => {
    if (line.kind !== 'order') return [];
    const { id: _, ...order } = line;
    return { ...order, receipt_number: `${order.receipt_number}-2` };
  });

/** Prices of a list for every product and variant, some with a rule, and rules of the catalog. */
function pricesOf(lines: readonly BundleLine[]): BundleLine[] {
  const store = 'larkmoor';
  const units = lines.flatMap((line) => {
    if (line.kind !== 'product') return [];
    return [null, ...(line.variants ?? []).map(({ sku }) => sku)].map((variant) => ({ product: line.slug, variant }));
  });
  const breaks = ['9.00', '8.50', '8'].map((price, place) => ({ from_quantity: 1 + 10 * place, price }));
  return [
    {
      ...{ kind: 'price_list', store, code: 'VIP', name: 'Best customers', priority: 5 },
      ...{ valid_from: '2026-01-01', valid_to: null, customer_groups: ['vip', 'staff'] },
    },
    { kind: 'price_list', store, code: 'EMPTY', name: 'Nothing yet' },
    ...units.map((unit, place): BundleLine => {
      const rule = place % 3 === 0 ? { min_quantity: 6, step: 3 } : {};
      return {
        kind: 'list_price',
        store,
        list: 'VIP',
        ...unit,
        price_breaks: breaks.slice(0, 1 + (place % 3)),
        ...rule,
      };
    }),
    ...units.slice(0, 20).map((unit): BundleLine => ({ kind: 'quantity_rule', store, ...unit, min_quantity: 2 })),
  ];
}

describe('an exported store', () => {
  it('answers every route as before once it is imported, byte for byte, except credentials and updated_at', async () => {
    const store = 'larkmoor';
    const lines = demoStore({ now: new Date('2026-11-20T12:00:00Z') });
    await into.source.importLines(...lines, ...ordersAgain(lines), ...pricesOf(lines));
    const key = await keyOf(source, store);
    const item = { ...(await sellable(store)), quantity: 2 };
    await order(key, {
      external_reference: 'PO-1',
      metadata: { erp_id: '4711' },
      items: [{ ...item, metadata: { erp_line: '10' } }],
      customer: { name: 'Ada', email: 'ada@example.com', ...ADDRESS },
      billing: { name: 'Accounts', ...ADDRESS, vat_id: 'GB 2' },
    });
    const test = await source.store.createKey('test');
    await source.database.query(
      `UPDATE api_keys SET store_id = (SELECT id FROM stores WHERE subdomain = $1) WHERE mode = 'test'`,
      [store],
    );
    const changed = await order(test, {
      external_reference: 'PO-1', // this is an order of the other mode
      items: [item],
      customer: { name: 'Test', phone: '+1 5' },
      notes: 'Ring twice',
    });
    const cancelled = await order(key, { items: [item], customer: { name: 'Gone' } }, { 'idempotency-key': 'k1' });
    await source.database.query(
      `UPDATE stores SET fraud_settings = fraud_settings || '{"review_amount":1}' WHERE subdomain = $1`,
      [store],
    );
    await order(key, { items: [item], customer: { name: 'Held' } });
    await cli([
      'orders',
      'set-status',
      cancelled,
      '--status',
      'CANCELLED',
      '--fulfillment-status',
      'CANCELLED',
      '--yes',
    ]);
    await cli(['orders', 'set-status', changed, '--status', 'SUCCEEDED', '--fulfillment-status', 'CONFIRMED']);
    await source.database.query(END_STAGES);
    // A snapshot of an order outlives its product's options, and may have another billing address.
    await source.database.query(`UPDATE order_lines SET attributes = '{"Old":"1"}', attribute_names = '{Old}'`);
    await source.database.query(`UPDATE orders SET billing_address = '{"city":"Bonn"}' WHERE id = $1`, [changed]);
    for (const table of ['customers', 'products', 'product_variants'])
      await source.database.query(`UPDATE ${table} SET metadata = '{"erp_id": "1"}' WHERE id::text LIKE '%1'`);
    for (const table of ['products', 'product_variants'])
      await source.database.query(`UPDATE ${table} SET low_stock = 5 WHERE id::text LIKE '%2'`);
    const amounts = 'UPDATE orders SET tax_amount = 19, shipping_amount = 5, discount_amount = 4 WHERE id = $1';
    await source.database.query(amounts, [cancelled]);

    const { counts, warnings } = await into.target.importLines(...(await exported(store)));

    const before = await answersOf(source, key, 10);
    const after = await answersOf(target, await keyOf(target, store), 10);
    expect(before['store']).toContain('"methodId":"paylark","enabled":true,"isSandbox":true,"hasCredentials":true');
    before['store'] = before['store']?.replace('"hasCredentials":true', '"hasCredentials":false') ?? '';
    expect(withoutTimes(after)).toEqual(withoutTimes(asImported(before)));
    expect(counts.order.created).toBe(804);
    expect(warnings).toEqual([]);
    expect(Object.values(before).join('')).toMatch(/"is_test":true/);
    expect(Object.values(before).join('')).toMatch(/"state":"held"/);
  });

  describe('imported into its own store', () => {
    const isUnchanged = async (store: string) => {
      await source.database.query('SELECT number_changes(id) FROM stores WHERE subdomain = $1', [store]);
      const before = await rowsOf(store);
      const first = await exportedText(store);

      const { counts, warnings } = await into.source.importText(first);

      const written = Object.entries(counts).filter(([, { created, updated }]) => created + updated > 0);
      expect([written, warnings]).toEqual([[], []]);
      expect(await rowsOf(store)).toEqual(before);
      expect(await exportedText(store)).toBe(first);
    };

    it.each([1, 2, 3])(
      'changes no row and adds nothing to the feed, whatever the store has been (seed %i)',
      async (seed) => {
        const store = `own-${seed}`;
        const draw = seededRandom(seed);
        for (let version = 0; version < 3; version++) await into.source.importLines(...aDrawnStore(store, draw));
        // A storefront may write such attributes.
        await source.database.query(
          `UPDATE stores SET theme = theme || '{"api_key":"sk_live_hidden","color":"red"}',
           ecommerce_settings = '{"keys":[{"name":"api_key","value":"x"}],"a":null}',
           contact = contact || '{"fax":"1","phone":"2"}',
           payment_settings = '{"note":"x","methods":[{"methodId":"cod","enabled":true,"isSandbox":true}]}'
         WHERE subdomain = $1`,
          [store],
        );

        await isUnchanged(store);
      },
    );

    it('changes no placed order', () => isUnchanged('larkmoor'));
  });

  it('has lines that docs/store-bundle.schema.json accepts and that a second import leaves unchanged', async () => {
    const schema = JSON.parse(
      readFileSync(path.join(__dirname, '../../docs/store-bundle.schema.json'), 'utf8'),
    ) as object;
    const isValid = new Ajv2020({ allowUnionTypes: true }).compile(schema);
    const lines = await exported('larkmoor');

    expect(lines.filter((line) => !isValid(line))).toEqual([]);
    const { counts } = await into.target.importLines(...lines);
    expect(Object.values(counts).map(({ created, updated }) => created + updated)).toEqual(Array(12).fill(0));
  });

  it('leaves stages that were pending dead, because an import sends no mail', async () => {
    const product = await source.store.product({ stock: 10 });
    const id = await order(source.store.key, anOrderBody(product));
    const reviewed = await order(source.store.key, anOrderBody(product));
    await source.database.query(
      `UPDATE fraud_assessments SET verdict = 'REVIEW', score = 50, reasons = $2 WHERE order_id = $1`,
      [reviewed, JSON.stringify([{ rule: 'analysis_unavailable', score: 50 }])],
    );
    await source.database.query(
      `UPDATE order_stages SET state = 'held' WHERE order_id = $1 AND stage = 'notify-customer'`,
      [reviewed],
    );
    await source.database.query(`UPDATE orders SET held_reasons = '{analysis_unavailable}' WHERE id = $1`, [reviewed]);

    const lines = await exported(source.store.subdomain);
    await into.target.importLines(...lines.map((line) => ({ ...line, ...moved(line) })));

    const [placed] = lines.filter((line) => line.kind === 'order' && line.id === id);
    expect(placed).toMatchObject({ pipeline: [{}, {}, { state: 'pending' }, { state: 'pending' }] });
    const stages = `SELECT state, last_error, outcome FROM order_stages WHERE order_id = $1 AND stage LIKE 'notify-%' ORDER BY stage`;
    const dead = { state: 'dead', last_error: 'imported', outcome: 'not_wanted' };
    expect(await target.database.query(stages, [id])).toEqual([dead, dead]);
    expect((await target.database.query(stages, [reviewed]))[0]).toMatchObject({ state: 'held', outcome: null });
    const held = await target.database.query('SELECT held_reasons FROM orders WHERE id = $1', [reviewed]);
    expect(held).toEqual([{ held_reasons: ['analysis_unavailable'] }]);
  });

  it('gets other ids where its own are taken, and the next new rows get free ones', async () => {
    const store = 'crowded';
    const line = { kind: 'product', store, name: 'P', price: '1' } as const;
    const ids = `SELECT slug, products.id FROM products JOIN stores ON stores.id = store_id
      WHERE subdomain = 'crowded' ORDER BY slug`;
    await into.source.importLines({ kind: 'store', id: 1, subdomain: store, name: 'C', currency: 'USD' });

    const [sequence] = await source.database.query<{ last: string }>(`SELECT last_value AS last FROM products_id_seq`);
    const next = Number(sequence?.last) + 1;
    await into.source.importLines({ ...line, slug: 'a' }, { ...line, slug: 'b', id: next });
    await into.source.importLines(
      { ...line, slug: 'c', id: next },
      { ...line, slug: 'd' },
      { ...line, slug: 'b', id: 5 },
    );

    const [a, b, c, d] = (await source.database.query<{ id: number }>(ids)).map(({ id }) => id);
    expect(b).toBe(next);
    expect(new Set([a, b, c, d]).size).toBe(4);
    const [own] = await source.database.query<{ id: number }>(`SELECT id FROM stores WHERE subdomain = 'crowded'`);
    expect(own?.id).toBeGreaterThan(1);
  });

  it('has each order with the account to which it was linked, so that an erasure finds all orders of a person', async () => {
    const { store } = source;
    const ada = await store.customer({ email: 'ada@new.example' });
    await store.customer({ email: 'ada@old.example' });
    const moved = await store.order({ customer_id: ada, customer_email: 'ada@old.example' });
    const linked = await store.order({ customer_id: ada, customer_email: 'ada@new.example' });
    const guest = await store.order({ customer_email: 'ada@new.example' });
    const lines = await exported(store.subdomain);

    await into.target.importLines(...lines);

    const key = await keyOf(target, store.subdomain);
    const accounts = async (...ids: string[]) => {
      const headers = { authorization: `Bearer ${key}` };
      const found = await Promise.all(ids.map((id) => target.get(`/v1/orders/${id}`, headers)));
      return found.map((response) => response.json<{ data: { customer: { id: unknown } } }>().data.customer.id);
    };
    expect(await accounts(moved, linked, guest)).toEqual([ada, ada, null]);
    const people = target.app.get(PersonalData, { strict: false });
    const [row] = await target.database.query<{ id: number }>('SELECT id FROM stores WHERE subdomain = $1', [
      store.subdomain,
    ]);
    const erasure = await people.erase(row?.id ?? 0, 'ada@new.example', null, BY_OPERATOR, () => undefined);
    expect(erasure).toMatchObject({ customers: 1, orders: 3 });
  });

  it('has the amounts of each order, whatever was given up, refunded and shipped, and what can be refunded yet', async () => {
    const { store } = source;
    const product = await store.product({ stock: 50, price: 1000 });
    const unit = [{ line: 1, quantity: 1 }];
    const pay = ['payments', { reference: 'pi_1', amount: 3000, currency: 'USD' }] as const;
    const lives: readonly (readonly (readonly [string, object])[])[] = [
      [pay, ['refunds', { reference: 're_1', amount: 1000, lines: unit }]],
      [
        pay,
        ['shipments', { reference: 'S-1', items: unit }],
        ['refunds', { reference: 're_1', amount: 1000, lines: unit }],
      ],
      [pay, ['cancel', { items: unit }], ['refunds', { reference: 're_1', amount: 500 }]],
      [['cancel', { items: unit }]],
      [pay, ['cancel', { fee: 500 }]],
      [
        ['cancel', { fee: 500 }],
        ['payments', { ...pay[1], amount: 500 }],
      ],
    ];
    const ids: string[] = [];
    for (const life of lives) {
      const { order_id } = await source.place({
        ...anOrderBody(product),
        items: [{ product_id: product, quantity: 3 }],
      });
      for (const [route, body] of life) {
        expect((await source.post(`/v1/orders/${order_id}/${route}`, body)).statusCode).toBeLessThan(300);
      }
      ids.push(order_id);
    }

    await into.target.importLines(...(await exported(store.subdomain)));

    const key = await keyOf(target, store.subdomain);
    const headers = { authorization: `Bearer ${key}` };
    const amountsOf = (body: string) => {
      const { data } = JSON.parse(body) as { data: Record<string, unknown> };
      return Object.fromEntries(
        Object.entries(data).filter(([name]) => /^amount_|refund_due|^refunds$|^status$|_fee$/.test(name)),
      );
    };
    for (const id of ids) {
      const [here, there] = [await source.get(`/v1/orders/${id}`), await target.get(`/v1/orders/${id}`, headers)];
      expect(amountsOf(there.body)).toEqual(amountsOf(here.body));
    }
    const again = { reference: 're_9', amount: 0, lines: unit };
    const [first] = ids;
    const more = await target.post(`/v1/orders/${first}/refunds?preview=true`, again, headers);
    const same = await source.post(`/v1/orders/${first}/refunds?preview=true`, again);
    expect(amountsOf(more.body)).toMatchObject({ amount_credited: amountsOf(same.body)['amount_credited'] });
  });

  it('has an order with the account of its e-mail when the store that imports it lacks its own account', async () => {
    const { store } = source;
    const grace = await store.customer({ email: 'grace@example.com' });
    const order = await store.order({ customer_id: grace, customer_email: 'grace@example.com' });
    const [line] = (await exported(store.subdomain, { only: ['order'] })).filter(
      (each) => 'id' in each && each.id === order,
    );
    const elsewhere = await target.store.customer({ email: 'grace@example.com' });

    await into.target.importLines({ ...line, store: target.store.subdomain } as BundleLine);

    const { data } = (await target.get(`/v1/orders/${order}`)).json<{ data: unknown }>();
    expect(data).toMatchObject({ customer: { id: elsewhere } });
  });
});

/**
 * What the import of an exported order sets to another value, and why. A table without a column is not in the bundle.
 */
const NOT_IN_THE_BUNDLE: Readonly<Record<string, string>> = {
  stock_movements: 'the bundle has the quantities, and the copy begins its own ledger',
  idempotency_keys: 'the requests were made to the other installation',
  'orders.cancellation_fee': 'only a cancelled order has one: the amounts of each order are above',
  'orders.placed': 'the copy is imported',
  'orders.charges_given': 'the service does not charge an imported order again',
  'orders.placed_by': 'the key belongs to the other installation',
  'orders.imported_at': 'the time of the import',
  'bookings.id': 'counts the bookings of the database, in the order of the bundle',
  'bookings.event': 'the bundle names no event of a booking',
  'bookings.is_test': 'that of the order',
  'order_stages.run_at': 'no stage is due: an import sends no mail',
  'order_stages.locked_until': 'no worker holds a stage',
  'order_stages.notified': 'no stage is attempted again by itself',
  'order_stages.dismissed': 'a failed mail is a dead letter of the other installation',
  'fraud_assessments.created_at': 'the time of the order',
  'shipment_items.bin_id': 'an imported order took nothing from bins',
  'returned_units.bin_id': 'an imported order took nothing from bins',
  'cancelled_units.bin_id': 'an imported order took nothing from bins',
  'cancelled_units.event': 'the event of the copy',
  'order_events.id': 'counts the events of the database, in the order of the bundle',
  'order_events.transaction': 'that of the import',
  'shipments.request_hash': 'the requests were made to the other installation',
  'payments.request_hash': 'the requests were made to the other installation',
  'refunds.request_hash': 'the requests were made to the other installation',
};

interface Column {
  readonly table: string;
  readonly column: string;
  readonly preset: string | null;
}

const COLUMNS_OF_ORDERS = `
  SELECT table_name AS table, column_name AS column, column_default AS preset FROM information_schema.columns AS item
  WHERE table_schema = 'public' AND column_name <> 'store_id' AND (table_name = 'orders' OR EXISTS (
    SELECT FROM information_schema.columns AS other WHERE other.table_schema = item.table_schema
      AND other.table_name = item.table_name AND other.column_name = 'order_id'))
  ORDER BY table_name, column_name`;

describe('the life of an order', () => {
  it('is in the bundle with each column of each of its tables, except those that are listed with their reason', async () => {
    const store = 'columns';
    const product = { kind: 'product', store, slug: 'p', sku: 'P', name: 'P', price: '5' } as const;
    const company = {
      ...{ company: 'Lovelace Engines Ltd', vat_id: 'GB123456789', groups: ['wholesale', 'eu'] },
      addresses: [{ label: 'Warehouse', city: 'Turin', country: 'IT' }, { address: '12 Harbor Street' }],
      contacts: [{ name: 'Grace', email: 'Grace@example.com', phone: '+1 5', role: 'buyer' }, { name: 'Bob' }],
    };
    await into.source.importLines(
      { kind: 'store', subdomain: store, name: 'C', currency: 'USD' },
      { kind: 'warehouse', store, code: 'W', name: 'W' },
      { kind: 'bin', store, warehouse: 'W', code: 'B' },
      { ...product, variants: [{ sku: 'V', name: 'V', attributes: { Size: '1' } }] },
      { kind: 'stock', store, bin: 'W/B', product: 'p', variant: 'V', quantity: 20 },
      { kind: 'customer', store, name: 'Ada', email: 'ada@example.com', payment_terms_days: 30, ...company },
    );
    const key = await keyOf(source, store);
    await source.database.query(`UPDATE api_keys SET name = 'erp'`);
    const metadata = { erp_id: '4711' };
    const item = { ...(await sellable(store)), quantity: 3, metadata };
    const customer = { name: 'Ada', email: 'ada@example.com', phone: '+1 5', ...ADDRESS };
    const placed = {
      items: [item, { ...item, quantity: 2 }],
      customer,
      notes: 'Ring twice',
      metadata,
      payment_terms_days: 14,
    };
    const id = await order(key, { ...placed, external_reference: 'PO-1' }, { 'idempotency-key': 'columns' });
    const change = async (path: string, payload: object) => {
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode, body } = await source.inject({
        ...{ method: 'POST', url: `/v1/orders/${id}/${path}`, payload, headers },
      });
      if (statusCode !== 201 && statusCode !== 200) throw new Error(body);
    };
    const parcel = { carrier: 'DHL', tracking_number: '1', tracking_url: 'https://dhl.example/1', notify: false };
    await change('cancel', { items: [{ line: 2, quantity: 1 }] });
    await change('payments', {
      reference: 'P-1',
      amount: 1_900,
      currency: 'USD',
      settles: true,
      method: 'card',
      fee: 49,
      payout: 'po_1',
      metadata,
    });
    await change('payments', { reference: 'P-2', amount: 2_500, currency: 'USD' });
    await change('shipments', { ...parcel, reference: 'S-1', status: 'shipped', items: [{ line: 1, quantity: 2 }] });
    await change('shipments', { ...parcel, reference: 'S-2', status: 'picking' });
    await change('notes', { text: 'Ring twice', metadata });
    await change('refunds', { reference: 'R-1', amount: 500, lines: [{ line: 1, quantity: 1 }], restock: true });
    await source.database.query(
      `UPDATE order_lines SET discount_amount = 4, price_source = 'DEALERS', tax = '[{"name": "VAT", "rate": 7.7, "amount": 18}]' WHERE order_id = $1`,
      [id],
    );
    await source.database.query(
      `UPDATE orders SET tax_amount = 19, shipping_amount = 5, discount_amount = 4, is_test = true, held_reasons = '{manual}',
         shipping_tax = '[{"name": "VAT", "rate": 7.7, "amount": 1}]', tax_included = true,
         placed_tax_lines = '[{"name": "VAT", "rate": 7.7, "amount": 37, "included": true},
           {"name": "VAT", "rate": 8.1, "amount": -19, "included": true}]',
         billing_address = shipping_address || '{"city":"Bonn"}' WHERE id = $1`,
      [id],
    );
    await source.database.query(
      `INSERT INTO bookings (store_id, is_test, at, order_id, kind, charged, credited, paid, refunded, tax_lines)
       SELECT store_id, true, now() - interval '1 day', id, 'lines', 0, 0, 0, 0,
         '[{"name": "VAT", "rate": 8.1, "amount": 19, "included": true}]' FROM orders WHERE id = $1`,
      [id],
    );
    await source.database.query(
      `UPDATE shipments SET delivered_at = shipped_at + interval '1 day' WHERE order_id = $1`,
      [id],
    );
    await source.database.query(
      `UPDATE fraud_assessments SET reasons = '[{"rule":"amount_over_limit","score":50}]' WHERE order_id = $1`,
      [id],
    );
    await source.database.query(
      `UPDATE order_stages SET state = 'dead', outcome = 'failed', attempts = 3, last_error = 'SMTP_451', updated_at = now() - interval '1 h'
       WHERE order_id = $1`,
      [id],
    );
    const columns = (await source.database.query<Column>(COLUMNS_OF_ORDERS)).filter(
      ({ table, column }) => !(table in NOT_IN_THE_BUNDLE) && !(`${table}.${column}` in NOT_IN_THE_BUNDLE),
    );

    await into.target.importLines(...(await exported(store)));

    const lost: string[] = [];
    for (const { table, column, preset } of columns) {
      const name = table === 'orders' ? 'id' : 'order_id';
      // Orders that are placed here have no rows for the first two stages.
      const rows = `FROM ${table} WHERE ${name} = $1 ${table === 'order_stages' ? `AND stage LIKE 'notify-%'` : ''}`;
      const values = `SELECT ${column}::text AS value ${rows} ORDER BY to_jsonb(${table}) ->> 'number', ${column}::text`;
      const [there, here] = await Promise.all([target, source].map(({ database }) => database.query(values, [id])));
      const telling = `SELECT FROM (SELECT ${column} AS value ${rows}) AS item WHERE value IS DISTINCT FROM ${preset ?? 'NULL'}`;
      const isTold = (await source.database.query<object>(telling, [id])).length > 0;
      if (!isTold) lost.push(`${table}.${column} has no value that shows whether it is copied`);
      else if (JSON.stringify(there) !== JSON.stringify(here)) lost.push(`${table}.${column} is another`);
    }
    expect(lost).toEqual([]);
    const account = `SELECT payment_terms_days, company, vat_id, groups, addresses, contacts
      FROM customers JOIN stores ON stores.id = store_id WHERE subdomain = $1`;
    expect(await target.database.query(account, [store])).toEqual([{ payment_terms_days: 30, ...company }]);
    expect(columns.length).toBeGreaterThan(60);
  });

  it('lists no exception that is not there', async () => {
    const columns = await source.database.query<Column>(COLUMNS_OF_ORDERS);
    const names = new Set(columns.flatMap(({ table, column }) => [table, `${table}.${column}`]));

    expect(Object.keys(NOT_IN_THE_BUNDLE).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('the export of a running store', () => {
  it('is one snapshot: what the orders took is missing from the stock', async () => {
    const product = await source.store.product({ stock: 500 });
    let isOver = false;
    const buying = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) await order(source.store.key, anOrderBody(product));
      }),
    );
    await eventually(async () => expect(await source.store.onHand(product)).toBeLessThan(500));

    const lines = await exported(source.store.subdomain).finally(() => (isOver = true));
    await buying;

    const slug = lines.flatMap((line) => (line.kind === 'product' && line.id === product ? [line.slug] : []))[0];
    const stock = lines.flatMap((line) => (line.kind === 'stock' && line.product === slug ? [line.quantity] : []));
    const sold = lines.flatMap((line) => (line.kind === 'order' ? (line.line_items ?? []) : []));
    expect((stock[0] ?? 0) + sold.filter((item) => item.product === slug).length).toBe(500);
    expect(stock[0]).toBeLessThan(500);
  });

  it('holds what changed since a time, by kind', async () => {
    const store = 'since';
    const early = '2026-03-01T00:00:00.000Z';
    const orders = ['OLD', 'MOVED', 'NOTIFIED'].map((receipt_number): Extract<BundleLine, { kind: 'order' }> => ({
      ...{ kind: 'order', store, receipt_number, source: 'POS', status: 'SUCCEEDED' },
      ...{ fulfillment_status: 'DELIVERED', payment_method: 'CASH', currency: 'USD', amount: 1, total_amount: 1 },
      ...{ created_at: early, pipeline: [{ stage: 'notify-merchant', state: 'done', attempts: 1, at: early }] },
    }));
    await into.source.importLines(...aStoreBundle(store).filter(({ kind }) => kind !== 'order'), ...orders);
    const scope = `store_id = (SELECT id FROM stores WHERE subdomain = '${store}')`;
    const [{ since } = { since: new Date() }] = await source.database.query<{ since: Date }>(
      'SELECT clock_timestamp() AS since',
    );
    const shared = { store: 1, warehouse: 1, bin: 1, brand: 1, category: 2 };
    const countsOf = (lines: readonly BundleLine[]) => {
      const counts: Record<string, number> = {};
      for (const { kind } of lines) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    };
    expect(countsOf(await exported(store, { since }))).toEqual(shared);

    const [product] = aStoreBundle(store).filter((line) => line.kind === 'product');
    const [variant] = (product?.kind === 'product' && product.variants) || [];
    if (product?.kind !== 'product' || !variant) throw new Error('The scene has no such product');
    await into.source.importLines(
      { ...product, variants: [{ ...variant, price: '9' }] },
      { kind: 'customer', store, name: 'Ada', email: 'ada@example.com', city: 'Turin' },
      { kind: 'stock', store, bin: 'MAIN/A-1', product: product.slug, variant: variant.sku, quantity: 3 },
      ...orders,
    );
    await source.database.query(`UPDATE orders SET notes = 'moved' WHERE ${scope} AND receipt_number = 'MOVED'`);
    await source.database.query(
      `UPDATE order_stages SET attempts = 2
       WHERE ${scope} AND order_id = (SELECT id FROM orders WHERE ${scope} AND receipt_number = 'NOTIFIED')`,
    );

    const lines = await exported(store, { since });
    expect(countsOf(lines)).toEqual({ ...shared, product: 1, customer: 1, stock: 1, order: 2 });
    expect(lines.flatMap((line) => (line.kind === 'order' ? [line.receipt_number] : [])).sort()).toEqual([
      'MOVED',
      'NOTIFIED',
    ]);
    expect(countsOf(await exported(store, { since, only: ['order', 'stock'] }))).toEqual({ order: 2, stock: 1 });
  });
});

describe('cli export', () => {
  it('writes a compressed file that only its owner can read, and says what it holds', async () => {
    const file = path.join(directory, 'orders.ndjson.gz');
    const options = ['--only', 'orders', '--only', 'products', '--since', '2026-11-01T00:00:00Z'];

    const { code, json, stderr } = await cli(['export', '--store', 'larkmoor', ...options, file]);

    const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
    expect(code).toBe(0);
    const count = { product: expect.any(Number) as number, order: expect.any(Number) as number };
    expect(json).toMatchObject({ file, store: 'larkmoor', since: '2026-11-01T00:00:00.000Z', lines: count });
    expect(stderr).toBe(`Wrote ${lines.length} lines of store larkmoor to ${file}.\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await cli(['import', '--dry-run', file])).toMatchObject({ code: 0, json: { lines: lines.length } });
  });

  it('overwrites no file, and leaves none behind when it fails', async () => {
    const file = path.join(directory, 'orders.ndjson.gz');
    const before = readFileSync(file);
    const present = readdirSync(directory);
    const [taken, unknown] = await Promise.all([
      cli(['export', '--store', 'larkmoor', file]),
      cli(['export', '--store', 'nowhere', path.join(directory, 'none.ndjson')]),
    ]);
    const cut = writeStoreExport(source.database.url, 'larkmoor', path.join(directory, 'cut.ndjson'), {
      signal: AbortSignal.abort(),
    });

    await expect(cut).rejects.toThrow();
    expect(taken).toMatchObject({ code: 1, stdout: '', stderr: `error: The file ${file} already exists.\n` });
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/^error: Store nowhere not found\nLooked in the database of DATABASE_URL\.\n$/);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(directory)).toEqual(present);
  });

  it('fails, and names the row, when a row does not fit into a line', async () => {
    const id = await source.store.order({ notes: 'secret '.repeat(2_000) });

    const file = path.join(directory, 'unfit.ndjson');
    const { code, stderr } = await cli(['export', '--store', source.store.subdomain, file]);

    await source.database.query('DELETE FROM orders WHERE id = $1', [id]);
    expect([code, stderr]).toEqual([
      1,
      `error: The order ${id} cannot be a line of a store bundle: order.notes must have at most 10000 characters.\n`,
    ]);
  });
});

/** Removes times: the target has the records only since the import. */
function withoutTimes(answers: Record<string, string>): Record<string, string> {
  const withoutTime = (body: string) => body.replaceAll(/"updated_at":"[^"]*"/g, '"updated_at":""');
  return Object.fromEntries(Object.entries(answers).map(([path, body]) => [path, withoutTime(body)]));
}

/** Adjusts the answers to the bins and the key of the other installation. */
function asImported(answers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(answers);
  const placedBy = '"placed_by":{"type":"system","id":"","name":""}';
  return Object.fromEntries(
    entries.map(([route, body]) => [
      route,
      body.replace(/"allocations":\[\{.*?\}\]/g, '"allocations":[]').replace(/"placed_by":\{.*?\}/g, placedBy),
    ]),
  );
}

function moved(line: BundleLine): object {
  return line.kind === 'store' ? { subdomain: 'moved' } : { store: 'moved' };
}
