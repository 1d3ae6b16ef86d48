import { Database, requestPool } from '@app/infrastructure';
import type pg from 'pg';
// Imports the adapters directly, because the test of searches needs no application around them.
import { PostgresProductRepository } from '../../libs/infrastructure/src/catalog/postgres-product.repository.js';
import { PostgresSkuRepository } from '../../libs/infrastructure/src/catalog/postgres-sku.repository.js';
import { PostgresCustomerRepository } from '../../libs/infrastructure/src/customers/postgres-customer.repository.js';
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { Conditions } from '../../libs/infrastructure/src/lists/conditions.js';
import { containingTerm } from '../../libs/infrastructure/src/lists/search-terms.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { seededRandom } from '../support/seeded-random.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const TERMS = Number(process.env['TERMS'] ?? 300);
const TIMEOUT_MS = 20_000 + 20 * TERMS;
const ROWS = 400;
/** Rows of another store, with the same texts. */
const OTHERS = 100;
const PAGE = { page: 1, limit: 100 };

// Short, so that random terms match: both letter cases, wildcards of LIKE, a second `@`, and letters that fold to ASCII.
const LOCALS = [
  'ada',
  'Ada.L',
  'bo-b',
  'x_y%z',
  'a\\b',
  '\u212Aelvin',
  'ünal',
  'İzmir',
  'anna',
  'a',
  '~tilde',
  '"q r"',
];
const DOMAINS = ['ex.test', 'EX.test', 'b.c', 'münchen.test', '', 'anna@b.c', 'x%y', '\u212Aex'];
// Texts of all scripts, long enough for terms of which the index looks for a part.
const LONG_TEXTS = [
  '😀'.repeat(50),
  'e\u0301'.repeat(30),
  String.raw`\%_`.repeat(20),
  'ΟΔΥΣΣΕΥΣ.ΑΣ ΑΣ '.repeat(4),
  'Red cotton shirt No. 7 ('.repeat(3),
  'İzmir Größe Łódź 黒い椅子 '.repeat(3),
  'a b-'.repeat(15),
];
const NAMES = ['Ada', 'ada@ex.test', 'Bob (b@b.c)', 'Łukasz', '100%', 'W_7', '', 'anna@', ...LONG_TEXTS];
/** The longest searches that the API accepts, of texts that are long to compare. */
const LONGEST = [...LONG_TEXTS, '%', '_', '.', '0', '가', 'buyer.', 'aяא명é'].map((text) =>
  [...text.repeat(200)].slice(0, 200).join(''),
);

const ORDERS = `
  INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
    amount, total_amount, customer_name, customer_email, created_at, updated_at)
  SELECT $1::int, md5($1::int || receipt)::uuid, receipt, 'WEBSITE', 'SUCCEEDED', 'DELIVERED', 'COD', 'USD', 1, 1, 'Ada', email,
    now(), now()
  FROM unnest($2::text[], $3::text[]) AS given (receipt, email)`;

const CUSTOMERS = `
  INSERT INTO customers (store_id, id, name, email)
  SELECT $1::int, md5($1::int || receipt)::uuid, name, email
  FROM unnest($2::text[], $3::text[], $4::text[]) AS given (receipt, email, name)
  ON CONFLICT DO NOTHING`;

const PRODUCTS = `
  INSERT INTO products (store_id, slug, name, sku, price)
  SELECT $1::int, md5(sku), name, sku, 1 FROM unnest($2::text[], $3::text[]) AS given (sku, name)`;

const countOf = (table: string, condition: string) =>
  `SELECT count(*)::int AS count FROM ${table} WHERE store_id = $1 AND (${condition})`;
const COUNT_ORDERS = countOf('orders', 'receipt_number ILIKE $2 OR customer_email ILIKE $2');
const COUNT_CUSTOMERS = countOf('customers', 'name ILIKE $2 OR email ILIKE $2');
const COUNT_PRODUCTS = countOf('products', 'name ILIKE $2');
const COUNT_SKUS = countOf('products', 'sku ILIKE $2 OR name ILIKE $2');

