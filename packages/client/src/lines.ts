import type { components } from './api.js';
import { RequestFailed, refused, type StoreClient } from './client.js';

export type ImportLine = components['schemas']['ImportLine'];
export type ImportedLine = components['schemas']['ImportResult']['lines'][number];
export type NewStock = components['schemas']['ChangeStockRequest'];
export type StockLine = components['schemas']['StockChange']['lines'][number];

/** `done`: look at the `code` of each line, `''` where it is applied. `refused`: nothing changed. */
export type LinesOutcome<Line> =
  | { readonly result: 'done'; readonly lines: readonly Line[] }
  | { readonly result: 'refused'; readonly code: string; readonly reason: string };

/**
 * Sends receipts, corrections and counts, up to 500. The same call with the same `reference` changes nothing and has the
 * same outcome, also after a restart.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: the stock may have changed. Call again.
 */
export async function changeStock(client: StoreClient, body: NewStock): Promise<LinesOutcome<StockLine>> {
  const params = { header: { 'Idempotency-Key': crypto.randomUUID() } };
  const { data, error, response } = await client.POST('/v1/stock', { params, body });
  return data ? { result: 'done', lines: data.data.lines } : refused(response, error);
}

export type NewPrices = components['schemas']['ChangePricesRequest'];
export type PriceLine = components['schemas']['PriceChange']['lines'][number];

/**
 * Sets prices, up to 500. The same call with the same `reference` changes nothing and has the same outcome, also after a
 * restart.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: prices may have changed. Call again.
 */
export async function changePrices(client: StoreClient, body: NewPrices): Promise<LinesOutcome<PriceLine>> {
  const params = { header: { 'Idempotency-Key': crypto.randomUUID() } };
  const { data, error, response } = await client.POST('/v1/prices', { params, body });
  return data ? { result: 'done', lines: data.data.lines } : refused(response, error);
}

/**
 * Writes lines of the catalog, of customers or of past orders, in requests of 500. The same lines again change nothing: call
 * again after an error.
 *
 * @returns the lines that were refused, which changed nothing. Their numbers count from 1 over all requests.
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: some of the lines may be written.
 */
export async function importLines(client: StoreClient, lines: readonly ImportLine[]): Promise<ImportedLine[]> {
  const refused: ImportedLine[] = [];
  for (let first = 0; first < lines.length; first += 500) {
    const body = { lines: lines.slice(first, first + 500) };
    // The service needs no key here, but the client retries a POST only if it has one.
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const { data, error, response } = await client.POST('/v1/import', { headers, body });
    if (!data) throw new RequestFailed(response, error);
    const found = data.data.lines.filter(({ result }) => result === 'refused');
    refused.push(...found.map((each) => ({ ...each, line: each.line + first })));
  }
  return refused;
}
