import { setStockQuantities } from '@app/infrastructure';
import type { Batch, Owner, WriteLines } from './batch.js';
import type { StockLine } from '../schema/bundle.js';
import { findSellables } from './targets-of-lines.js';
import { BINS, WAREHOUSES } from './tables.js';

/** Sets bins to the given quantities; the stock ledger gets a row for each change. */
export const writeStock: WriteLines<StockLine> = async (batch, store, lines) => {
  const bins = await findBins(
    batch,
    store,
    lines.map(({ number, line }) => ({ number, bin: line.bin })),
  );
  const references = lines.map(({ number, line }) => ({ number, reference: line }));
  const sellables = await findSellables(batch, store, references);
  const wanted = lines.flatMap(({ line }, index) => {
    const [binId, sellable] = [bins[index], sellables[index]];
    if (binId === undefined || !sellable?.productId) return [];
    return [{ binId, productId: sellable.productId, variantId: sellable.variantId, quantity: line.quantity }];
  });
  for (const { previous, quantity } of await setStockQuantities(batch.manager, store.id, wanted)) {
    batch.tally.add('stock', previous === null ? 'created' : previous === quantity ? 'unchanged' : 'updated');
  }
};

async function findBins(
  { known }: Batch,
  store: Owner,
  references: readonly { readonly number: number; readonly bin: string }[],
): Promise<number[]> {
  const parts = references.map(({ number, bin }) => {
    const [warehouse = '', code = ''] = bin.split('/');
    return { number, bin, warehouse, code };
  });
  await known.load(
    WAREHOUSES,
    store.id,
    parts.map(({ warehouse }) => ({ code: warehouse })),
  );
  const keys = parts.map(({ number, warehouse, code }) => {
    const from = { line: number, what: 'warehouse', name: warehouse };
    return { warehouse_id: known.get(WAREHOUSES, store.id, { code: warehouse }, from), code };
  });
  await known.load(BINS, store.id, keys);
  return parts.map(({ number, bin }, index) =>
    known.get(BINS, store.id, keys[index] ?? {}, { line: number, what: 'bin', name: bin }),
  );
}