describe(`random search terms (SEED=${SEED})`, () => {
  const random = seededRandom(SEED);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const cut = (text: string): string => {
    const start = random(text.length);
    return text.slice(start, start + 1 + random(text.length));
  };
  const inSomeCase = (text: string): string => pick([text, text.toUpperCase(), text.toLowerCase()]);

  const receipts = Array.from(
    { length: ROWS },
    (_, n) => `${pick(['WEB', 'pos', '7'])}-26${random(9)}-${cut('7K3M9QaZ')}${n}`,
  );
  const emails = receipts.map((_, n) => (n % 9 === 0 ? '' : `${pick(LOCALS)}${n % 3}@${pick(DOMAINS)}`));
  const names = receipts.map(() => pick(NAMES));
  const texts = [...receipts, ...emails, ...names].filter((text) => text !== '');
  const terms = Array.from({ length: TERMS }, () => {
    const text = pick(texts);
    const term = inSomeCase(random(4) === 0 ? text : cut(text) || text);
    return random(10) === 0 ? term + pick(['@', '%', '_', '\\', '-', 'é', '1']) : term;
  }).filter((term) => term.trim() === term && term !== '');

  let database: TestDatabase;
  let pool: pg.Pool;
  let storeId: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    for (const rows of [ROWS, OTHERS]) {
      const { id } = await StoreFixture.create(database);
      storeId ??= id;
      await database.query(ORDERS, [id, receipts.slice(0, rows), emails.slice(0, rows)]);
      await database.query(PRODUCTS, [id, receipts.slice(0, rows), names.slice(0, rows)]);
      await database.query(CUSTOMERS, [id, receipts.slice(0, rows), emails.slice(0, rows), names.slice(0, rows)]);
    }
    pool = requestPool({ url: database.url, poolSize: 4 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it(
    'find the orders that contain them in the receipt number or e-mail',
    async () => {
      const orders = new PostgresOrderRepository(new Database(pool));
      expect(await differences(COUNT_ORDERS, (search) => orders.list(storeId, { search }, PAGE))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'find the customers that contain them in the name or e-mail',
    async () => {
      const database = new Database(pool);
      const customers = new PostgresCustomerRepository(database);
      expect(await differences(COUNT_CUSTOMERS, (search) => customers.list(storeId, { search }, PAGE))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'find the sellable units that contain them in the SKU or name',
    async () => {
      const database = new Database(pool);
      const skus = new PostgresSkuRepository(database);
      expect(await differences(COUNT_SKUS, (search) => skus.list(storeId, { search }, PAGE))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'find the products that contain them in the name',
    async () => {
      const database = new Database(pool);
      const products = new PostgresProductRepository(database);
      expect(await differences(COUNT_PRODUCTS, (search) => products.list(storeId, { search }, PAGE))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each(LONGEST)('are not folded again for each row when they are long: %#', (term) => {
    const where = new Conditions('store_id = ?', storeId);
    const condition = containingTerm(where, term)('name');

    const [, pattern = ''] = /ILIKE \$(\d+)/.exec(condition) ?? [];
    expect(((where.values as string[])[Number(pattern) - 1] ?? '').length).toBeLessThan(100);
  });

  /** Compares totals with those of a scan that reads every row. */
  async function differences(count: string, list: (term: string) => Promise<{ total: number }>): Promise<unknown[]> {
    const found: unknown[] = [];
    for (const term of terms) {
      const pattern = `%${term.replace(/[\\%_]/g, String.raw`\$&`)}%`;
      const [expected] = await database.query<{ count: number }>(count, [storeId, pattern]);
      const { total } = await list(term);
      if (total !== expected?.count) found.push({ term, total, expected: expected?.count });
    }
    return found;
  }
});
