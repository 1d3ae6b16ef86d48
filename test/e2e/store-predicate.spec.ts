import { loadModule } from 'libpg-query';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EXCEPTIONS } from '../support/store-predicate/exceptions.js';
import { faultsOf, lacksName, storeColumns } from '../support/store-predicate/read-statements.js';

const TABLES = storeColumns(['orders', 'order_lines', 'customers', 'products']);

// global-teardown.mjs checks every statement that the service has sent in the tests. This file tests the check.
describe('the check for the store predicate', () => {
  beforeAll(() => loadModule());

  it.each([
    'SELECT * FROM orders WHERE store_id = $1 AND id = $2',
    'SELECT * FROM orders AS o WHERE $1::int = o.store_id',
    'SELECT * FROM orders o JOIN order_lines l ON l.store_id = o.store_id AND l.order_id = o.id WHERE o.store_id = $1',
    'SELECT * FROM orders LEFT JOIN order_lines USING (store_id) WHERE orders.store_id = 7',
    'SELECT (SELECT count(*) FROM order_lines l WHERE l.store_id = o.store_id) FROM orders o WHERE store_id = $1',
    'WITH item AS (SELECT * FROM products WHERE store_id = $1) SELECT * FROM item JOIN orders o ON o.store_id = item.store_id',
    'SELECT * FROM orders WHERE (store_id, id) IN (SELECT store_id, order_id FROM order_lines WHERE store_id = $1)',
    'SELECT id FROM orders WHERE store_id = $1 UNION SELECT id FROM customers WHERE store_id = $1',
    'SELECT * FROM orders JOIN stores ON stores.id = orders.store_id WHERE stores.subdomain = $1',
    'INSERT INTO orders (store_id, id) VALUES ($1, $2), ($1, $3)',
    'INSERT INTO order_lines (store_id, order_id) SELECT o.store_id, o.id FROM orders o WHERE o.store_id = $1',
    'UPDATE orders SET status = $3 WHERE store_id = $1 AND id = $2',
    'UPDATE orders SET status = $3 FROM unnest($1::int[], $2::uuid[]) AS used (store_id, id) WHERE orders.store_id = used.store_id',
    'DELETE FROM orders WHERE store_id = $1',
    'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = 5',
  ])('accepts: %s', (sql) => {
    expect(faultsOf(sql, TABLES)).toEqual([]);
  });

  it.each([
    ['orders', 'SELECT * FROM orders WHERE id = $1'],
    ['orders', 'SELECT * FROM public.orders'],
    ['orders', 'SELECT * FROM orders WHERE store_id = $1 OR id = $2'],
    ['orders', 'SELECT * FROM orders WHERE $1::int IS NULL OR store_id = $1'],
    ['orders', 'SELECT * FROM orders WHERE NOT (store_id = $1)'],
    ['orders', 'SELECT * FROM orders WHERE store_id <> $1'],
    ['orders', 'SELECT * FROM orders WHERE store_id = ANY ($1)'],
    ['orders', 'SELECT * FROM orders WHERE store_id = store_id'],
    ['order_lines', 'SELECT * FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.store_id = $1'],
    ['orders', 'SELECT * FROM orders o LEFT JOIN order_lines l ON o.store_id = $1 AND l.store_id = $1'],
    [
      'order_lines',
      'SELECT (SELECT count(*) FROM order_lines l WHERE l.order_id = o.id) FROM orders o WHERE store_id = $1',
    ],
    [
      'order_lines',
      'SELECT * FROM orders WHERE store_id = $1 AND EXISTS (SELECT FROM order_lines WHERE order_id = orders.id)',
    ],
    ['products', 'WITH item AS (SELECT * FROM products WHERE id = $2) SELECT * FROM item WHERE store_id = $1'],
    ['customers', 'SELECT id FROM orders WHERE store_id = $1 UNION SELECT id FROM customers'],
    ['products', 'SELECT * FROM (SELECT * FROM products WHERE id = $1) AS p'],
    ['orders', 'INSERT INTO orders (id) VALUES ($1)'],
    ['orders', 'INSERT INTO orders SELECT $1, $2'],
    [
      'orders',
      'INSERT INTO orders (store_id, id) SELECT x.store_id, x.id FROM jsonb_to_recordset($1) AS x (store_id int, id uuid)',
    ],
    [
      'customers',
      'INSERT INTO orders (store_id, customer_id) VALUES ($1, (SELECT id FROM customers WHERE email = $2))',
    ],
    ['orders', 'UPDATE orders SET status = $2 WHERE id = $1'],
    ['orders (moved to another store)', 'UPDATE orders SET store_id = $3 WHERE store_id = $1 AND id = $2'],
    [
      'orders',
      'DELETE FROM orders USING customers WHERE customers.store_id = $1 AND orders.customer_id = customers.id',
    ],
    ['orders', 'WITH gone AS (DELETE FROM orders RETURNING id) SELECT count(*) FROM gone'],
    ['CopyStmt cannot be checked', 'COPY orders TO STDOUT'],
  ])('reports %s in: %s', (fault, sql) => {
    expect(faultsOf(sql, TABLES)).toEqual([fault]);
  });

  it.each(['SELECT 1 FROM orders WHERE store_id = $1', 'COPY orders TO STDOUT', 'BEGIN; DELETE FROM orders'])(
    'reports a statement without a name: %s',
    (sql) => {
      expect(lacksName(sql)).toBe(true);
      expect(lacksName(`/* orders.find */ ${sql}`)).toBe(false);
    },
  );

  it('applies an exception only to the statements that it names', () => {
    const sql = 'UPDATE api_keys SET status = $2 WHERE id = $1';
    const keys = storeColumns(['api_keys', 'orders']);

    expect(faultsOf(`/* keys.set_status */ ${sql}`, keys)).toEqual([]);
    expect(faultsOf(`/* keys.other */ ${sql}`, keys)).toEqual(['api_keys']);
    expect(faultsOf(`/* keys.set_status */ DELETE FROM orders`, keys)).toEqual(['orders']);
  });

  // Two statements with the same name would share an exception.
  it('finds the name of each exception in one place in the source', () => {
    const sources = ['libs', 'apps'].flatMap((directory) => sourcesIn(path.resolve(__dirname, '../..', directory)));
    const places = (name: string) => sources.filter((text) => text.split(`/* ${name} */`).length > 1);
    const written = EXCEPTIONS.flatMap(({ statements }) => statements).filter((name) => !BY_TABLE.test(name));

    expect(written.map((name) => [name, places(name).length + comments(sources, name)])).toEqual(
      written.map((name) => [name, 1]),
    );
  });
});

/** Names that end with the name of a table. */
const BY_TABLE = /^(import\.stores\.(find|lock|update|insert)|retention\..*)$/;

/** Number of places that pass the name to TypeORM. */
function comments(sources: readonly string[], name: string): number {
  return sources.filter((text) => text.includes(`comment('${name}')`) || text.includes(`comment: '${name}'`)).length;
}

function sourcesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(path.join(directory, file), 'utf8'));
}
