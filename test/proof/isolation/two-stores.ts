import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../../builders/store-fixture.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { Random } from '../support/proof.js';

/** Occurs in every text of the other store. Anywhere else, it is a leak. */
const MARK = 'zqtheirs';

export interface Reference {
  readonly kind: string;
  readonly theirs: string;
  /** Has the length of the other value, so that answers that repeat it have equal lengths. */
  readonly unknown: string;
}

export interface TwoStores {
  readonly mine: StoreFixture;
  readonly theirs: StoreFixture;
  readonly mark: string;
  readonly references: ReadonlyMap<string, Reference>;
  readonly own: Readonly<Record<string, string | number>>;
  readonly product: number;
  /** An order of the other store that no worker changes any more. */
  readonly settledOrder: string;
}

const OLD = '2026-01-01T00:00:00Z';
const PAYMENT = `WITH event AS (
    INSERT INTO order_events (store_id, order_id, actor_type, event, reference) VALUES ($1, $2, 'system', 'payment_recorded', $3)
  ) INSERT INTO payments (store_id, order_id, reference, number, amount, at) VALUES ($1, $2, $3, 1, 1, $4)`;
const NUMBERED = ['products', 'product_variants', 'categories', 'brands', 'warehouses', 'bins', 'stores'];

export async function openTwoStores(database: TestDatabase, random: Random): Promise<TwoStores> {
  const mark = `${MARK}${String(random(1_000_000)).padStart(6, '0')}`;
  const mine = await StoreFixture.create(database);
  const product = await mine.product({ stock: 1_000_000 });
  const order = await mine.order({ source: 'WEBSITE', status: 'PENDING', fulfillment_status: 'PENDING' });
  const own = {
    '/v1/orders/:id': order,
    '/v1/orders/:id/history': order,
    '/v1/products/:idOrSlug': product,
    '/v1/customers/:id': await mine.customer(),
    '/v1/customers/:id/personal-data': await mine.customer({ email: 'mine@example.com' }),
    '/v1/categories/:idOrSlug': await mine.category(),
    '/v1/brands/:idOrSlug': await mine.brand(),
    '/v1/price-lists/:code': await mine.priceList(),
    // This comes after all changes: otherwise, its lag differs between two answers.
    '/v1/webhooks/:id': await mine.webhook({ position: 1_000_000 }),
  };
  await apart(database);
  const theirs = await StoreFixture.create(database);
  const references = await fill(database, theirs, mark);
  const settledOrder = references.get('order')?.theirs ?? '';
  await settle(database, theirs.id, settledOrder);
  return { mine, theirs, mark, references, own, product, settledOrder };
}

/** No id of the other store may also be an id of the first store, in any table. */
async function apart(database: TestDatabase): Promise<void> {
  for (const [index, table] of NUMBERED.entries()) {
    await database.query(
      `SELECT setval(pg_get_serial_sequence($1, 'id'), greatest($2, nextval(pg_get_serial_sequence($1, 'id'))))`,
      [table, (index + 1) * 10_000_000],
    );
  }
}

