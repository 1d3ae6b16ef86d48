import { join } from 'node:path';
import type { Client } from 'openapi-fetch';
import type { paths } from '../typescript-client/api.js';
import { allSkus, type Sku } from '../typescript-client/erp.js';
import { replaceFile, toCsv } from './csv-files.js';

const COLUMNS = ['sku', 'product_id', 'variant_id', 'product_slug', 'name', 'attributes', 'price', 'quantity'] as const;

/** Replaces `stock.csv`. Returns what can be ordered. */
export async function writeStock(client: Client<paths>, folder: string): Promise<Sku[]> {
  const units: Sku[] = [];
  for await (const unit of allSkus(client)) units.push(unit);
  const rows = units.map((unit) =>
    COLUMNS.map((name) => (name === 'attributes' ? JSON.stringify(unit[name]) : unit[name])),
  );
  await replaceFile(join(folder, 'stock.csv'), toCsv([COLUMNS, ...rows]));
  return units;
}
