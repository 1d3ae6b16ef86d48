import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { purgeTombstones } from '@app/infrastructure';
import {
  addNote,
  cancelOrder,
  changeLines,
  changePrices,
  changes,
  changeShipment,
  changeStock,
  followOrders,
  followSkus,
  holdOrder,
  importLines,
  journal,
  type JournalEntry,
  moveOrder,
  orderByReference,
  type OrderCopy,
  orderHistory,
  ordersByMetadata,
  type Outcome,
  patchOrder,
  placeOnce,
  readOrder,
  recordPayment,
  recordRefund,
  releaseOrder,
  repeatMail,
  shipOrder,
  type Sku,
  type SkuCopy,
  storeClient,
} from '@store-commerce/client';
import { anOrderBody } from '../builders/order-body.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

/** The number exceeds a page of each list. */
const ORDERS = 150;
const SKUS = 105;

type Client = ReturnType<typeof storeClient>;

interface Posting {
  readonly account: string;
  readonly amount: number;
}

function postingsOf({ kind, charged, credited, paid, refunded, fee }: JournalEntry): Posting[] {
  const lost = kind === 'write_off' ? 'expenses:write-offs' : 'income:credits';
  const money = { 'assets:gateway': paid - refunded - fee, 'expenses:fees': fee };
  const customer = charged - credited - paid + refunded;
  const accounts = { ...money, 'assets:customers': customer, 'income:sales': -charged, [lost]: credited };
  return Object.entries(accounts).map(([account, amount]) => ({ account, amount }));
}

