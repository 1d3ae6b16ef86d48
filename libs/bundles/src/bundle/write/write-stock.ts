import { operator, setStockQuantities } from '@app/infrastructure';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { StockLine } from '../schema/bundle.js';
import { findSellables } from './sellables.js';
import { BINS, WAREHOUSES } from './tables.js';

export const writeStock: WriteLines<'stock'> = async (batch, store, lines) => {
  const bins = await findBins(batch, store, lines);
  const references = lines.map(({ number, line }) => ({ number, reference: line }));
  const sellables = await findSellables(batch, store, references);
  const known = batch.good(lines, (each) => each);
  const wanted = known.flatMap(({ number, line }) => {
    const binId = bins.get(line);
    const { productId = null, variantId = null } = sellables.get(line) ?? {};
    return binId && productId ? [{ number, line, binId, productId, variantId, quantity: line.quantity }] : [];
  });
  const changes = await setStockQuantities(batch.sql, store.id, wanted, operator());
  batch.note(
    changes.map(({ number, line, binId, previous, quantity }) => {
      const outcome = previous === null ? 'created' : previous === quantity ? 'unchanged' : 'updated';
      return { number, line, id: binId, outcome } as const;
    }),
  );
};

async function findBins(
  batch: Batch,
  store: Owner,
  lines: readonly Numbered<StockLine>[],
): Promise<Map<StockLine, number>> {
  const named = lines.map(({ number, line }) => {
    const [warehouse = '', code = ''] = line.bin.split('/');
    return { number, line, warehouse: { code: warehouse }, code };
  });
  const warehouses = named.map(({ warehouse }) => warehouse);
  const warehouseId = await batch.finder(WAREHOUSES, store.id, warehouses);
  const bins = batch.good(named, ({ number, line, warehouse, code }) => {
    return { number, line, key: { warehouse_id: warehouseId(number, warehouse, 'warehouse'), code } };
  });
  const keys = bins.map(({ key }) => key);
  const binId = await batch.finder(BINS, store.id, keys);
  return new Map(batch.good(bins, ({ number, line, key }) => [line, binId(number, key, 'bin', line.bin)] as const));
}
