import {
  MAX_LIMIT,
  StockRepository,
  type Page,
  type PageOf,
  type StockFilter,
  type StockId,
  type StockRecord,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import { Conditions } from '../lists/conditions.js';
import { matchesNothing, NO_ROWS, offsetOf } from '../lists/paging.js';
import { Database } from '../postgres/database.js';
import { unitsBySkus } from './units-by-sku.js';

const COLUMNS = `page.product_id, nullif(page.variant_key, 0) AS variant_id, page.bin_id, page.quantity,
    coalesce(variant.sku, product.sku) AS sku, warehouse.code AS warehouse, bin.code AS bin`;
// Only the rows on the page read these tables.
const NAMES = `
    JOIN products AS product ON product.store_id = $1 AND product.id = page.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = page.variant_key
    JOIN bins AS bin ON bin.store_id = $1 AND bin.id = page.bin_id
    JOIN warehouses AS warehouse ON warehouse.store_id = $1 AND warehouse.id = bin.warehouse_id`;

// The rows are few: a page of the feed.
const FIND_MANY = `/* stock.find_many */
  WITH asked AS MATERIALIZED (SELECT $2::int[] AS products, $3::int[] AS variants, $4::int[] AS bins)
  SELECT ${COLUMNS}
  FROM (
    SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity
    FROM asked CROSS JOIN unnest(asked.products, asked.variants, asked.bins) AS wanted (product_id, variant_key, bin_id)
    JOIN stock USING (product_id, variant_key, bin_id) WHERE stock.store_id = $1
  ) AS page ${NAMES}`;

// The running sum of the blocks' counts leads to the block in which the page begins: the page skips only rows of that block. The
// constant limit tells the planner, which makes one plan for all pages, to expect few rows.
const PAGE = `/* stock.list */
  WITH blocks AS MATERIALIZED (
    SELECT block, sum(rows) AS rows, sum(sum(rows)) OVER (ORDER BY block) - sum(rows) AS before
    FROM (
      SELECT labels[1]::int AS block, rows FROM list_counts WHERE store_id = $1 AND list = 'stock' AND grain = 'all'
    ) AS counts GROUP BY block
  ), start AS MATERIALIZED (
    SELECT block * 256 AS product_id, $2::bigint - before AS skipped FROM blocks
    WHERE before <= $2 ORDER BY before DESC, block DESC LIMIT 1
  )
  SELECT (SELECT coalesce(sum(rows), 0) FROM blocks)::text AS total, ${COLUMNS}
  FROM (
    SELECT * FROM (
      SELECT * FROM (
        SELECT product_id, variant_key, bin_id, quantity FROM stock
        WHERE store_id = $1 AND product_id >= (SELECT product_id FROM start)
        ORDER BY product_id, variant_key, bin_id OFFSET (SELECT skipped FROM start)
      ) AS rest LIMIT ${MAX_LIMIT}
    ) AS rows LIMIT $3
  ) AS page ${NAMES}
  ORDER BY page.product_id, page.variant_key, page.bin_id`;

// The bins of the list, and the lists that count their stock: that of the warehouse, or one for each bin with the code. Bins of a
// warehouse are many: no statement reads them all.
const IN_WAREHOUSE = {
  lists: `SELECT 'warehouse ' || id FROM warehouses WHERE store_id = $1 AND code = $2`,
  // One product after the other, each with the warehouse of its bins.
  rows: `SELECT product_id, variant_key, bin_id, quantity FROM stock
        WHERE store_id = $1 AND product_id BETWEEN shown.block * 256 AND shown.block * 256 + 255
          AND (SELECT warehouse_id FROM bins WHERE store_id = $1 AND id = stock.bin_id)
            = (SELECT id FROM warehouses WHERE store_id = $1 AND code = $2)`,
};
const inBins = (condition: string) => ({
  lists: `SELECT 'bin ' || id FROM (${condition}) AS wanted`,
  rows: `SELECT product_id, variant_key, bin_id, quantity FROM (${condition}) AS wanted
        JOIN stock ON stock.store_id = $1 AND stock.bin_id = wanted.id
        WHERE product_id BETWEEN shown.block * 256 AND shown.block * 256 + 255`,
});
const BINS = `SELECT bins.id FROM bins WHERE bins.store_id = $1 AND bins.code = $2`;
const IN_BINS = inBins(BINS);
const IN_BIN_OF_WAREHOUSE = inBins(
  `${BINS} AND bins.warehouse_id = (SELECT id FROM warehouses WHERE store_id = $1 AND code = $5)`,
);

// Only the blocks on the page, in their order, and of each the rows up to the end of the page.
const pageOfBins = ({ lists, rows }: typeof IN_WAREHOUSE) => `/* stock.list_of_bins */
  WITH blocks AS MATERIALIZED (
    SELECT block, sum(rows) AS rows, sum(sum(rows)) OVER (ORDER BY block) - sum(rows) AS before
    FROM (
      SELECT labels[1]::int AS block, rows FROM list_counts
      WHERE store_id = $1 AND list = ANY (ARRAY(${lists})) AND grain = 'all'
    ) AS counts GROUP BY block HAVING sum(rows) > 0
  ), shown AS MATERIALIZED (
    SELECT block, before FROM blocks WHERE before + rows > $3 AND before < $3 + $4::bigint ORDER BY block
  )
  SELECT (SELECT coalesce(sum(rows), 0) FROM blocks)::text AS total, ${COLUMNS}
  FROM (
    SELECT product_id, variant_key, bin_id, quantity
    FROM shown CROSS JOIN LATERAL (
      SELECT * FROM (${rows}) AS block
      ORDER BY product_id, variant_key, bin_id LIMIT $3 + $4 - shown.before
    ) AS stock
    ORDER BY product_id, variant_key, bin_id
    LIMIT $4 OFFSET $3 - (SELECT coalesce(min(before), 0) FROM shown)
  ) AS page ${NAMES}
  ORDER BY page.product_id, page.variant_key, page.bin_id`;

interface FoundStockRow {
  readonly product_id: number;
  readonly variant_id: number | null;
  readonly bin_id: number;
  readonly quantity: number;
  readonly sku: string;
  readonly warehouse: string;
  readonly bin: string;
}

interface ListedStockRow extends FoundStockRow {
  /** Rows on all pages. */
  readonly total: string;
}

/** From the primary: an answer shows what a change that was acknowledged before has done. */
@Injectable()
export class PostgresStockRepository extends StockRepository {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: StockFilter, page: Page): Promise<PageOf<StockRecord>> {
    const skus = filter.skus?.filter((sku) => !matchesNothing([sku]));
    if (matchesNothing(filter) || skus?.length === 0) return NO_ROWS;
    const usable = { ...filter, ...(skus && { skus }) };
    const rows = await this.read(storeId, usable, page);
    if (rows[0]) return { rows: rows.map(toRecord), total: Number(rows[0].total) };
    // Every row has the total. A page past the last row takes it from the first page.
    const [first] = page.page === 1 ? [] : await this.read(storeId, usable, { page: 1, limit: 1 });
    return { rows: [], total: Number(first?.total ?? 0) };
  }

  override async findByIds(storeId: number, ids: readonly StockId[]): Promise<StockRecord[]> {
    const rows = await this.database.queryPrepared<FoundStockRow>(FIND_MANY, [
      storeId,
      ids.map(({ productId }) => productId),
      ids.map(({ variantId }) => variantId ?? 0),
      ids.map(({ binId }) => binId),
    ]);
    return rows.map(toRecord);
  }

  private read(storeId: number, filter: StockFilter, page: Page): Promise<ListedStockRow[]> {
    if (Object.values(filter).every((value) => value === undefined)) {
      return this.database.queryPrepared(PAGE, [storeId, offsetOf(page), page.limit]);
    }
    const { skus, productId } = filter;
    if (skus === undefined && productId === undefined) return this.readBins(storeId, filter, page);
    const where = conditionsOf(storeId, filter);
    return this.database.search(filteredPage(where, page), where.values);
  }

  private readBins(storeId: number, { warehouse, bin }: StockFilter, page: Page): Promise<ListedStockRow[]> {
    const [place, kind] =
      bin === undefined
        ? [warehouse, IN_WAREHOUSE]
        : [bin, warehouse === undefined ? IN_BINS : IN_BIN_OF_WAREHOUSE];
    const values = [storeId, place, offsetOf(page), page.limit, ...(kind === IN_BIN_OF_WAREHOUSE ? [warehouse] : [])];
    return this.database.searchPrepared(pageOfBins(kind), values);
  }
}

