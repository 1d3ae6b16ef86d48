import { join } from 'node:path';
import { followSkus, type Sku, type SkuCopy, type StoreClient } from '@store-commerce/client';
import { readText, replaceFile, toCsv } from './csv-files.js';

const COLUMNS = ['sku', 'product_id', 'variant_id', 'product_slug', 'name', 'attributes', 'price', 'quantity'] as const;

/** Updates the copy, `stock.csv` and `stock.cursor`. Returns what can be ordered. */
export async function writeStock(client: StoreClient, folder: string, copy: SkuCopy): Promise<Sku[]> {
  await followSkus(client, copy);
  const units = [...copy.skus.values()].sort(bySku);
  const rows = units.map((unit) =>
    COLUMNS.map((name) => (name === 'attributes' ? JSON.stringify(unit[name]) : unit[name])),
  );
  const file = join(folder, 'stock.csv');
  const text = toCsv([COLUMNS, ...rows]);
  if (text !== (await readText(file))) await replaceFile(file, text);
  const cursor = join(folder, 'stock.cursor');
  if (copy.cursor !== undefined && copy.cursor !== (await readText(cursor))) await replaceFile(cursor, copy.cursor);
  return units;
}

/** Sorts like the list of SKUs: by code points, like bytes of UTF-8. `<` would compare units of UTF-16. */
function bySku(a: Sku, b: Sku): number {
  return (
    Buffer.compare(Buffer.from(a.sku), Buffer.from(b.sku)) ||
    a.product_id - b.product_id ||
    (a.variant_id ?? 0) - (b.variant_id ?? 0)
  );
}