describe('the recipes for an ERP', () => {
  let api: RunningApi;
  let pool: pg.Pool;
  let address: string;
  let mug: number;
  let scarce: number;
  let serial = 0;
  beforeAll(async () => {
    api = await startApi();
    address = `http://127.0.0.1:${await listen(api.app)}`;
    pool = new pg.Pool({ connectionString: api.database.url, max: 2 });
    mug = await api.store.product({ sku: 'MUG', stock: 1_000 });
    scarce = await api.store.product({ sku: 'SCARCE', stock: 5 });
    const each = <T>(count: number, add: (n: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, n) => add(n)));
    await each(ORDERS, (n) => api.store.order({ created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, n)) }));
    await each(SKUS, (n) => api.store.product({ sku: `S-${n}`, stock: n }));
  });
  afterAll(async () => {
    await pool.end();
    await api.stop();
  });

  const sql = (text: string, ...values: unknown[]) => api.database.query(text, values);
  /** A client that counts its requests. `meddle` runs before the nth is sent, and may replace its answer. */
  const aClient = (meddle: (nth: number, request: Request) => Promise<Response | void> = () => Promise.resolve()) => {
    const counted = { requests: 0 };
    const send = async (request: Request) => (await meddle(++counted.requests, request)) ?? fetch(request);
    return { client: storeClient(address, api.store.key, { send, firstWaitMs: 1 }), counted };
  };
  const aReference = () => `PO-${++serial}`;
  const orderOf = (external_reference: string, quantity = 1, product = mug) => ({
    ...anOrderBody(product, quantity),
    external_reference,
  });
  const storedWith = (reference: string) =>
    sql('SELECT id FROM orders WHERE store_id = $1 AND external_reference = $2', api.store.id, reference);

  describe('reading everything and following it', () => {
    const read = async (client: Client, cursor?: string) => {
      const ids: string[] = [];
      const rewound: boolean[] = [];
      for await (const page of changes(client, 'orders', { cursor })) {
        ids.push(...page.data.map(({ id }) => id));
        rewound.push(page.rewound);
        cursor = page.cursor;
      }
      return { ids, rewound, cursor };
    };
    /** Lets cursors expire: the deletion of something that they have read is forgotten after 90 days. */
    const forget = async (text: string, id: unknown) => {
      await sql(text, id);
      // The newest deletion of a kind is never forgotten.
      await api.store.order();
      await api.store.product();
      await api.get('/v1/changes');
      await sql(`UPDATE changes SET changed_at = now() - interval '91 days' WHERE deleted`);
      await purgeTombstones(pool);
    };

    it('begins with every order once, with its lines, 100 per request', async () => {
      const placed = await api.post('/v1/orders', anOrderBody(mug, 2));
      const { order_id: placedId } = placed.json<{ data: { order_id: string } }>().data;
      const { client, counted } = aClient();
      const copy: OrderCopy = { orders: new Map(), missing: new Set() };

      await followOrders(client, copy);

      const [stored] = await sql('SELECT count(*)::int FROM orders WHERE store_id = $1', api.store.id);
      expect({ count: copy.orders.size }).toEqual(stored);
      expect(counted.requests).toBe(Math.ceil(copy.orders.size / 100));
      expect(copy.orders.get(placedId)?.line_items).toMatchObject([{ product_id: mug, quantity: 2 }]);
      expect((await read(client, copy.cursor)).ids).toEqual([]);
      expect(copy.missing.size).toBe(0);
    });

    it('begins again when the cursor has expired, and says so with the first page', async () => {
      const { client, counted } = aClient();
      const gone = await api.store.order();
      const { cursor } = await read(client);
      await forget('DELETE FROM orders WHERE id = $1', gone);
      counted.requests = 0;

      const again = await read(client, cursor);

      const pages = counted.requests - 1;
      expect(again.rewound).toEqual([true, ...Array<boolean>(pages - 1).fill(false)]);
      const everything = await read(client);
      expect(again.ids).toEqual(everything.ids);
      expect(everything.rewound).not.toContain(true);
      expect(await read(client, again.cursor)).toMatchObject({ ids: [], rewound: [false] });
    });

    it('names the orders that the service lost, also when the reading that began again was interrupted', async () => {
      const lost = await api.store.order();
      const { client, counted } = aClient((nth) =>
        Promise.resolve(nth === 102 ? new Response('{}', { status: 400 }) : undefined),
      );
      const copy: OrderCopy = { orders: new Map(), missing: new Set() };
      await followOrders(client, copy);
      await sql('DELETE FROM orders WHERE id = $1', lost);
      await sql('DELETE FROM changes WHERE entity = $1', lost);
      await sql('DELETE FROM change_log');
      await sql('DELETE FROM change_forks; DELETE FROM change_branches');
      counted.requests = 100;

      await expect(followOrders(client, copy)).rejects.toMatchObject({ status: 400 });
      expect(copy.missing.size).toBeGreaterThan(1);
      await followOrders(client, copy);

      expect([...copy.missing]).toEqual([lost]);
      expect(copy.orders.has(lost)).toBe(true);
    });

    it('reads several kinds with one cursor, and waits for the first change only', async () => {
      const asked: URLSearchParams[] = [];
      const { client } = aClient((_nth, { url }) => {
        asked.push(new URL(url).searchParams);
        return Promise.resolve();
      });
      const brand = await api.store.brand();

      const kinds = new Map<string, string>();
      for await (const { data } of changes(client, ['orders', 'brands'], { wait: 3 })) {
        for (const { id, kind } of data) kinds.set(id, kind);
      }

      expect(kinds.get(`${brand}`)).toBe('brands');
      expect([...new Set(kinds.values())].sort()).toEqual(['brands', 'orders']);
      expect(asked.map((query) => query.get('wait'))).toEqual(['3', ...Array<string>(asked.length - 1).fill('0')]);
      expect(asked.length).toBeGreaterThan(1);
    });

    describe('keeps a copy of the SKUs that', () => {
      const aCopy = async (client: Client): Promise<SkuCopy> => {
        const copy = { skus: new Map<string, Sku>() };
        await followSkus(client, copy);
        return copy;
      };

      it('has all of them, then what changes in one request, until they are gone', async () => {
        const { client, counted } = aClient();
        const product = await api.store.product({ sku: 'FOLLOWED', stock: 9 });
        const copy = await aCopy(client);
        const listed: Sku[] = [];
        for (let page = 1; page <= 3; page++) {
          listed.push(...(await api.get(`/v1/skus?limit=100&page=${page}`)).json<{ data: Sku[] }>().data);
        }
        expect(copy.skus).toEqual(new Map(listed.map((sku) => [`${sku.product_id}`, sku])));

        counted.requests = 0;
        await api.post('/v1/orders', anOrderBody(product, 2));
        await followSkus(client, copy);
        expect([counted.requests, copy.skus.get(`${product}`)?.quantity]).toEqual([1, 7]);

        await sql(`UPDATE products SET status = 'ARCHIVED' WHERE id = $1`, product);
        await followSkus(client, copy);
        expect(copy.skus.has(`${product}`)).toBe(false);
      });

      it('loses a SKU whose deletion is forgotten', async () => {
        const { client } = aClient();
        const product = await api.store.product();
        const copy = await aCopy(client);
        await forget(`UPDATE products SET status = 'ARCHIVED' WHERE id = $1`, product);

        await followSkus(client, copy);

        expect(copy.skus).toEqual((await aCopy(client)).skus);
      });

      it('continues with the page that failed', async () => {
        const { client, counted } = aClient((nth) =>
          Promise.resolve(nth === 2 ? new Response('{}', { status: 400 }) : undefined),
        );
        const copy: SkuCopy = { skus: new Map() };
        await expect(followSkus(client, copy)).rejects.toMatchObject({ status: 400 });
        expect(copy.skus.size).toBe(100);
        counted.requests = 100;

        await followSkus(client, copy);

        expect(counted.requests - 100).toBe(Math.ceil(copy.skus.size / 100) - 1);
        expect(copy.skus).toEqual((await aCopy(client)).skus);
      });
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

    it('places an order by SKU, without a confirmation, and finds it again', async () => {
      const { client } = aClient();
      const reference = aReference();
      const items = [{ sku: 'MUG', quantity: 2 }];
      const outcome = await placeOnce(client, {
        external_reference: reference,
        items,
        customer: { name: 'Ada' },
        notify: false,
      });

      const again = { external_reference: reference, items: [{ sku: 'mug', quantity: 2 }], customer: { name: 'Ada' } };
      expect(await placeOnce(client, again)).toEqual(outcome);
      const order = await orderByReference(client, reference);
      expect(order).toMatchObject({ line_items: [{ product_id: mug, quantity: 2 }] });
      expect(order?.pipeline.find(({ stage }) => stage === 'notify-customer')).toMatchObject({
        state: 'done',
        attempts: 0,
      });
    });

    it('refuses the reference of another purchase', async () => {
      const reference = aReference();
      const { client } = aClient();
      await placeOnce(client, orderOf(reference, 2));

      const outcome = await placeOnce(client, orderOf(reference, 3));

      expect(outcome).toMatchObject({ result: 'refused', code: 'external_reference_taken' });
    });
  });

  describe('the stock', () => {
    it("takes the morning's receipt once, and the night's count as of a cursor, while the shop sells on", async () => {
      const { client } = aClient();
      const shelf = await api.store.product({ sku: 'SHELF', stock: 5 });
      const order = async (quantity: number) => {
        const items = [{ product_id: shelf, quantity }];
        const placed = await placeOnce(client, { ...orderOf(aReference()), items });
        return placed.result === 'placed' ? placed.orderId : '';
      };

      const receipt = { reference: 'GR-4711', lines: [{ sku: 'SHELF', adjust: 10 }] };
      const received = await changeStock(client, receipt);
      expect(await changeStock(client, receipt)).toEqual(received);

      const waiting = await order(3);
      const copy: SkuCopy = { skus: new Map() };
      await followSkus(client, copy);
      await order(2);
      await shipOrder(client, waiting, { reference: 'SHIP-1' });
      const line = { sku: 'SHELF', counted: 14, as_of: copy.cursor, basis: 'on_hand' } as const;
      const count = await changeStock(client, { reference: 'COUNT-1', lines: [line] });

      expect(count).toMatchObject({ result: 'done', lines: [{ before: 10, after: 9, short: 0, code: '' }] });
      expect(await changeStock(client, { lines: [{ sku: 'SHELF', set: 15, expected: 14 }] })).toMatchObject({
        lines: [{ code: 'stale', after: 9 }],
      });
      expect(await changeStock(client, { reference: 'GR-4711', lines: [] })).toMatchObject({ result: 'refused' });
    });
  });

  describe('the catalog', () => {
    it('is loaded, changed every night, and loses a product that ends', async () => {
      const { client } = aClient();
      const seen = async (slug: string) => {
        const { data } = await client.GET('/v1/products/{idOrSlug}', { params: { path: { idOrSlug: slug } } });
        return data?.data;
      };
      const nightly = Array.from({ length: 600 }, (_, n) => ({ slug: `lamp-${n}`, price: '10.00' }));

      const refused = await importLines(client, [
        { kind: 'brand', slug: 'globex', name: 'Globex' },
        { kind: 'category', slug: 'lamps', name: 'Lamps' },
        ...nightly.map(({ slug, price }) => ({
          ...{ kind: 'product' as const, slug, sku: slug.toUpperCase(), name: `Lamp ${slug}`, price },
          ...{ brand: 'globex', categories: ['lamps'], metadata: { erp_id: slug } },
        })),
        { kind: 'product', slug: 'torch', name: 'Torch', price: '5.00', brand: 'unknown' },
      ]);
      expect(refused).toMatchObject([{ line: 603, error: 'brand "unknown" is not known' }]);

      await importLines(client, [
        { kind: 'product', slug: 'lamp-1', price: '12.00', featured: true },
        { kind: 'product', slug: 'lamp-2', description: 'Shines' },
      ]);
      expect(await seen('lamp-1')).toMatchObject({ price: 12, featured: true, metadata: { erp_id: 'lamp-1' } });
      expect(await seen('lamp-2')).toMatchObject({ price: 10, description: 'Shines' });

      const small = { sku: 'LAMP-4-S', name: 'Small' };
      const sizes = [small, { sku: 'LAMP-4-L', name: 'Large' }];
      await importLines(client, [{ kind: 'product', slug: 'lamp-4', variants: sizes }]);
      const { data } = await client.GET('/v1/skus', { params: { query: { sku: 'LAMP-4-L' } } });
      const large = data?.data[0]?.variant_id ?? 0;
      await importLines(client, [
        { kind: 'product', slug: 'lamp-4', variants: [{ id: large, sku: 'LAMP-4-XL', name: 'Large' }, small] },
      ]);
      expect(await seen('lamp-4')).toMatchObject({ variants: [{ id: `${large}`, sku: 'LAMP-4-XL' }, {}] });

      await importLines(client, [{ kind: 'product', slug: 'lamp-3', status: 'ARCHIVED' }]);
      expect(await seen('lamp-3')).toBeUndefined();
    });
  });

  describe('the prices', () => {
    it('are set every night, and a price that another program has changed is not overwritten unseen', async () => {
      const { client } = aClient();
      const pot = await api.store.product({ sku: 'POT', price: 1000 });
      const lines = [{ sku: 'POT', price: '12.50', expected: '10.00' }];
      const night = await changePrices(client, { reference: 'PRICES-2026-11-27-1', lines });
      expect(night).toMatchObject({ result: 'done', lines: [{ before: 10, after: 12.5, code: '' }] });
      expect(await changePrices(client, { reference: 'PRICES-2026-11-27-1', lines })).toEqual(night);

      await sql('UPDATE products SET price = 1100 WHERE id = $1', pot);
      const next = await changePrices(client, { lines: [{ sku: 'POT', price: '13.00', expected: '12.50' }] });
      const [stale] = next.result === 'done' ? next.lines : [];
      if (stale?.code !== 'stale') throw new Error('The price is not stale');
      const line = { sku: 'POT', price: '13.00', expected: stale.before };
      const decided = await changePrices(client, { lines: [line] });

      expect(decided).toMatchObject({ result: 'done', lines: [{ before: 11, after: 13, code: '' }] });
      const atomic = await changePrices(client, { atomic: true, lines: [{ sku: 'NONE', price: 1, expected: null }] });
      expect(atomic).toMatchObject({ result: 'refused', code: 'prices_refused' });
    });
  });

  describe('the price lists', () => {
    it('are created once, and have prices by quantity and rules', async () => {
      const { client } = aClient();
      await api.store.product({ sku: 'PAN', slug: 'pan', price: 1000 });
      const body = { name: 'Resellers', priority: 10, customer_groups: ['reseller'] };
      await client.PUT('/v1/price-lists/{code}', { params: { path: { code: 'RESELLER' } }, body });
      const listed = await changePrices(client, {
        list: 'RESELLER',
        lines: [
          { sku: 'PAN', price: '9.90', expected: null, min_quantity: 6, step: 6 },
          { sku: 'PAN', price: '8.90', expected: null, from_quantity: 24 },
        ],
      });
      expect(listed).toMatchObject({ result: 'done', lines: [{ after: 9.9 }, { after: 8.9 }] });
      const prices = async () =>
        (await client.GET('/v1/prices', { params: { query: { list: 'RESELLER' } } })).data?.data;
      expect(await prices()).toMatchObject([{ min_quantity: 6, step: 6, price_breaks: [{}, { from_quantity: 24 }] }]);

      const loaded = await importLines(client, [
        {
          kind: 'list_price',
          list: 'RESELLER',
          product: 'pan',
          price_breaks: [{ from_quantity: 1, price: '9.90' }],
        },
      ]);

      expect(loaded).toEqual([]);
      expect(await prices()).toMatchObject([{ min_quantity: 6, price_breaks: [{ from_quantity: 1, price: 9.9 }] }]);
    });
  });

  describe('after the order is placed', () => {
    const aPlacedOrder = async (quantity: number) => {
      const { client } = aClient();
      const customer = { name: 'Ada', email: 'ada@example.com' };
      const outcome = await placeOnce(client, { ...orderOf(aReference(), quantity), customer });
      return { client, id: outcome.result === 'placed' ? outcome.orderId : '' };
    };
    const inStock = () => api.store.onHand(mug);

    it('picks, ships in parts, delivers, and gets paid, refunded and units back', async () => {
      const { client, id } = await aPlacedOrder(3);
      const before = await inStock();

      await shipOrder(client, id, { reference: 'SHIP-1', items: [{ line: 1, quantity: 2 }], status: 'picking' });
      const parcel = { carrier: 'DHL', tracking_number: '00340434161094042557' };
      await changeShipment(client, id, 'SHIP-1', { status: 'shipped', ...parcel });
      await shipOrder(client, id, { reference: 'SHIP-2' });
      for (const reference of ['SHIP-1', 'SHIP-2'])
        await changeShipment(client, id, reference, { status: 'delivered' });

      const { total_amount, currency, ...delivered } = await readOrder(client, id);
      expect(delivered).toMatchObject({ fulfillment_status: 'DELIVERED', status: 'PENDING' });
      expect(delivered.shipments).toMatchObject([
        { ...parcel, items: [{ quantity: 2 }] },
        { items: [{ quantity: 1 }] },
      ]);

      const paid = await recordPayment(client, id, { reference: 'pi_3NX81', amount: total_amount, currency });
      const lines = [{ line: 1, quantity: 1 }];
      const part = Math.floor(total_amount / 3);
      await recordRefund(client, id, { reference: 're_81', amount: part, lines, restock: true });
      expect(paid).toMatchObject({ result: 'done', order: { status: 'SUCCEEDED', refund_due: 0 } });
      expect(await inStock()).toBe(before + 1);

      const events: string[] = [];
      for await (const { event, reference } of orderHistory(client, id)) events.push(`${event} ${reference}`.trim());
      expect(events.filter((event) => !event.startsWith('status_changed'))).toEqual([
        'placed',
        'shipment_created SHIP-1',
        'shipment_changed SHIP-1',
        'shipment_created SHIP-2',
        'shipment_changed SHIP-1',
        'shipment_changed SHIP-2',
        'payment_recorded pi_3NX81',
        'refund_recorded re_81',
      ]);
    });

    it('keeps its own fields, finds the order by them, adds a note, and has a mail sent again', async () => {
      const { client, id } = await aPlacedOrder(1);
      await shipOrder(client, id, { reference: 'SHIP-1' });
      await sql(`UPDATE order_stages SET state = 'done' WHERE order_id = $1`, id);

      await patchOrder(client, id, {
        metadata: { erp_id: '4711' },
        lines: [{ line: 1, metadata: { erp_line: '10' } }],
      });
      await addNote(client, id, 'The customer asks for gift wrapping');
      await repeatMail(client, id, { stage: 'notify-shipment', reference: 'SHIP-1' });

      expect((await ordersByMetadata(client, 'erp_id', '4711')).map((order) => order.id)).toEqual([id]);
      expect(await ordersByMetadata(client, 'erp_id', '471')).toEqual([]);
      const order = await readOrder(client, id);
      expect(order).toMatchObject({ metadata: { erp_id: '4711' }, line_items: [{ metadata: { erp_line: '10' } }] });
      expect(order.pipeline.filter(({ state }) => state === 'pending')).toMatchObject([{ stage: 'notify-shipment' }]);
    });

    it('corrects an address until something ships', async () => {
      const { client, id } = await aPlacedOrder(1);

      const corrected = await patchOrder(client, id, { shipping_address: { address2: 'Floor 4', zip: '04102' } });
      await shipOrder(client, id, { reference: 'SHIP-1' });
      const late = await patchOrder(client, id, { customer: { phone: '1' } });

      const address = { address2: 'Floor 4', zip: '04102' };
      expect(corrected).toMatchObject({ result: 'done', order: { shipping_address: address } });
      expect(late).toMatchObject({ result: 'refused', code: 'already_shipped' });
    });

    it('cancels what is paid, and learns what to refund', async () => {
      const { client, id } = await aPlacedOrder(1);
      const { total_amount, currency } = await readOrder(client, id);
      const before = await inStock();

      await recordPayment(client, id, { reference: 'pi_1', amount: total_amount, currency });
      const cancelled = await cancelOrder(client, id, { reason: 'The customer changed their mind' });
      if (cancelled.result === 'done' && cancelled.order.refund_due > 0) {
        await recordRefund(client, id, { reference: 're_1', amount: cancelled.order.refund_due });
      }

      expect(await readOrder(client, id)).toMatchObject({ status: 'REFUNDED', refund_due: 0 });
      expect(await inStock()).toBe(before + 1);
    });

    it('closes what the warehouse cannot ship, and orders a unit of it again', async () => {
      const { client } = aClient();
      const reference = aReference();
      const order = orderOf(reference, 3);
      const placed = await placeOnce(client, order);
      const id = placed.result === 'placed' ? placed.orderId : '';
      const before = await inStock();

      const gone = { items: [{ line: 1, quantity: 2 }], restock: false, reason: 'Not on the shelf' };
      await cancelOrder(client, id, gone, `${reference}/short`);
      const short = await shipOrder(client, id, { reference: 'SHIP-1' });
      const rest = { ...order, items: [{ product_id: mug, quantity: 1 }] };
      await placeOnce(client, { ...rest, external_reference: `${reference}/2` });

      await cancelOrder(client, id, gone, `${reference}/short`);
      expect(short).toMatchObject({ result: 'done', order: { fulfillment_status: 'SHIPPED' } });
      expect(await readOrder(client, id)).toMatchObject({
        line_items: [{ shipped_quantity: 1, cancelled_quantity: 2 }],
      });
      expect(await storedWith(`${reference}/2`)).toHaveLength(1);
      expect(await inStock()).toBe(before - 1);
    });

    it('gets paid in parts, of which the last leaves a cash discount', async () => {
      const { client, id } = await aPlacedOrder(1);
      const { total_amount, currency } = await readOrder(client, id);
      const [first, second] = [1, total_amount - 3];

      await recordPayment(client, id, { reference: 'BANK-1', amount: first, currency, partial: true });
      await recordPayment(client, id, { reference: 'BANK-2', amount: second, currency, settles: true });

      expect(await readOrder(client, id)).toMatchObject({ status: 'SUCCEEDED', amount_owed: total_amount - 2 });

      await recordRefund(client, id, { reference: 'CB-1', amount: first, reason: 'chargeback' });

      expect(await readOrder(client, id)).toMatchObject({ status: 'PENDING', amount_open: first });
    });

    it('is chased when it is overdue, and cancelled for a fee', async () => {
      const { client } = aClient();
      const outcome = await placeOnce(client, { ...orderOf(aReference(), 2), payment_terms_days: 0 });
      const id = outcome.result === 'placed' ? outcome.orderId : '';
      const { currency, ...order } = await readOrder(client, id);

      const overdue = await client.GET('/v1/orders', {
        params: { query: { overdue: true, is_test: false, include: ['amounts', 'due_at'] } },
      });
      const dunned = overdue.data?.data.map(({ receipt_number, amount_open, due_at }) => {
        return { receipt_number, amount_open, due_at };
      });

      const { receipt_number, total_amount, created_at } = order;
      expect(dunned).toEqual([{ receipt_number, amount_open: total_amount, due_at: created_at }]);

      await cancelOrder(client, id, { fee: 500, reason: 'Cancelled after the deadline' });
      await recordPayment(client, id, { reference: 'BANK-9', amount: 500, currency });

      expect(await readOrder(client, id)).toMatchObject({ status: 'SUCCEEDED', cancellation_fee: 500, amount_open: 0 });
    });

    it('is one of a company when a buyer of it places it', async () => {
      const { client } = aClient();
      const [acme, other] = [randomUUID(), randomUUID()];

      const wrong = await importLines(client, [
        {
          ...{ kind: 'customer', id: acme, name: 'Acme', company: 'Acme Ltd', vat_id: 'GB811', groups: ['wholesale'] },
          ...{ payment_terms_days: 30, metadata: { erp_id: 'C-17' } },
          addresses: [{ label: 'Warehouse', address: '12 Harbor Street', city: 'Portland', country: 'US' }],
          contacts: [{ name: 'Grace', email: 'grace@acme.example', role: 'buyer' }],
        },
        { kind: 'customer', id: other, name: 'Globex', price_list: 'NONE' },
      ]);
      const { data } = await client.PATCH('/v1/customers/{id}', {
        params: { path: { id: acme } },
        body: { payment_terms_days: 14, groups: ['wholesale', 'eu'] },
      });

      expect(wrong).toMatchObject([{ line: 2, error: expect.stringContaining('price_list') as string }]);
      expect(data?.data).toMatchObject({ company: 'Acme Ltd', groups: ['wholesale', 'eu'], payment_terms_days: 14 });
    });

    it.each([
      ['a shipment', (client: Client, id: string) => shipOrder(client, id, { reference: 'S' })],
      [
        'a change of a shipment',
        (client: Client, id: string) => changeShipment(client, id, 'X', { status: 'delivered' }),
      ],
    ])('makes %s once, although each answer is lost', async (_case, change) => {
      const { client, id } = await aPlacedOrder(2);
      await shipOrder(client, id, { reference: 'X', items: [{ line: 1, quantity: 1 }] });
      const deaf = aClient(async (_nth, request) => {
        await fetch(request.clone());
        throw new TypeError('fetch failed');
      });

      await expect(change(deaf.client, id)).rejects.toThrow('fetch failed');
      const events = async () => (await api.get(`/v1/orders/${id}/history`)).json<{ data: object[] }>().data;
      const before = await events();

      expect(await change(client, id)).toMatchObject({ result: 'done' });
      expect([await events(), deaf.counted.requests]).toEqual([before, 5]);
    });

    it('changes the lines of an order before they ship', async () => {
      const { client, id } = await aPlacedOrder(1);
      const reference = aReference();
      const cup = await api.store.product({ price: 250, stock: 5 });
      const { total_amount } = await readOrder(client, id);
      const total = (3 * total_amount + 500) / 100;

      const edit = { set: [{ line: 1, quantity: 3 }], add: [{ product_id: cup, quantity: 2 }], expected_total: total };
      await changeLines(client, id, edit, `${reference}/edit-1`);
      await changeLines(client, id, edit, `${reference}/edit-1`);

      const { line_items } = await readOrder(client, id);
      expect(line_items.map(({ quantity }) => quantity)).toEqual([3, 2]);
    });

    it('ships from another bin, and takes units back to a third one', async () => {
      const { client } = aClient();
      const tray = await api.store.product({ stock: 1 });
      const others = ['OVERFLOW', 'RETURNS'].map((bin) => ({ warehouse: 'MAIN', bin }));
      const lines = others.map((place, n) => ({ product_id: tray, ...place, adjust: 1 - n }));
      await changeStock(client, { lines, create_bins: true });
      const outcome = await placeOnce(client, orderOf(aReference(), 1, tray));
      const id = outcome.result === 'placed' ? outcome.orderId : '';

      const from = [{ warehouse: 'MAIN', bin: 'OVERFLOW', quantity: 1 }];
      await shipOrder(client, id, { reference: 'SHIP-1', items: [{ line: 1, quantity: 1, from }] });
      const restock_to = { warehouse: 'MAIN', bin: 'RETURNS' };
      await recordRefund(client, id, { reference: 'RET-1', amount: 0, restock: true, restock_to });

      const { data } = (await api.get(`/v1/stock?product_id=${tray}`)).json<{ data: object[] }>();
      expect(data).toMatchObject([{ quantity: 1 }, { bin: 'OVERFLOW', quantity: 0 }, { bin: 'RETURNS', quantity: 1 }]);
    });

    it('holds an order, which ships once it is released', async () => {
      const { client, id } = await aPlacedOrder(1);

      await holdOrder(client, id, 'The customer asks to wait');
      expect(await shipOrder(client, id, { reference: 'SHIP-1' })).toMatchObject({ code: 'order_held' });
      await releaseOrder(client, id);
      expect(await shipOrder(client, id, { reference: 'SHIP-1' })).toMatchObject({ result: 'done' });
    });

    it.each(['nothing', 'picking', 'shipped'] as const)('ships what it meant to ship after %s', async (recorded) => {
      const { client, id } = await aPlacedOrder(3);
      const claimed = { reference: 'SHIP-1', items: [{ line: 1, quantity: 2 }] };
      if (recorded !== 'nothing') await shipOrder(client, id, { ...claimed, status: 'picking' });
      if (recorded === 'shipped') await shipOrder(client, id, { ...claimed, carrier: 'DHL' });

      const parcel = { reference: 'SHIP-1', items: [{ line: 1, quantity: 2 }], carrier: 'DHL' };
      const shipped = await shipOrder(client, id, parcel);

      const shipment = { ...parcel, status: 'shipped' };
      expect(shipped).toMatchObject({ result: 'done', order: { shipments: [shipment] } });
    });

    it('refuses what another program has done before', async () => {
      const { client, id } = await aPlacedOrder(1);
      const confirm = { field: 'fulfillment_status', expected: 'PENDING', to: 'CONFIRMED' } as const;
      const { total_amount, currency } = await readOrder(client, id);

      expect(await moveOrder(client, id, confirm)).toMatchObject({ result: 'done' });
      expect(await moveOrder(client, id, confirm)).toMatchObject({ result: 'refused', code: 'stale' });
      await shipOrder(client, id, { reference: 'SHIP-1' });
      expect(await shipOrder(client, id, { reference: 'SHIP-2' })).toMatchObject({ code: 'already_shipped' });
      expect(await cancelOrder(client, id)).toMatchObject({ code: 'already_shipped' });
      const less = { reference: 'pi_1', amount: total_amount - 1, currency };
      expect(await recordPayment(client, id, less)).toMatchObject({ code: 'amount_mismatch' });
      expect(await shipOrder(client, randomUUID(), { reference: 'S' })).toMatchObject({ code: 'not_found' });
    });
  });

  describe('closing a month', () => {
    it('books each row of the journal once, so that the customers owe what is open', async () => {
      const shop = await api.withStore();
      for (let n = 0; n < 100; n++) await shop.store.order({ status: 'PENDING' });
      const client = storeClient(address, shop.store.key);
      const bowl = await shop.store.product({ price: 1000, stock: 3 });
      const outcome = await placeOnce(client, orderOf(aReference(), 3, bowl));
      const id = outcome.result === 'placed' ? outcome.orderId : '';
      const { total_amount, currency } = await readOrder(client, id);
      await cancelOrder(client, id, { items: [{ line: 1, quantity: 1 }] });
      const month = { from: '2026-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' };
      const ledger = new Map<string, Posting[]>();
      const read = async () => {
        for await (const entry of journal(client, month)) {
          if (!ledger.has(entry.id)) ledger.set(entry.id, postingsOf(entry));
        }
      };
      await read();
      const paid = { reference: 'pi_1', amount: Math.floor(total_amount / 3), currency, partial: true, fee: 9 };
      await recordPayment(client, id, paid);
      await read();

      const balances = new Map<string, number>();
      for (const { account, amount } of [...ledger.values()].flat()) {
        balances.set(account, (balances.get(account) ?? 0) + amount);
      }
      expect([...ledger.values()].every((rows) => rows.reduce((sum, { amount }) => sum + amount, 0) === 0)).toBe(true);
      expect(balances.get('assets:customers')).toBe(100 * 1000 + (await readOrder(client, id)).amount_open);
      expect(balances.get('expenses:fees')).toBe(9);
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
