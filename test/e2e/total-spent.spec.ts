import type { BundleLine } from '@app/bundles';
import { eventually } from '../support/eventually.js';
import { bundleImports } from '../support/bundle-imports.js';
import { commandLine } from '../support/command-line.js';
import { FeedReader } from '../support/feed-reader.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const BEFORE = 5_000;

let api: RunningApi;
let mug: number;
beforeAll(async () => {
  api = await startApi();
  mug = await api.store.product({ price: 1_000, stock: 1_000 });
});
afterAll(() => api.stop());
const orders = new OrdersClient(() => api);
const { importLines } = bundleImports(() => api.database);
const { cli } = commandLine(() => api.database);

let serial = 0;
async function aCustomer() {
  const email = `spender-${++serial}@example.com`;
  const id = await api.store.customer({ email, total_spent: BEFORE });
  const spent = async () => (await api.get(`/v1/customers/${id}`)).json<{ data: { total_spent: number } }>().data;
  return { id, email, spent: async () => (await spent()).total_spent };
}

/** Places an order over 30.00 USD. Returns its id. */
async function place(email: string, headers?: Record<string, string>): Promise<string> {
  const customer = { name: 'Ada', email };
  return (await orders.create({ items: [{ product_id: mug, quantity: 3 }], customer }, headers)).order_id;
}

async function record(id: string, path: 'payments' | 'refunds', body: object, headers?: Record<string, string>) {
  const more = path === 'payments' ? { currency: 'USD' } : { notify: false };
  return (await api.post(`/v1/orders/${id}/${path}`, { ...body, ...more }, headers)).statusCode;
}

