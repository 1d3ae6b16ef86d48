import type { OrderKey } from '@app/application';
import { BinShort, NotFound, type PickedUnits } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { UNCLAIMED_UNITS } from './line-units.js';
import { keyOf, lockRows, type StockPlace } from './stock-quantities.js';

const FIND_BINS = `/* stock.find_picked_bins */
  SELECT bins.id FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS picked (warehouse, bin, number)
  LEFT JOIN warehouses ON warehouses.store_id = $1 AND warehouses.code = picked.warehouse
  LEFT JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = warehouses.id AND bins.code = picked.bin
  ORDER BY picked.number`;

// Of the lines that the shipment has, the bins of its units, and those of the units of the product that no shipment has.
const FIND_UNITS = `/* stock.find_picked_units */
  WITH ${UNCLAIMED_UNITS}
  SELECT line.position + 1 AS line, line.product_id, line.variant_key, item.bins AS own, ARRAY(
    SELECT unclaimed.bin_id FROM unclaimed JOIN open_lines AS other USING (position)
    WHERE other.product_id = line.product_id AND other.variant_key = line.variant_key ORDER BY unclaimed.bin_id
  ) AS others
  FROM shipment_items AS item JOIN open_lines AS line USING (position)
  WHERE item.store_id = $1 AND item.order_id = $2 AND item.reference = $3
  ORDER BY line.position`;

const MOVE_PICKED = `/* stock.move_picked */
  WITH moved AS (
    SELECT * FROM unnest($3::int[], $4::int[], $5::int[], $6::int[]) AS moved (bin_id, product_id, variant_key, difference)
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + moved.difference
    FROM moved
    WHERE stock.store_id = $1 AND stock.bin_id = moved.bin_id AND stock.product_id = moved.product_id
      AND stock.variant_key = moved.variant_key
  )
  INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity)
  SELECT $1, bin_id, product_id, variant_key, $2, 'ORDER', difference FROM moved`;

const SET_BINS = `/* stock.set_picked_bins */
  UPDATE shipment_items SET bins = picked.bins
  FROM jsonb_to_recordset($4) AS picked (line int, bins int[])
  WHERE store_id = $1 AND order_id = $2 AND reference = $3 AND position = picked.line - 1`;

interface UnitsRow {
  readonly line: number;
  readonly product_id: number;
  readonly variant_key: number;
  readonly own: number[];
  readonly others: number[];
}

type Move = StockPlace & { difference: number };
type PickedBin = PickedUnits & { readonly binId: number };

/**
 * Gives the units of a shipment the bins from which they were picked. Units that the order has not taken from there are
 * withdrawn, and as many others go back to their bins. The caller has locked the order.
 * @throws NotFound for an unknown bin.
 * @throws BinShort when the bin has fewer units that no order has taken.
 */
export async function pickFrom(
  sql: TransactionSql,
  { storeId, orderId }: OrderKey,
  reference: string,
  picked: readonly PickedUnits[],
): Promise<void> {
  const bins = await findBins(sql, storeId, picked);
  const rows = await sql.query<UnitsRow>(FIND_UNITS, [storeId, orderId, reference]);
  // Lines of the same product share its other units.
  const others = new Map(rows.map((row) => [`${row.product_id}/${row.variant_key}`, row.others]));
  const moves = new Map<string, Move>();
  const items = rows.map(({ line, product_id, variant_key, own }) => {
    const wanted = bins.flatMap(({ line: of, binId, quantity }) =>
      of === line ? Array<number>(quantity).fill(binId) : [],
    );
    const { chosen, changes } = choose(own, others.get(`${product_id}/${variant_key}`) ?? [], wanted);
    for (const [bin_id, difference] of changes) {
      const place = { bin_id, product_id, variant_key };
      const move = moves.get(keyOf(place)) ?? { ...place, difference: 0 };
      moves.set(keyOf(place), { ...move, difference: move.difference + difference });
    }
    return { line, bins: chosen };
  });
  const needed = [...moves.values()].filter(({ difference }) => difference !== 0);
  await move(sql, { storeId, orderId }, needed, bins);
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

/**
 * @param own the bins that the units of the shipment have.
 * @param others those of the order's further units of the product. Loses what the shipment takes, and gets what it leaves.
 * @returns the new bins of the shipment, and what the order takes from bins (-1) or puts back (1).
 */
function choose(own: readonly number[], others: number[], wanted: readonly number[]) {
  const left = [...own];
  const withdrawn = wanted.filter((bin) => !take(left, bin) && !take(others, bin));
  const kept = left.splice(0, own.length - wanted.length);
  others.push(...left);
  // The last are those that the shipment has left.
  const back = withdrawn.length > 0 ? others.splice(-withdrawn.length) : [];
  return {
    chosen: [...wanted, ...kept],
    changes: [...withdrawn.map((bin) => [bin, -1] as const), ...back.map((bin) => [bin, 1] as const)],
  };
}

function take(bins: number[], bin: number): boolean {
  const index = bins.indexOf(bin);
  if (index >= 0) bins.splice(index, 1);
  return index >= 0;
}

async function move(
  sql: TransactionSql,
  { storeId, orderId }: OrderKey,
  moves: readonly Move[],
  bins: readonly PickedBin[],
): Promise<void> {
  if (moves.length === 0) return;
  const { rows } = await lockRows((text, values) => sql.query(text, values), storeId, moves, []);
  const short = moves.find((place) => (rows.get(keyOf(place)) ?? 0) + place.difference < 0);
  if (short) {
    const named = bins.find(({ binId }) => binId === short.bin_id);
    throw new BinShort(`${named?.warehouse}/${named?.bin}`, -short.difference, rows.get(keyOf(short)) ?? 0);
  }
  await sql.query(MOVE_PICKED, [
    storeId,
    orderId,
    moves.map(({ bin_id }) => bin_id),
    moves.map(({ product_id }) => product_id),
    moves.map(({ variant_key }) => variant_key),
    moves.map(({ difference }) => difference),
  ]);
}
