import {
  MAX_LIMIT,
  StockRepository,
  type Page,
  type PageOf,
  type StockFilter,
  type StockId,
  type StockRecord,
  type WarehouseRecord,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import { Conditions } from '../lists/conditions.js';
import { afterPosition, matchesNothing, moveTo, NO_ROWS, offsetOf, pageOf, type Counted } from '../lists/paging.js';
import { Database } from '../postgres/database.js';
import { NAMES, PLACED_UNIT } from './placed-unit.js';
import { unitsBySkus } from './units-by-sku.js';

const FIND_MANY = `/* stock.find_many */
  WITH asked AS MATERIALIZED (SELECT $2::int[] AS products, $3::int[] AS variants, $4::int[] AS bins)
  SELECT ${PLACED_UNIT}
  FROM (
    SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity
    FROM asked CROSS JOIN unnest(asked.products, asked.variants, asked.bins) AS wanted (product_id, variant_key, bin_id)
    JOIN stock USING (product_id, variant_key, bin_id) WHERE stock.store_id = $1
  ) AS page ${NAMES}`;

// The running sum of the blocks' counts locates the block in which the page begins, so the page skips only rows of that
// block. The planner has one plan for all pages; the constant limit makes it expect few rows.
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
  SELECT (SELECT coalesce(sum(rows), 0) FROM blocks) AS total, ${PLACED_UNIT}
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

const FEW_BINS = 1_000;

// The rows are sorted as in the index: a scan of the table would read the bins of other stores.
const findBins = (where: Conditions) => `/* stock.find_bins */
  SELECT bins.id, bins.warehouse_id AS "warehouseId" FROM bins WHERE ${where.sql}
  ORDER BY bins.store_id, bins.warehouse_id, bins.code LIMIT ${FEW_BINS + 1}`;

// The statement reads only the blocks on the page, in sequence, and in them only the rows in the bins up to the end of
// the page. It omits the quantity, so that the primary key alone has the rows in sequence.
const pageOfBins = (rowsOfBlock: string) => `/* stock.list_of_bins */
  WITH blocks AS MATERIALIZED (
    SELECT block, sum(rows) AS rows, sum(sum(rows)) OVER (ORDER BY block) - sum(rows) AS before
    FROM (
      SELECT labels[1]::int AS block, rows FROM list_counts WHERE store_id = $1 AND list = ANY ($2) AND grain = 'all'
    ) AS counts GROUP BY block HAVING sum(rows) > 0
  ), shown AS MATERIALIZED (
    SELECT block, before FROM blocks WHERE before + rows > $4 AND before < $4 + $5 ORDER BY block
  )
  SELECT (SELECT coalesce(sum(rows), 0) FROM blocks) AS total, ${PLACED_UNIT}
  FROM (
    SELECT product_id, variant_key, bin_id
    FROM shown CROSS JOIN LATERAL (
      ${rowsOfBlock}
      ORDER BY product_id, variant_key, bin_id LIMIT $4 + $5 - shown.before
    ) AS places
    ORDER BY product_id, variant_key, bin_id
    LIMIT $5 OFFSET $4 - (SELECT coalesce(min(before), 0) FROM shown)
  ) AS places
  JOIN stock AS page USING (product_id, variant_key, bin_id) ${NAMES}
  WHERE page.store_id = $1
  ORDER BY page.product_id, page.variant_key, page.bin_id`;

const BLOCK = `SELECT product_id, variant_key, bin_id FROM stock
      WHERE store_id = $1 AND product_id BETWEEN shown.block * 256 AND shown.block * 256 + 255`;
const PAGE_OF_BINS = pageOfBins(`${BLOCK} AND bin_id = ANY ($3)`);
// The rows are read in sequence, each with the warehouse of its bin, until the page is full. Without OFFSET, the
// planner would expect few rows of the warehouse, and read the whole block to sort them.
const PAGE_OF_WAREHOUSE =
  pageOfBins(`SELECT * FROM (${BLOCK} ORDER BY product_id, variant_key, bin_id OFFSET 0) AS block
      WHERE (SELECT warehouse_id FROM bins WHERE store_id = $1 AND id = bin_id) = $3`);

const WAREHOUSES = `/* stock.warehouses */
  SELECT (SELECT count(*) FROM warehouses WHERE store_id = $1) AS total, page.code, page.name, page.active,
    ARRAY(
      SELECT code FROM bins WHERE store_id = $1 AND warehouse_id = page.id ORDER BY code COLLATE "C"
    ) AS bins
  FROM (
    SELECT * FROM warehouses WHERE store_id = $1 ORDER BY code COLLATE "C" LIMIT $3 OFFSET $2
  ) AS page
  ORDER BY page.code COLLATE "C"`;

interface BinRow {
  readonly id: number;
  readonly warehouseId: number;
}

type StockRow = StockRecord & Counted;

@Injectable()
export class PostgresStockRepository extends StockRepository {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: StockFilter, page: Page): Promise<PageOf<StockRecord>> {
    const skus = filter.skus?.filter((sku) => !matchesNothing([sku]));
    if (matchesNothing(filter) || skus?.length === 0) return NO_ROWS;
    const usable = { ...filter, ...(skus && { skus }) };
    const found = await pageOf(page, (asked) => this.read(storeId, usable, asked));
    moveTo(page, found.rows, ({ productId, variantId, binId }) => [productId, variantId ?? 0, binId]);
    return found;
  }

  override findByIds(storeId: number, ids: readonly StockId[]): Promise<StockRecord[]> {
    return this.database.queryPrepared(FIND_MANY, [
      storeId,
      ids.map(({ productId }) => productId),
      ids.map(({ variantId }) => variantId ?? 0),
      ids.map(({ binId }) => binId),
    ]);
  }

  override warehouses(storeId: number, page: Page): Promise<PageOf<WarehouseRecord>> {
    return pageOf<WarehouseRecord>(page, (asked) =>
      this.database.search(WAREHOUSES, [storeId, offsetOf(asked), asked.limit], { onePlan: true }),
    );
  }

  private read(storeId: number, filter: StockFilter, page: Page): Promise<StockRow[]> {
    if (page.position?.after) {
      const where = conditionsOf(storeId, filter);
      return this.database.search(pageAfter(where, page), where.values, { onePlan: true });
    }
    if (Object.values(filter).every((value) => value === undefined)) {
      return this.database.queryPrepared(PAGE, [storeId, offsetOf(page), page.limit]);
    }
    const { skus, productId } = filter;
    if (skus === undefined && productId === undefined) return this.readBins(storeId, filter, page);
    const where = conditionsOf(storeId, filter);
    return this.database.search(filteredPage(where, page), where.values);
  }

  private async readBins(storeId: number, { warehouse, bin }: StockFilter, page: Page): Promise<StockRow[]> {
    const where = new Conditions('bins.store_id = ?', storeId);
    if (bin !== undefined) where.and('bins.code = ?', bin);
    if (warehouse !== undefined) {
      where.and('bins.warehouse_id = (SELECT id FROM warehouses WHERE store_id = $1 AND code = ?)', warehouse);
    }
    const bins = await this.database.query<BinRow>(findBins(where), where.values);
    const ids = bins.map(({ id }) => id);
    const [warehouseId] = bins.map((row) => row.warehouseId);
    const lists = bin === undefined ? [`warehouse ${warehouseId}`] : ids.map((id) => `bin ${id}`);
    const range = [offsetOf(page), page.limit];
    return bin === undefined && bins.length > FEW_BINS
      ? this.database.search(PAGE_OF_WAREHOUSE, [storeId, lists, warehouseId, ...range])
      : this.database.search(PAGE_OF_BINS, [storeId, lists, ids, ...range]);
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

// Reads the primary key from the position on, so that all pages together read each row of the store once.
function pageAfter(where: Conditions, page: Page): string {
  return `/* stock.list_after */
    SELECT 0 AS total, ${PLACED_UNIT}
    FROM (
      SELECT product_id, variant_key, bin_id, quantity FROM stock
      WHERE ${where.sql}${afterPosition(page, 'product_id, variant_key, bin_id', 'ASC', where)}
      ORDER BY product_id, variant_key, bin_id LIMIT ${where.bind(page.limit)}
    ) AS page ${NAMES}
    ORDER BY page.product_id, page.variant_key, page.bin_id`;
}

function filteredPage(where: Conditions, page: Page): string {
  return `/* stock.search */
    WITH matching AS MATERIALIZED (
      SELECT product_id, variant_key, bin_id, quantity FROM stock WHERE ${where.sql}
    )
    SELECT (SELECT count(*) FROM matching) AS total, ${PLACED_UNIT}
    FROM (
      SELECT * FROM matching ORDER BY product_id, variant_key, bin_id
      LIMIT ${where.bind(page.limit)} OFFSET ${where.bind(offsetOf(page))}
    ) AS page ${NAMES}
    ORDER BY page.product_id, page.variant_key, page.bin_id`;
}