describe('total_spent', () => {
  it('adds payments and subtracts refunds, each once, and moves the record in the feed', async () => {
    const { id, email, spent } = await aCustomer();
    const order = await place(email);
    const feed = new FeedReader(api, 'kinds=customers&limit=100');
    const changes: [path: 'payments' | 'refunds', body: object, status: number, spent: number][] = [
      ['payments', { reference: 'pi_1', amount: 1_000, partial: true }, 201, 6_000],
      ['payments', { reference: 'pi_1', amount: 1_000, partial: true }, 201, 6_000],
      ['payments', { reference: 'pi_2', amount: 1_234 }, 422, 6_000],
      ['payments', { reference: 'pi_3', amount: 1_900, settles: true }, 201, 7_900],
      ['refunds', { reference: 're_1', amount: 500 }, 201, 7_400],
      ['refunds', { reference: 're_1', amount: 500 }, 201, 7_400],
      ['refunds', { reference: 're_2', amount: 0 }, 201, 7_400],
    ];
    await feed.catchUp();
    for (const [path, body, status, after] of changes) {
      const before = await spent();
      expect([await record(order, path, body), await spent()]).toEqual([status, after]);
      expect(await feed.catchUp()).toEqual(before === after ? [] : [`customers ${id}`]);
    }
    expect(feed.copy.get(`customers ${id}`)?.data).toMatchObject({ total_spent: 7_400 });
  });

  it('leaves out test orders, other currencies, statuses without a record and orders without a customer', async () => {
    const { email, spent } = await aCustomer();
    const testKey = { authorization: `Bearer ${await api.store.createKey('test')}` };
    const pay = { reference: 'pi_1', amount: 3_000 };
    const refund = { reference: 're_1', amount: 100 };
    const test = await place(email, testKey);
    const guest = await place('guest@example.com');
    const byHand = await place(email);
    await importLines(anOrder(email, { receipt_number: 'POS-EUR', currency: 'EUR' }));
    await cli(['orders', 'set-status', byHand, '--status', 'SUCCEEDED']);

    expect(await record(test, 'payments', pay, testKey)).toBe(201);
    expect(await record(guest, 'payments', pay)).toBe(201);
    expect(await record('POS-EUR', 'refunds', refund)).toBe(201);
    expect(await spent()).toBe(BEFORE);
  });

  it('is what the line of the customer gives, whatever imported orders were paid, and can fall below 0', async () => {
    const { email, spent } = await aCustomer();
    const payments = [{ reference: 'pi_1', amount: 1_000, at: '2026-01-02T03:04:05.000Z' }];
    const line = { kind: 'customer', store: api.store.subdomain, name: 'Ada', email } as const;

    await importLines({ ...line, total_spent: 300 }, anOrder(email, { receipt_number: 'POS-PAID', payments }));
    expect(await spent()).toBe(300);
    await record('POS-PAID', 'refunds', { reference: 're_1', amount: 1_000 });
    await importLines({ ...line, city: 'Portland' });
    expect(await spent()).toBe(-700);
    await importLines({ ...line, total_spent: -200 });
    expect(await spent()).toBe(-200);
  });

  it('stays an integer that answers can show', async () => {
    const { id, email, spent } = await aCustomer();
    const most = Number.MAX_SAFE_INTEGER;
    await api.database.query('UPDATE customers SET total_spent = $2 WHERE id = $1', [id, most - 1]);

    await record(await place(email), 'payments', { reference: 'pi_1', amount: 3_000 });

    expect(await spent()).toBe(most);
  });

  it('is kept by an erasure, which waits for a refund and does not deadlock with it', async () => {
    const { email, spent } = await aCustomer();
    const order = await aShippedOrder(email);

    const stock = await openTransaction(api.database, 'UPDATE stock SET quantity = quantity');
    const before = await deadlocks();
    const refunded = refund(order);
    await waits(1);
    const erasing = cli(['customers', 'erase', email, '--store', api.store.subdomain, '--force', '--yes']);
    await waits(2);
    await stock.query('COMMIT');
    await stock.end();

    expect(await refunded).toBe(201);
    expect(await erasing).toMatchObject({ code: 0, json: { customers: 1, orders: 1 } });
    expect([await deadlocks(), await spent()]).toEqual([before, BEFORE + 2_900]);
  });

  it('does not deadlock with an import of its stock and its customer', async () => {
    const { email, spent } = await aCustomer();
    const order = await aShippedOrder(email);
    const store = api.store.subdomain;
    const [at] = await api.database.query<{ bin: string; slug: string }>(
      `SELECT warehouses.code || '/' || bins.code AS bin, slug FROM stock JOIN products ON products.id = product_id
       JOIN bins ON bins.id = bin_id JOIN warehouses ON warehouses.id = warehouse_id WHERE product_id = $1`,
      [mug],
    );
    const { bin = '', slug: product = '' } = at ?? {};
    await importLines({ kind: 'brand', store, slug: 'globex', name: 'Globex' });

    // The import holds the stock, and comes to the customer when the brand is free.
    const held = await openTransaction(api.database, `UPDATE brands SET name = 'Held'`);
    const importing = importLines(
      { kind: 'brand', store, slug: 'globex', name: 'Globe' },
      { kind: 'customer', store, name: 'Ada', email, city: 'Portland' },
      { kind: 'stock', store, bin, product, quantity: 500 },
    );
    await waits(1);
    const before = await deadlocks();
    const refunded = refund(order);
    await waits(2);
    await held.query('COMMIT');
    await held.end();

    expect(await refunded).toBe(201);
    expect(await importing).toMatchObject({ counts: { customer: { updated: 1 } } });
    expect([await deadlocks(), await spent()]).toEqual([before, BEFORE + 2_900]);
  });
});

/** Places an order that is paid completely and delivered. */
async function aShippedOrder(email: string): Promise<string> {
  const id = await place(email);
  await record(id, 'payments', { reference: 'pi_1', amount: 3_000 });
  await api.post(`/v1/orders/${id}/shipments`, { reference: 'S-1', status: 'shipped', notify: false });
  return id;
}

const refund = (id: string) => record(id, 'refunds', { reference: 're_1', amount: 100, restock: true });

const waits = (count: number) => eventually(async () => expect(await lockWaits(api.database)).toBe(count));

async function deadlocks(): Promise<number | undefined> {
  const [row] = await api.database.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks;
}

function anOrder(email: string, more: Partial<BundleLine & { kind: 'order' }>): BundleLine {
  return {
    ...{ kind: 'order', store: api.store.subdomain, source: 'POS', payment_method: 'CASH', currency: 'USD' },
    ...{ status: 'SUCCEEDED', fulfillment_status: 'DELIVERED', amount: 1_000, total_amount: 1_000 },
    ...{ customer_email: email, created_at: '2026-01-02T03:04:05.000Z' },
    ...{ receipt_number: 'POS-1', ...more },
  };
}