function conditionsOf(storeId: number, { skus, productId, warehouse, bin }: StockFilter): Conditions {
  const where = new Conditions('stock.store_id = ?', storeId);
  if (skus) where.and(`(stock.product_id, stock.variant_key) IN (${unitsBySkus('stock_units', '?')})`, skus);
  if (productId !== undefined) where.and('stock.product_id = ?', productId);
  // The rows are few, and each looks up its own bin: a join may read all bins of the warehouse.
  if (warehouse !== undefined) {
    where.and(
      `(SELECT warehouses.code FROM bins JOIN warehouses ON warehouses.store_id = $1 AND warehouses.id = bins.warehouse_id
        WHERE bins.store_id = $1 AND bins.id = stock.bin_id) = ?`,
      warehouse,
    );
  }
  if (bin !== undefined) {
    where.and('(SELECT code FROM bins WHERE bins.store_id = $1 AND bins.id = stock.bin_id) = ?', bin);
  }
  return where;
}

// The stock of a few products: the statement counts the rows.
function filteredPage(where: Conditions, page: Page): string {
  return `/* stock.search */
    WITH matching AS MATERIALIZED (
      SELECT product_id, variant_key, bin_id, quantity FROM stock WHERE ${where.sql}
    )
    SELECT (SELECT count(*) FROM matching)::text AS total, ${COLUMNS}
    FROM (
      SELECT * FROM matching ORDER BY product_id, variant_key, bin_id
      LIMIT ${where.bind(page.limit)} OFFSET ${where.bind(offsetOf(page))}
    ) AS page ${NAMES}
    ORDER BY page.product_id, page.variant_key, page.bin_id`;
}

function toRecord(row: FoundStockRow): StockRecord {
  return {
    sku: row.sku,
    productId: row.product_id,
    variantId: row.variant_id,
    binId: row.bin_id,
    warehouse: row.warehouse,
    bin: row.bin,
    quantity: row.quantity,
  };
}
