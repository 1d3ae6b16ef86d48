import { operator, setStockQuantities } from '@app/infrastructure';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { StockLine } from '../schema/bundle.js';
import { findSellables } from './sellables.js';
import { BINS, WAREHOUSES } from './tables.js';

export const writeStock: WriteLines<'stock'> = async (batch, store, lines) => {
  const bins = await findBins(batch, store, lines);
  const references = lines.map(({ number, line }) => ({ number, reference: line }));
  const sellables = await findSellables(batch, store, references);
  const wanted = lines.flatMap(({ line }) => {
    const binId = bins.get(line);
    const { productId = null, variantId = null } = sellables.get(line) ?? {};
    return binId && productId ? [{ binId, productId, variantId, quantity: line.quantity }] : [];
  });
  for (const { previous, quantity } of await setStockQuantities(batch.manager, store.id, wanted, operator())) {
    batch.counts.stock[previous === null ? 'created' : previous === quantity ? 'unchanged' : 'updated']++;
  }
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
  const bins = named.map(({ number, line, warehouse, code }) => {
    return { number, line, key: { warehouse_id: warehouseId(number, warehouse, 'warehouse'), code } };
  });
  const keys = bins.map(({ key }) => key);
  const binId = await batch.finder(BINS, store.id, keys);
  return new Map(bins.map(({ number, line, key }) => [line, binId(number, key, 'bin', line.bin)]));
}
