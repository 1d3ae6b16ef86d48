import type { OrderKey } from '@app/application';
import { BinShort, NotFound, type PickedUnits } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { unitsByBin } from './line-units.js';
import { keyOf, lockRows, type StockKey } from './stock-quantities.js';

const FIND_BINS = `/* stock.find_picked_bins */
  SELECT bins.id FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS picked (warehouse, bin, number)
  LEFT JOIN warehouses ON warehouses.store_id = $1 AND warehouses.code = picked.warehouse
  LEFT JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = warehouses.id AND bins.code = picked.bin
  ORDER BY picked.number`;

// The statement returns the units of the order's lines: those of the shipment (own), and those in no shipment (free).
const FIND_UNITS = `/* stock.find_picked_units */
  SELECT position + 1 AS line, line.product_id, coalesce(line.variant_id, 0) AS variant_key, bin_id,
    coalesce(own.quantity, 0) AS own, (held - claimed)::int AS free
  FROM ${unitsByBin('$1', '$2')} AS unit
  JOIN order_lines AS line USING (position)
  LEFT JOIN (
    SELECT position, bin_id, quantity FROM shipment_items WHERE store_id = $1 AND order_id = $2 AND reference = $3
  ) AS own USING (position, bin_id)
  WHERE line.store_id = $1 AND line.order_id = $2
  ORDER BY position, bin_id`;

const MOVE_PICKED = `/* stock.move_picked */
  WITH moved AS (
    SELECT * FROM jsonb_to_recordset($3) AS moved (bin_id int, product_id int, variant_key int, line int, difference int)
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + whole.difference
    FROM (
      SELECT bin_id, product_id, variant_key, sum(difference)::int AS difference FROM moved
      GROUP BY bin_id, product_id, variant_key HAVING sum(difference) <> 0
    ) AS whole
    WHERE stock.store_id = $1 AND stock.bin_id = whole.bin_id AND stock.product_id = whole.product_id
      AND stock.variant_key = whole.variant_key
  )
  INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
  SELECT $1, bin_id, product_id, variant_key, $2, 'ORDER', difference, line - 1 FROM moved`;

const SET_BINS = `/* stock.set_picked_bins */
  INSERT INTO shipment_items (store_id, order_id, reference, position, bin_id, quantity)
  SELECT $1, $2, $3, line - 1, bin_id, units FROM jsonb_to_recordset($4) AS picked (line int, bin_id int, units int)
  WHERE units > 0 OR EXISTS (
    SELECT FROM shipment_items AS known
    WHERE known.store_id = $1 AND known.order_id = $2 AND known.reference = $3 AND known.position = line - 1
      AND known.bin_id = picked.bin_id)
  ON CONFLICT (store_id, order_id, reference, position, bin_id) DO UPDATE SET quantity = excluded.quantity`;

interface UnitsRow extends StockKey {
  readonly line: number;
  own: number;
  free: number;
}

/** Units that a line takes from a bin (-1), or gives to it (1). */
type Move = StockKey & { readonly line: number; readonly difference: number };
type PickedBin = PickedUnits & { readonly binId: number };

/**
 * Assigns the units of a shipment to the bins that they were picked from. Units that the order has not taken from there
 * are withdrawn, and as many others go back to their bins. The caller has locked the order.
 * @throws NotFound for an unknown bin.
 * @throws BinShort when the bin has too few units that no order has taken.
 */
export async function pickFrom(
  sql: TransactionSql,
  { storeId, orderId }: OrderKey,
  reference: string,
  picked: readonly PickedUnits[],
): Promise<void> {
  const bins = await findBins(sql, storeId, picked);
  const rows = await sql.query<UnitsRow>(FIND_UNITS, [storeId, orderId, reference]);
  const lines = new Set(bins.map(({ line }) => line));
  const moves = [...lines].flatMap((line) => pickLine(rows, line, requestedBins(bins, line)));
  await move(sql, { storeId, orderId }, moves, bins);
  const items = rows
    .filter(({ line }) => lines.has(line))
    .map(({ line, bin_id, own }) => ({ line, bin_id, units: own }));
  await sql.query(SET_BINS, [storeId, orderId, reference, JSON.stringify(items)]);
}

async function findBins(
  sql: TransactionSql,
  storeId: number,
  picked: readonly PickedUnits[],
): Promise<readonly PickedBin[]> {
  const codes = [picked.map(({ warehouse }) => warehouse), picked.map(({ bin }) => bin)];
  const rows = await sql.query<{ id: number | null }>(FIND_BINS, [storeId, ...codes]);
  return picked.map((units, index) => {
    const binId = rows[index]?.id ?? null;
    if (binId === null) throw new NotFound(`Bin ${units.warehouse}/${units.bin}`);
    return { ...units, binId };
  });
}

