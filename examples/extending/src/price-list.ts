import { readFileSync } from 'node:fs';
import type { PriceList } from './price-list-pricing.js';

/** Reads a file with one `SKU,price` per line. A price is in major units of the store's currency: `19.90`. */
export function readPriceList(file: string): PriceList {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const prices = new Map(lines.map((line) => line.split(',') as [string, string]));
  return { pricesOf: () => Promise.resolve(prices) };
}
