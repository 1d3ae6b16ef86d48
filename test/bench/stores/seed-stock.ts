import { VARIANTS } from './seed-catalog.js';
import { inChunks, type Seeding } from './seeding.js';

const WAREHOUSES = ['MAIN', 'EAST', 'WEST'];
const CLOSED_WAREHOUSE = 'CLOSED';
const BINS_PER_WAREHOUSE = 20;
const HOT_BINS = 5;
/** Exceeds what any bench sells. */
const ENDLESS = 100_000_000;

/** Stock in one bin of each warehouse, one of which is closed and not for sale, and the opening rows of the ledger. */
export async function seedStock(seeding: Seeding): Promise<void> {
  const { sql, storeId } = seeding;
  await seedBins(seeding);
  await seedQuantities(seeding);
  await sql.query(
    `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
     SELECT store_id, bin_id, product_id, variant_key, 'OPENING', quantity FROM stock WHERE store_id = ${storeId}`,
  );
}

/** The store already has its first warehouse. */
async function seedBins({ sql, storeId, bases }: Seeding): Promise<void> {
  await sql.query(
    `INSERT INTO warehouses (store_id, code, name, active)
     SELECT ${storeId}, code, initcap(code), code <> $2 FROM unnest($1::text[]) AS code ON CONFLICT DO NOTHING`,
    [[...WAREHOUSES, CLOSED_WAREHOUSE], CLOSED_WAREHOUSE],
  );
  await sql.query(
    `INSERT INTO bins (store_id, id, warehouse_id, code)
     SELECT ${storeId}, ${bases.bins} + (place - 1) * ${BINS_PER_WAREHOUSE} + n, warehouse.id, 'B-' || n
     FROM unnest($1::text[]) WITH ORDINALITY AS named (code, place)
     JOIN warehouses warehouse ON warehouse.store_id = ${storeId} AND warehouse.code = named.code,
       generate_series(1, ${BINS_PER_WAREHOUSE}) AS n`,
    [[...WAREHOUSES, CLOSED_WAREHOUSE]],
  );
}

async function seedQuantities({ sql, storeId, sizes, draws, bases }: Seeding): Promise<void> {
  const binOf = (warehouse: string) =>
    `${bases.bins} + ${warehouse} * ${BINS_PER_WAREHOUSE} + 1 +
      ${draws.below(BINS_PER_WAREHOUSE, `n * 16 + item * 4 + ${warehouse}`, 'bin')}`;
  const variant = `CASE WHEN item > 0 THEN ${bases.product_variants} + (n - 1) * ${VARIANTS} + item END`;
  const insert = `INSERT INTO stock (store_id, product_id, variant_id, bin_id, quantity)`;
  await inChunks(
    sql,
    sizes.products,
    `${insert}
     SELECT ${storeId}, ${bases.products} + n, ${variant}, ${binOf('warehouse')},
       500 + ${draws.below(1_000, 'n * 16 + item * 4 + warehouse', 'quantity')}
     FROM generate_series($1::bigint, $2::bigint) AS n, generate_series(0, ${VARIANTS}) AS item,
       generate_series(0, ${WAREHOUSES.length - 1}) AS warehouse
     WHERE ${draws.below(100, 'n', 'stocked')} >= 15`,
  );
  await sql.query(
    `${insert}
     SELECT ${storeId}, ${bases.products} + n, ${variant}, ${binOf(String(WAREHOUSES.length))}, 7
     FROM generate_series(1::bigint, $1::bigint) AS n, (VALUES (0)) AS items (item) WHERE n % 50 = 0`,
    [sizes.products],
  );
  await sql.query(
    `${insert} SELECT ${storeId}, $1, NULL, ${bases.bins} + n, ${ENDLESS} FROM generate_series(1, ${HOT_BINS}) AS n`,
    [bases.products + sizes.products + 1],
  );
}
