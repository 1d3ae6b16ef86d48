import {
  allSkus,
  followSkus,
  newOrders,
  orderByReference,
  placeOnce,
  type Outcome,
  type Sku,
} from '../../examples/typescript-client/erp.js';
import { storeClient } from '../../examples/typescript-client/store.js';
import { anOrderBody } from '../builders/order-body.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ORDERS = 250;
const SKUS = 205;

describe('the recipes for an ERP', () => {
  let api: RunningApi;
  let address: string;
  let mug: number;
  let scarce: number;
  let serial = 0;
  beforeAll(async () => {
    api = await startApi();
    address = `http://127.0.0.1:${await listen(api.app)}`;
    mug = await api.store.product({ sku: 'MUG', stock: 1_000 });
    scarce = await api.store.product({ sku: 'SCARCE', stock: 5 });
    const placedAt = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));
    for (let n = 0; n < ORDERS; n++) await api.store.order({ created_at: placedAt(n) });
    for (let n = 0; n < SKUS; n++) await api.store.product({ sku: `S-${String(n).padStart(3, '0')}`, stock: n });
  });
  afterAll(() => api.stop());

  /** A client that counts its requests. `meddle` runs before the nth is sent, and may replace its answer. */
  const aClient = (meddle: (nth: number, request: Request) => Promise<Response | void> = () => Promise.resolve()) => {
    const counted = { requests: 0 };
    const send = async (request: Request) => (await meddle(++counted.requests, request)) ?? fetch(request);
    return { client: storeClient(address, api.store.key, { send, firstWaitMs: 1 }), counted };
  };
  const idsOf = async (orders: AsyncIterable<{ id: string }>) => {
    const ids = [];
    for await (const { id } of orders) ids.push(id);
    return ids;
  };
  const aReference = () => `PO-${++serial}`;
  const orderOf = (external_reference: string, quantity = 1, product = mug) => ({
    ...anOrderBody(product, quantity),
    external_reference,
  });
  const storedWith = (reference: string) =>
    api.database.query('SELECT id FROM orders WHERE store_id = $1 AND external_reference = $2', [
      api.store.id,
      reference,
    ]);

  describe('a full synchronization', () => {
    it('reads every SKU once with its stock, 100 per request', async () => {
      const { client, counted } = aClient();

      const stock = new Map<string, number>();
      for await (const { sku, quantity } of allSkus(client)) stock.set(sku, quantity);

      expect(counted.requests).toBe(3);
      expect(stock.size).toBe(SKUS + 2);
      expect([stock.get('S-000'), stock.get('S-204')]).toEqual([0, 204]);
    });

    it('reads a SKU that moves to an earlier page in the meantime', async () => {
      const moved = await api.store.product({ sku: 'Z-LAST' });
      const { client } = aClient(async (nth) => {
        if (nth === 2) await api.database.query(`UPDATE products SET sku = 'A-FIRST' WHERE id = $1`, [moved]);
      });

      const read: number[] = [];
      for await (const { product_id } of allSkus(client)) read.push(product_id);

      expect(read.filter((id) => id === moved)).toHaveLength(1);
      expect(read).toHaveLength(new Set(read).size);
    });

    it('reads every order once', async () => {
      const { client, counted } = aClient();

      const ids = await idsOf(newOrders(client, new Set()));

      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThanOrEqual(ORDERS);
      expect(counted.requests).toBe(Math.ceil(ids.length / 100));
    });
  });

  describe('following stock and prices', () => {
    it('reads all SKUs, then only those that change, until they are gone', async () => {
      const { client, counted } = aClient();
      const skus = new Map<string, Sku>();
      const product = await api.store.product({ sku: 'FOLLOWED', stock: 9 });

      let cursor = await followSkus(client, skus);
      const listed = new Set<string>();
      for await (const { sku } of allSkus(client)) listed.add(sku);
      expect(new Set([...skus.values()].map(({ sku }) => sku))).toEqual(listed);

      counted.requests = 0;
      await api.post('/v1/orders', anOrderBody(product, 2));
      cursor = await followSkus(client, skus, cursor);
      expect([counted.requests, skus.get(`${product}`)?.quantity]).toEqual([1, 7]);

      await api.database.query(`UPDATE products SET status = 'ARCHIVED' WHERE id = $1`, [product]);
      await followSkus(client, skus, cursor);
      expect(skus.has(`${product}`)).toBe(false);
    });

    it('begins again when the service lost changes that it has read', async () => {
      const { client } = aClient();
      const skus = new Map<string, Sku>();
      const cursor = await followSkus(client, skus);
      const size = skus.size;
      skus.set('1-1', skus.values().next().value as Sku);
      await api.database.query('DELETE FROM change_forks; DELETE FROM change_branches');

      await followSkus(client, skus, cursor);

      expect([skus.size, skus.has('1-1')]).toEqual([size, false]);
    });
  });

  describe('a poll', () => {
    it('is one request when no order or few orders are new', async () => {
      const { client, counted } = aClient();
      const known = new Set<string>();
      await idsOf(newOrders(client, known));
      const id = await api.store.order();
      counted.requests = 0;

      expect(await idsOf(newOrders(client, known))).toEqual([id]);
      expect(await idsOf(newOrders(client, known))).toEqual([]);
      expect(counted.requests).toBe(2);
    });

    it('finds an order that is dated before all others, once', async () => {
      const { client } = aClient();
      const known = new Set<string>();
      await idsOf(newOrders(client, known));
      const late = await api.store.order({ created_at: new Date(0) });

      expect(await idsOf(newOrders(client, known))).toEqual([late]);
      expect(await idsOf(newOrders(client, known))).toEqual([]);
    });

    it('misses no order that is placed while it reads', async () => {
      const placed: string[] = [];
      const { client } = aClient(async (nth) => {
        if (nth <= 3) placed.push(await api.store.order());
      });
      const known = new Set<string>();

      await idsOf(newOrders(client, known));
      await idsOf(newOrders(client, known));

      expect([...known]).toEqual(expect.arrayContaining(placed));
    });
  });

  describe('placing an order', () => {
    it.each([
      ['no answer', () => Promise.reject(new TypeError('fetch failed'))],
      ['409', () => Promise.resolve(new Response('{}', { status: 409 }))],
      ['503', () => Promise.resolve(new Response('{}', { status: 503 }))],
    ])('repeats the request after %s, and places one order', async (_case, answer) => {
      const reference = aReference();
      const { client, counted } = aClient(async (nth, request) => {
        if (nth > 2) return undefined;
        await fetch(request.clone());
        return answer();
      });

      const outcome = await placeOnce(client, orderOf(reference));

      expect(counted.requests).toBe(3);
      const [order] = await storedWith(reference);
      expect(outcome).toMatchObject({ result: 'placed', orderId: order?.['id'] });
    });

    it('finds the order of an earlier call whose answer never came', async () => {
      const reference = aReference();
      const deaf = aClient(async (_nth, request) => {
        await fetch(request.clone());
        throw new TypeError('fetch failed');
      });
      await expect(placeOnce(deaf.client, orderOf(reference))).rejects.toThrow('fetch failed');

      const outcome = await placeOnce(aClient().client, orderOf(reference));

      const orders = await storedWith(reference);
      expect(orders).toHaveLength(1);
      expect(outcome).toMatchObject({ result: 'placed', orderId: orders[0]?.['id'] });
    });

    it.each<[string, number, Partial<Outcome>]>([
      ['short stock', 6, { result: 'refused', code: 'out_of_stock' }],
      ['a fault of the body', 0, { result: 'refused', code: 'invalid_request' }],
    ])('refuses after one request for %s', async (_case, quantity, expected) => {
      const { client, counted } = aClient();

      expect(await placeOnce(client, orderOf(aReference(), quantity, scarce))).toMatchObject(expected);
      expect(counted.requests).toBe(1);
    });

    it('refuses the reference of another purchase', async () => {
      const reference = aReference();
      const { client } = aClient();
      await placeOnce(client, orderOf(reference, 2));

      const outcome = await placeOnce(client, orderOf(reference, 3));

      expect(outcome).toMatchObject({ result: 'refused', code: 'external_reference_taken' });
    });

    it('throws for a key that may not write', async () => {
      const client = storeClient(address, await api.store.createKey('live', 'read'));

      await expect(placeOnce(client, orderOf(aReference()))).rejects.toMatchObject({
        status: 403,
        code: 'insufficient_scope',
      });
    });
  });

  describe('reading back by reference', () => {
    it('finds the live and the test order with a number, and neither without', async () => {
      const reference = aReference();
      const testKey = await api.store.createKey('test');
      await api.post('/v1/orders', orderOf(reference, 1));
      await api.post('/v1/orders', orderOf(reference, 2), { authorization: `Bearer ${testKey}` });
      const { client } = aClient();

      expect((await orderByReference(client, reference))?.line_items[0]?.quantity).toBe(1);
      expect((await orderByReference(client, reference, { isTest: true }))?.line_items[0]?.quantity).toBe(2);
      expect(await orderByReference(client, aReference())).toBeNull();
    });
  });
});