function requestedBins(bins: readonly PickedBin[], line: number): Map<number, number> {
  const requested = new Map<number, number>();
  for (const { binId, quantity } of bins.filter((picked) => picked.line === line)) {
    requested.set(binId, (requested.get(binId) ?? 0) + quantity);
  }
  return requested;
}

/** Changes the rows. @returns what the lines of the order move. */
function pickLine(rows: UnitsRow[], line: number, requested: ReadonlyMap<number, number>): Move[] {
  const own = rows.filter((row) => row.line === line);
  const ownOf = (bin: number) => own.find(({ bin_id }) => bin_id === bin)?.own ?? 0;
  const missing = [...requested].map(([bin, units]) => ({ bin, units: units - ownOf(bin) }));
  // The units of the lowest bins keep their bin.
  const left = own
    .toReversed()
    .map(({ bin_id: bin, own: units }) => ({ bin, units: units - (requested.get(bin) ?? 0) }));
  return pair(left, missing).flatMap(([from, to, units]) => exchange(rows, line, from, to, units));
}

interface Units {
  readonly bin: number;
  readonly units: number;
}

/** Pairs the units of two lists in sequence. */
function pair(from: readonly Units[], to: readonly Units[]): [from: number, to: number, units: number][] {
  const left = from.map((one) => ({ ...one }));
  return to.flatMap(({ bin, units: requested }) => {
    let rest = requested;
    return left.flatMap((one): [number, number, number][] => {
      const units = Math.min(rest, one.units);
      if (units <= 0) return [];
      one.units -= units;
      rest -= units;
      return [[one.bin, bin, units]];
    });
  });
}

/**
 * Replaces units of the shipment by units of another bin. These come from units of the line that are in no shipment,
 * otherwise from another line of the same product, otherwise from the stock. Whoever gives them receives the replaced
 * units.
 */
function exchange(rows: UnitsRow[], line: number, from: number, to: number, units: number): Move[] {
  const unit = rows.find((row) => row.line === line) as UnitsRow;
  const rowOf = (of: number, bin: number): UnitsRow => {
    const known = rows.find((row) => row.line === of && row.bin_id === bin);
    if (known) return known;
    rows.push({ ...unit, line: of, bin_id: bin, own: 0, free: 0 });
    return rows.at(-1) as UnitsRow;
  };
  const move = (of: number, bin: number, difference: number): Move => ({ ...unit, line: of, bin_id: bin, difference });
  rowOf(line, from).own -= units;
  rowOf(line, to).own += units;

  const others = rows.filter((row) => row.line !== line && row.bin_id === to && isSameUnit(row, unit));
  let rest = units;
  const moves = [rowOf(line, to), ...others].flatMap((giver) => {
    const count = Math.max(0, Math.min(rest, giver.free));
    rest -= count;
    giver.free -= count;
    rowOf(giver.line, from).free += count;
    const of = giver.line;
    if (of === line || count === 0) return [];
    return [move(line, to, -count), move(line, from, count), move(of, to, count), move(of, from, -count)];
  });
  const withdrawn = rest > 0 ? [move(line, to, -rest), move(line, from, rest)] : [];
  return [...moves, ...withdrawn].filter(({ bin_id }) => bin_id !== 0);
}

function isSameUnit(one: StockKey, other: StockKey): boolean {
  return one.product_id === other.product_id && one.variant_key === other.variant_key;
}

async function move(
  sql: TransactionSql,
  { storeId, orderId }: OrderKey,
  moves: readonly Move[],
  bins: readonly PickedBin[],
): Promise<void> {
  if (moves.length === 0) return;
  const { rows } = await lockRows((text, values) => sql.query(text, values), storeId, moves, []);
  const changes = new Map<string, Move>();
  for (const one of moves) {
    const key = keyOf(one);
    changes.set(key, { ...one, difference: one.difference + (changes.get(key)?.difference ?? 0) });
  }
  for (const [key, { bin_id, difference }] of changes) {
    const found = rows.get(key) ?? 0;
    if (found + difference >= 0) continue;
    const named = bins.find(({ binId }) => binId === bin_id);
    throw new BinShort(`${named?.warehouse}/${named?.bin}`, -difference, found);
  }
  await sql.query(MOVE_PICKED, [storeId, orderId, JSON.stringify(moves)]);
}
