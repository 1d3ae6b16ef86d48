import type { StockChangeRequest, StockLine } from '@app/application';
import type { StockRefusal } from '@app/domain';
import { DrawnIds, idSequence } from '../postgres/drawn-ids.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import type { CountSnapshot } from './count-snapshots.js';
import { resolveLines, type NewBin, type ResolvedLine } from './resolve-lines.js';

/** From this number of bins of a store, requests create no further ones. */
const MAX_BINS = 100_000;
/** The maximum size of all bin codes in bytes: a list of warehouses contains the codes of all bins. */
const MAX_CODES_BYTES = 2 * 1024 * 1024;
/**
 * From this number of bins of a product or variant, requests put it into no further ones: reads and orders read all its
 * bins.
 */
const MAX_BINS_OF_UNIT = 250;
/** The same limit for a product together with its variants: lists of products read the bins of all of them. */
const MAX_BINS_OF_PRODUCT = 1_000;

const TOO_MANY_BINS = `The store has ${MAX_BINS} bins, the maximum for requests`;
const CODES_TOO_LONG = 'The bin codes of the store have 2 MB in total, the maximum for requests';
const STORE_FULL = tooManyBins(TOO_MANY_BINS);
const CODES_FULL = tooManyBins(CODES_TOO_LONG);
const UNIT_FULL = tooManyBins(`The product or variant is in ${MAX_BINS_OF_UNIT} bins, the maximum for requests`);
const PRODUCT_FULL = tooManyBins(
  `The product with its variants is in ${MAX_BINS_OF_PRODUCT} bins, the maximum for requests`,
);

// Requests of a store that create bins, or put a product into a bin for the first time, run one after the other: each
// reads the limits after the commit of the previous one. Orders do neither.
const LOCK_NEW_BINS = `/* stock.lock_new_bins */ SELECT pg_advisory_xact_lock(hashtext('new_bins'), $1)`;

const FIND_ROWS = `/* stock.find_rows */
  SELECT line FROM unnest($2::int[], $3::int[], $4::int[], $5::int[]) AS asked (line, bin_id, product_id, variant_key)
  WHERE EXISTS (
    SELECT FROM stock WHERE stock.store_id = $1 AND stock.product_id = asked.product_id
      AND stock.variant_key = asked.variant_key AND stock.bin_id = asked.bin_id OFFSET 0)`;

// An empty bin counts, too: its row stays for the ledger, and is read. LIMIT reads no more bins than are allowed.
const COUNT_ROWS = `/* stock.count_bins_of_units */
  SELECT product_id, variant_key,
    (SELECT count(*)::int FROM (
      SELECT FROM stock WHERE stock.store_id = $1 AND stock.product_id = unit.product_id
        AND stock.variant_key = unit.variant_key LIMIT ${MAX_BINS_OF_UNIT}) AS few) AS of_unit,
    (SELECT count(*)::int FROM (
      SELECT FROM stock WHERE stock.store_id = $1 AND stock.product_id = unit.product_id
      LIMIT ${MAX_BINS_OF_PRODUCT}) AS few) AS of_product
  FROM (SELECT DISTINCT * FROM unnest($2::int[], $3::int[]) AS each (product_id, variant_key)) AS unit`;

const COUNT_BINS = `/* stock.count_bins */
  SELECT count(*)::int AS bins, coalesce(sum(octet_length(code)), 0)::int AS bytes
  FROM (SELECT code FROM bins WHERE store_id = $1 LIMIT ${MAX_BINS}) AS few`;

const BIN_IDS = idSequence('stock', 'bins');

const CREATE_BINS = `/* stock.create_bins */
  INSERT INTO bins (store_id, id, warehouse_id, code)
  SELECT $1::int, id, warehouse_id, code FROM unnest($2::int[], $3::text[], $4::int[]) AS made (warehouse_id, code, id)
  ORDER BY warehouse_id, code
  ON CONFLICT DO NOTHING`;