async function fill(database: TestDatabase, store: StoreFixture, mark: string): Promise<Map<string, Reference>> {
  const named = (what: string) => ({ name: `${mark} ${what}`, slug: `${mark}-${what}` });
  const brand = await store.brand(named('brand'));
  const category = await store.category(named('category'));
  const child = await store.category({ ...named('child'), parent_id: category });
  const product = await store.product({
    ...named('product'),
    sku: `${mark}-sku`,
    featured: true,
    brandId: brand,
    categoryIds: [category],
    stock: 50,
    columns: { low_stock: 99 },
  });
  await store.product({ ...named('empty'), stock: 0 });
  const draft = await store.product({ ...named('draft'), status: 'DRAFT' });
  const variant = await store.variant(product, { sku: `${mark}-variant`, name: `${mark} variant`, stock: 50 });
  const [list, group] = [await store.priceList({ code: `${mark}-list`, groups: [`${mark}-group`] }), `${mark}-group`];
  await store.listPrice(list, { productId: product, price: 900 });
  await database.query(
    `INSERT INTO quantity_rules (store_id, list, product_id, variant_key, min_quantity, step) VALUES ($1, $2, $3, 0, 2, 2)`,
    [store.id, list, product],
  );
  const [warehouse, bin] = [`${mark}-warehouse`, `${mark}-bin`];
  await database.query('UPDATE warehouses SET code = $2 WHERE store_id = $1', [store.id, warehouse]);
  await database.query('UPDATE bins SET code = $2 WHERE id = (SELECT min(id) FROM bins WHERE store_id = $1)', [
    store.id,
    bin,
  ]);
  const email = `${mark}@example.com`;
  const contact = `${mark}-buyer@example.com`;
  const customer = await store.customer({
    ...{ name: `${mark} customer`, email, status: mark, company: `${mark} company`, vat_id: `${mark}-vat` },
    ...{ groups: [group], price_list: list, contacts: JSON.stringify([{ email: contact }]) },
  });
  const receipt = `POS-${mark.toUpperCase()}`;
  const states = { status: 'REFUNDED', fulfillment_status: 'RETURNED', source: 'POS', balance: -1 };
  const keys = { receipt_number: receipt, external_reference: `${mark}-reference`, customer_name: `${mark} buyer` };
  const metadata = { erp_id: `${mark}-erp` };
  const order = await store.order({ ...keys, customer_email: email, customer_id: customer, ...states, metadata });
  await store.order({
    receipt_number: `${receipt}-2`,
    customer_name: `${mark} debtor`,
    status: 'PENDING',
    balance: 1,
    due_at: OLD,
  });
  await database.query(PAYMENT, [store.id, order, `${mark}-payment`, OLD]);
  await database.query('UPDATE stores SET name = $2, custom_domain = $3, fraud_settings = $4 WHERE id = $1', [
    store.id,
    `${mark} store`,
    `${mark}.example.com`,
    JSON.stringify({ blocked_emails: [email], blocked_phones: ['+1 555 0137'] }),
  ]);
  const [key] = await database.query<{ id: string }>('UPDATE api_keys SET name = $2 WHERE store_id = $1 RETURNING id', [
    store.id,
    `${mark} key`,
  ]);
  const numbers = { brand, category, child, product, draft, variant, bin: await store.bin(), store: store.id };
  const webhook = await store.webhook({ url: `https://${mark}.example.com/`, host: `${mark}.example.com` });
  const { id: person } = await store.session('owner');
  const columns = [store.id, `${mark} person`, `${mark}-person@example.com`];
  await database.query('UPDATE people SET name = $2, email = $3 WHERE store_id = $1', columns);
  const [session] = await database.query<{ id: string }>('SELECT id FROM api_keys WHERE person_id = $1', [person]);
  await store.row('audit_events', {
    ...{ id: uuidv7(), actor_type: 'person', actor_id: person, actor_name: `${mark} person`, address: '192.0.2.7' },
    ...{ action: 'price_list.changed', subject_kind: 'price_list', subject_id: list, subject_name: `${mark} list` },
    changes: { name: [`${mark} before`, `${mark} after`] },
  });
  const ids = { order, customer, webhook, key: key?.id ?? '', person, session: session?.id ?? '' };
  const texts = {
    receipt,
    'external reference': keys.external_reference,
    'erp id': metadata.erp_id,
    payment: `${mark}-payment`,
    email,
    'product slug': `${mark}-product`,
    'draft slug': `${mark}-draft`,
    'category slug': `${mark}-category`,
    'brand slug': `${mark}-brand`,
    sku: `${mark}-sku`,
    'variant sku': `${mark}-variant`,
    warehouse,
    'bin code': bin,
    'customer group': group,
    'price list': list,
    'vat id': `${mark}-vat`,
    'contact e-mail': contact,
    name: mark,
  };
  return new Map([
    ...Object.entries(numbers).map(([kind, id]) => reference(kind, String(id), String(id + 5_000_000))),
    ...Object.entries(ids).map(([kind, id]) => reference(kind, id, `0190b6a0-0000-7000-8000-${id.slice(24)}`)),
    ...Object.entries(texts).map(([kind, text]) =>
      reference(
        kind,
        text,
        text.replace(/zq/i, (q) => (q === 'zq' ? 'qx' : 'QX')),
      ),
    ),
  ]);
}

/** An assessment, a held stage and a mail that failed long ago, which an imported order does not have. No worker repeats them. */
async function settle(database: TestDatabase, storeId: number, orderId: string): Promise<void> {
  await database.query(
    `INSERT INTO fraud_assessments (store_id, order_id, verdict, score) VALUES ($1, $2, 'REVIEW', 50)`,
    [storeId, orderId],
  );
  await database.query(
    `INSERT INTO order_stages (store_id, order_id, stage, state) VALUES ($1, $2, 'notify-customer', 'held')`,
    [storeId, orderId],
  );
  await database.query(`UPDATE orders SET held_reasons = '{amount_over_limit}' WHERE store_id = $1 AND id = $2`, [
    storeId,
    orderId,
  ]);
  await database.query(
    `INSERT INTO order_stages (store_id, order_id, stage, state, outcome, updated_at)
     VALUES ($1, $2, 'notify-merchant', 'dead', 'failed', now() - interval '2 days')`,
    [storeId, orderId],
  );
}

function reference(kind: string, theirs: string, unknown: string): [string, Reference] {
  return [kind, { kind, theirs, unknown }];
}
