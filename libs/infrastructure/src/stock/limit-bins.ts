import type { StockLine } from '@app/application';
import type { StockRefusal } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import type { ResolvedLine } from './resolve-lines.js';

/** Bins of a product or variant beyond which requests put it into no further ones: reads and orders read all its bins. */
const MOST_BINS_OF_UNIT = 250;

const REFUSAL: StockRefusal = {
  code: 'too_many_bins',
  error: `The product or variant has ${MOST_BINS_OF_UNIT} bins: no request puts it into another`,
};

// An empty bin counts: its row stays for the ledger, and is read. OFFSET reads no more of the bins of a unit than are allowed.
const FIND_EXCESS = `/* stock.find_excess_bins */
  SELECT unnest(made.lines) AS line
  FROM (
    SELECT asked.*, row_number() OVER (PARTITION BY product_id, variant_key ORDER BY lines) AS number
    FROM (
      SELECT bin_id, product_id, variant_key, array_agg(line ORDER BY line) AS lines
      FROM unnest($2::int[], $3::int[], $4::int[], $5::int[]) AS line (line, bin_id, product_id, variant_key)
      GROUP BY bin_id, product_id, variant_key
    ) AS asked
    WHERE NOT EXISTS (
      SELECT FROM stock WHERE stock.store_id = $1 AND stock.product_id = asked.product_id
        AND stock.variant_key = asked.variant_key AND stock.bin_id = asked.bin_id OFFSET 0)
  ) AS made
  WHERE made.number > ${MOST_BINS_OF_UNIT} OR EXISTS (
    SELECT FROM stock WHERE stock.store_id = $1 AND stock.product_id = made.product_id
      AND stock.variant_key = made.variant_key OFFSET greatest(${MOST_BINS_OF_UNIT} - made.number, 0))`;

/** Refuses the lines that would put a product or variant into more bins than requests may, in the order of the lines. */
export async function limitBins(
  sql: TransactionSql,
  storeId: number,
  resolved: readonly ResolvedLine[],
  lines: readonly StockLine[],
): Promise<readonly ResolvedLine[]> {
  const filling = resolved.filter(({ index, binId }) => {
    const asked = lines[index];
    return asked && binId !== null && fills(asked);
  });
  if (filling.length === 0) return resolved;
  const excess = await sql.query<{ line: number }>(FIND_EXCESS, [
    storeId,
    filling.map(({ index }) => index),
    filling.map(({ binId }) => binId),
    filling.map(({ productId }) => productId),
    filling.map(({ variantId }) => variantId ?? 0),
  ]);
  const refused = new Set(excess.map(({ line }) => line));
  return resolved.map((line) => (refused.has(line.index) ? { ...line, binId: null, refusal: REFUSAL } : line));
}

/** Whether a line needs the row of its bin, although the product may never have lain there. */
export function fills({ write }: StockLine): boolean {
  if (write.kind === 'adjust') return write.by > 0;
  return write.kind === 'count' || write.expected === null || write.expected === 0;
}