const FIND_CREATED = `/* stock.find_created_bins */
  SELECT bins.id, made.warehouse_id, made.code FROM unnest($2::int[], $3::text[]) AS made (warehouse_id, code)
  JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = made.warehouse_id AND bins.code = made.code`;

/**
 * Finds the product and the bin of each line, in the sequence of the lines, and creates the missing bins if the request
 * asks for that. It refuses the lines that would exceed a limit of bins, in the sequence of the lines. A bin is created
 * for a line that is not refused for a reason of its own.
 * @param snapshots the snapshots of the counts by line: null for other lines, undefined for a count that is refused.
 * @param drawnIds records the ids of the bins that are created.
 */
export async function findBinsOfLines(
  sql: TransactionSql,
  request: Pick<StockChangeRequest, 'storeId' | 'lines' | 'createsBins'>,
  snapshots: readonly (CountSnapshot | null | undefined)[],
  drawnIds = new DrawnIds(),
): Promise<readonly ResolvedLine[]> {
  const { storeId, lines, createsBins } = request;
  const newStockRows = async (resolved: readonly ResolvedLine[]) => {
    const filling = resolved.filter(({ index, binId, newBin }) => {
      const asked = lines[index];
      if (!asked || snapshots[index] === undefined) return false;
      if (binId !== null) return fills(asked);
      return createsBins && newBin !== null && (fills(asked) || isNothing(asked));
    });
    const found = await findRows(sql, storeId, filling);
    return filling.filter(({ index }) => !found.has(index));
  };
  // A count without a usable position is refused for its cursor, not for its bin.
  const resolve = async () =>
    (await resolveLines(sql, request)).map((line) =>
      createsBins && line.newBin && snapshots[line.index] === undefined
        ? { ...line, newBin: null, refusal: null }
        : line,
    );
  const resolved = await resolve();
  if ((await newStockRows(resolved)).length === 0) return resolved;
  await sql.query(LOCK_NEW_BINS, [storeId]);
  // Another request may have created bins or rows while this one waited.
  const current = await resolve();
  const { refusals, made } = await limit(sql, storeId, await newStockRows(current));
  const ids = await createBins(sql, storeId, [...made.values()], drawnIds);
  return current.map((line) => {
    const refusal = refusals.get(line.index);
    if (refusal) return { ...line, binId: null, refusal };
    const created = line.newBin && ids.get(keyOfBin(line.newBin));
    return created ? { ...line, binId: created, refusal: null } : line;
  });
}

/**
 * Waits for other requests of the store that create bins.
 * @param codes the codes of the bins to create. @returns why they may not be created; null when they may.
 */
export async function problemOfBins(
  sql: TransactionSql,
  storeId: number,
  codes: readonly string[],
): Promise<string | null> {
  await sql.query(LOCK_NEW_BINS, [storeId]);
  const { bins, bytes } = await countBins(sql, storeId);
  if (bins + codes.length > MAX_BINS) return TOO_MANY_BINS;
  return codes.reduce((sum, code) => sum + Buffer.byteLength(code), bytes) > MAX_CODES_BYTES ? CODES_TOO_LONG : null;
}

/** Whether a line needs the row of its bin even if the product has never been in it. */
export function fills({ write }: StockLine): boolean {
  if (write.kind === 'adjust') return write.by > 0;
  return write.kind === 'count' || write.expected === null || write.expected === 0;
}

export function isNothing({ write }: StockLine): boolean {
  return write.kind === 'adjust' && write.by === 0;
}

async function findRows(
  sql: TransactionSql,
  storeId: number,
  lines: readonly ResolvedLine[],
): Promise<ReadonlySet<number>> {
  if (lines.length === 0) return new Set();
  const rows = await sql.query<{ line: number }>(FIND_ROWS, [
    storeId,
    lines.map(({ index }) => index),
    lines.map(({ binId }) => binId),
    lines.map(({ productId }) => productId),
    lines.map(({ variantId }) => variantId ?? 0),
  ]);
  return new Set(rows.map(({ line }) => line));
}

interface Limited {
  readonly refusals: ReadonlyMap<number, StockRefusal>;
  readonly made: ReadonlyMap<string, NewBin>;
}

