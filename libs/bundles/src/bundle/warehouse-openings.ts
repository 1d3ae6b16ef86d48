import type { TransactionSql } from '@app/infrastructure';
import type { ImportableLine } from './schema/bundle.js';

/** Stock of a warehouse that a request opens or closes. Each product of it is counted anew, and a request has seconds. */
const MAX_STOCK_OPENED = 2_000;

const TOO_LARGE = `warehouse.active cannot change by request: it would affect more than ${MAX_STOCK_OPENED} bins with a product. Use the command import`;
const TWICE = 'warehouse.active must be given once in a request';

const FIND_LARGE = `/* import.large_warehouses */
  SELECT code, active FROM warehouses
  WHERE store_id = $1 AND code = ANY ($2) AND (
    SELECT count(*) FROM (
      SELECT FROM bins JOIN stock ON stock.store_id = bins.store_id AND stock.bin_id = bins.id
      WHERE bins.store_id = $1 AND bins.warehouse_id = warehouses.id LIMIT ${MAX_STOCK_OPENED + 1}
    ) AS held
  ) > ${MAX_STOCK_OPENED}`;

interface NumberedLine {
  readonly number: number;
  readonly line: ImportableLine | null;
}

/** The lines that open or close a large warehouse, or one that an earlier line opens or closes, by number. */
export async function openingsTooLarge(
  sql: TransactionSql,
  storeId: number,
  lines: readonly NumberedLine[],
): Promise<ReadonlyMap<number, string>> {
  const openings = lines.flatMap(({ number, line }) =>
    line?.kind === 'warehouse' && line.active !== undefined ? [{ number, code: line.code, active: line.active }] : [],
  );
  if (openings.length === 0) return new Map();
  const codes = openings.map(({ code }) => code);
  const large = await sql.query<{ code: string; active: boolean }>(FIND_LARGE, [storeId, codes]);
  const refused = new Map<number, string>();
  for (const [index, { number, code, active }] of openings.entries()) {
    if (codes.indexOf(code) < index) refused.set(number, TWICE);
    else if (large.some((warehouse) => warehouse.code === code && warehouse.active !== active)) {
      refused.set(number, TOO_LARGE);
    }
  }
  return refused;
}
