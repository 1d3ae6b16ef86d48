import {
  MOVEMENTS_LISTED_DAYS,
  StockLedger,
  type MovementFilter,
  type Page,
  type PageOf,
  type StockMovement,
  type StockVerification,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import { Conditions } from '../lists/conditions.js';
import { afterPosition, matchesNothing, moveTo, NO_ROWS, offsetOf, pageOf, type Counted } from '../lists/paging.js';
import { DirectDatabase } from '../postgres/connection.js';
import { Database } from '../postgres/database.js';
import { NAMES, PLACED_UNIT } from './placed-unit.js';
import { unitsBySkus } from './units-by-sku.js';

// The statement reads one snapshot: it sees both the bins and the movements of a concurrent order, or neither.
const VERIFY = `/* stock.verify */
  WITH ledger AS (
    SELECT store_id, product_id, variant_key, bin_id, sum(quantity) AS quantity
    FROM stock_movements GROUP BY store_id, product_id, variant_key, bin_id
  ), compared AS (
    SELECT stock.store_id, stock.product_id, stock.variant_id, stock.bin_id, stock.quantity,
      coalesce(ledger.quantity, 0) AS ledger
    FROM stock LEFT JOIN ledger USING (store_id, product_id, variant_key, bin_id)
    WHERE $1::int IS NULL OR stock.store_id = $1
  ), wrong AS (
    SELECT stores.subdomain AS store, products.slug AS product, product_variants.sku AS variant,
      warehouses.code || '/' || bins.code AS bin, compared.quantity, compared.ledger
    FROM compared
    JOIN stores ON stores.id = compared.store_id
    JOIN products ON products.store_id = compared.store_id AND products.id = compared.product_id
    JOIN bins ON bins.store_id = compared.store_id AND bins.id = compared.bin_id
    JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id
    LEFT JOIN product_variants
      ON product_variants.store_id = compared.store_id AND product_variants.id = compared.variant_id
    WHERE compared.quantity <> compared.ledger
    ORDER BY compared.store_id, compared.product_id, compared.variant_id NULLS FIRST, compared.bin_id
  )
  SELECT (SELECT count(*)::int FROM compared) AS checked,
    (SELECT coalesce(json_agg(wrong), '[]') FROM wrong) AS differences`;

type MovementRow = StockMovement & Counted & { readonly movementId: string };

@Injectable()
export class PostgresStockLedger extends StockLedger {
  constructor(
    private readonly direct: DirectDatabase,
    private readonly database: Database,
  ) {
    super();
  }

  override async list(storeId: number, filter: MovementFilter, page: Page): Promise<PageOf<StockMovement>> {
    const skus = filter.skus?.filter((sku) => !matchesNothing([sku]));
    if (matchesNothing(filter) || skus?.length === 0) return NO_ROWS;
    return pageOf(page, async (asked) => {
      const where = conditionsOf(storeId, { ...filter, ...(skus && { skus }) });
      const rows = await this.database.search<MovementRow>(movementsOn(asked, where), where.values);
      moveTo(asked, rows, ({ at, movementId }) => [at, movementId]);
      return rows;
    });
  }

  override async verify(storeId: number | null): Promise<StockVerification> {
    const [result] = await this.direct.run((connection) => connection.query<StockVerification>(VERIFY, [storeId]));
    return result ?? { checked: 0, differences: [] };
  }
}

function conditionsOf(storeId: number, { skus, productId, warehouse, bin, from, to }: MovementFilter): Conditions {
  const where = new Conditions('moved.store_id = ?', storeId);
  if (skus) where.and(`(moved.product_id, moved.variant_key) IN (${unitsBySkus('stock_units', '?')})`, skus);
  if (productId !== undefined) where.and('moved.product_id = ?', productId);
  if (warehouse !== undefined) {
    where.and(
      `moved.bin_id IN (SELECT bins.id FROM warehouses JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = warehouses.id
        WHERE warehouses.store_id = $1 AND warehouses.code = ?)`,
      warehouse,
    );
  }
  if (bin !== undefined) where.and('moved.bin_id IN (SELECT id FROM bins WHERE store_id = $1 AND code = ?)', bin);
  if (to) where.and('moved.created_at < ?', to);
  if (from) where.and('moved.created_at >= ?', from);
  else if (!skus && productId === undefined) {
    // The SQL function least() ignores nulls.
    where.and(
      `moved.created_at >= least(?::timestamptz, now()) - interval '${MOVEMENTS_LISTED_DAYS} days'`,
      to ?? null,
    );
  }
  return where;
}

// A list without a product counts and skips rows in the primary key. In a store with 5 million movements, the 90 days
// with 500,000 take 0.1 s, all of them a second, and those of one warehouse two.
function movementsOn(page: Page, where: Conditions): string {
  const isFirst = !page.position?.after;
  const total = isFirst ? `(SELECT count(*) FROM stock_movements AS moved WHERE ${where.sql})` : '0';
  return `/* stock.movements */
    SELECT ${total} AS total, ${PLACED_UNIT},
      page.id AS "movementId", page.created_at AS at, coalesce(page.booked_at, page.created_at) AS "bookedAt", page.kind, coalesce(page.reference, '') AS reference, page.order_id AS "orderId",
      CASE WHEN page.actor_type IS NOT NULL
        THEN json_build_object('type', page.actor_type, 'id', page.actor_id, 'name', page.actor_name) END AS actor
    FROM (
      SELECT moved.created_at, moved.id FROM stock_movements AS moved
      WHERE ${where.sql}${afterPosition(page, 'moved.created_at, moved.id', 'DESC', where)}
      ORDER BY moved.created_at DESC, moved.id DESC LIMIT ${where.bind(page.limit)} OFFSET ${where.bind(offsetOf(page))}
    ) AS found
    JOIN stock_movements AS page ON page.store_id = $1 AND page.created_at = found.created_at AND page.id = found.id
    ${NAMES}
    ORDER BY page.created_at DESC, page.id DESC`;
}