/** @param lines the lines that put a product or variant into a bin for the first time. */
async function limit(sql: TransactionSql, storeId: number, lines: readonly ResolvedLine[]): Promise<Limited> {
  const stored = lines.some(({ newBin }) => newBin) ? await countBins(sql, storeId) : NO_BINS;
  let { bytes } = stored;
  const counts = await countRows(sql, storeId, lines);
  const refusals = new Map<number, StockRefusal>();
  const made = new Map<string, NewBin>();
  const rows = new Set<string>();
  for (const { index, productId, variantId, binId, newBin } of lines) {
    const product = `${productId}`;
    const unit = `${productId}/${variantId ?? 0}`;
    const bin = newBin ? keyOfBin(newBin) : `${binId}`;
    if (rows.has(`${unit} ${bin}`)) continue;
    const ofUnit = counts.get(unit) ?? 0;
    const ofProduct = counts.get(product) ?? 0;
    const added = newBin && !made.has(bin) ? Buffer.byteLength(newBin.code) : 0;
    if (added > 0 && stored.bins + made.size >= MAX_BINS) refusals.set(index, STORE_FULL);
    else if (added > 0 && bytes + added > MAX_CODES_BYTES) refusals.set(index, CODES_FULL);
    else if (ofUnit >= MAX_BINS_OF_UNIT) refusals.set(index, UNIT_FULL);
    else if (ofProduct >= MAX_BINS_OF_PRODUCT) refusals.set(index, PRODUCT_FULL);
    else {
      rows.add(`${unit} ${bin}`);
      counts.set(unit, ofUnit + 1).set(product, ofProduct + 1);
      if (newBin) made.set(bin, newBin);
      bytes += added;
    }
  }
  return { refusals, made };
}

interface Bins {
  readonly bins: number;
  /** The size of all their codes in bytes. */
  readonly bytes: number;
}

const NO_BINS: Bins = { bins: 0, bytes: 0 };

async function countBins(sql: TransactionSql, storeId: number): Promise<Bins> {
  const [row] = await sql.query<Bins>(COUNT_BINS, [storeId]);
  return row ?? NO_BINS;
}

/** Counts bins by `product/variant`, and by `product` for the product with its variants. */
async function countRows(
  sql: TransactionSql,
  storeId: number,
  lines: readonly ResolvedLine[],
): Promise<Map<string, number>> {
  const rows = await sql.query<{ product_id: number; variant_key: number; of_unit: number; of_product: number }>(
    COUNT_ROWS,
    [storeId, lines.map(({ productId }) => productId), lines.map(({ variantId }) => variantId ?? 0)],
  );
  return new Map(
    rows.flatMap(({ product_id: product, variant_key: variant, of_unit: ofUnit, of_product: ofProduct }) => [
      [`${product}/${variant}`, ofUnit] as const,
      [`${product}`, ofProduct] as const,
    ]),
  );
}

async function createBins(
  sql: TransactionSql,
  storeId: number,
  bins: readonly NewBin[],
  drawnIds: DrawnIds,
): Promise<ReadonlyMap<string, number>> {
  if (bins.length === 0) return new Map();
  const query = async (text: string, value: unknown) =>
    (await sql.query<{ id: number }>(text, [value, storeId])).map(({ id }) => id);
  const numbers = await drawnIds.draw(query, BIN_IDS, bins.length);
  const values = [storeId, bins.map(({ warehouseId }) => warehouseId), bins.map(({ code }) => code)];
  await sql.query(CREATE_BINS, [...values, numbers]);
  const rows = await sql.query<{ id: number; warehouse_id: number; code: string }>(FIND_CREATED, values);
  return new Map(rows.map(({ id, warehouse_id: warehouseId, code }) => [keyOfBin({ warehouseId, code }), id]));
}

function keyOfBin({ warehouseId, code }: NewBin): string {
  return `${warehouseId}/${code}`;
}

function tooManyBins(error: string): StockRefusal {
  return { code: 'too_many_bins', error };
}
