import type { components, paths } from './api.js';
import { RequestFailed, type StoreClient } from './client.js';

export type JournalEntry = components['schemas']['JournalEntry'];
type JournalFilter = Omit<NonNullable<paths['/v1/journal']['get']['parameters']['query']>, 'cursor' | 'page' | 'limit'>;

/**
 * Yields what happened to the money of all orders, oldest first. The sums over all entries of an order are its amounts.
 *
 * @throws RequestFailed
 */
export async function* journal(client: StoreClient, filter: JournalFilter = {}): AsyncGenerator<JournalEntry> {
  let limit = 100;
  for (let cursor = ''; ;) {
    const { data, error, response } = await client.GET('/v1/journal', {
      params: { query: { ...filter, limit, cursor } },
    });
    if (response.headers.get('x-error-code') === 'page_too_large') {
      limit = Math.floor(limit / 2);
      continue;
    }
    if (!data) throw new RequestFailed(response, error);
    yield* data.data;
    if (!data.has_more) return;
    cursor = data.cursor;
  }
}
