import type { RunningApi } from './start-api.js';

interface ListBody {
  readonly success: boolean;
  readonly data: readonly Record<string, unknown>[];
  readonly pagination: { readonly total: number; readonly page: number; readonly limit: number };
}

interface ListEndpoint {
  readonly path: string;
  readonly api: RunningApi;
  readonly ids: readonly unknown[];
  readonly key?: string;
}

export async function readList(api: RunningApi, url: string): Promise<ListBody> {
  const response = await api.get(url);
  expect([url, response.statusCode]).toEqual([url, 200]);
  return response.json<ListBody>();
}

export async function idsIn(api: RunningApi, url: string, key = 'id'): Promise<{ ids: unknown[]; total: number }> {
  const { data, pagination } = await readList(api, url);
  return { ids: data.map((row) => row[key]), total: pagination.total };
}

/** Tests what all lists have in common. The list must have at least three rows. */
export function itBehavesAsList(endpoint: () => ListEndpoint): void {
  describe('as a list', () => {
    it('returns the envelope of a list', async () => {
      const { api, path, ids } = endpoint();

      expect(await readList(api, path)).toEqual({
        success: true,
        data: expect.any(Array) as unknown,
        pagination: { total: ids.length, page: 1, limit: 50 },
      });
    });

    it('returns every row once and in order for every page size', async () => {
      const { api, path, ids, key = 'id' } = endpoint();
      expect(ids.length).toBeGreaterThanOrEqual(3);

      for (const limit of [1, 2, 100]) {
        const seen: unknown[] = [];
        for (let page = 1; page <= Math.ceil(ids.length / limit); page++) {
          const { data, pagination } = await readList(api, `${path}?limit=${limit}&page=${page}`);
          expect(pagination).toEqual({ total: ids.length, page, limit });
          seen.push(...data.map((row) => row[key]));
        }
        expect(seen).toEqual(ids);
      }
    });

    // `parameters.spec.ts` has the other values of each parameter.
    it.each([
      ['limit=abc', 50, 1],
      ['limit=1&limit=2', 2, 1],
      ['page=9', 50, 9],
      ['page=99999999999999999999&limit=100', 100, 21_474_836],
    ])('reads ?%s as a limit of %d and page %d', async (query, limit, page) => {
      const { api, path, ids } = endpoint();

      const { data, pagination } = await readList(api, `${path}?${query}`);

      expect(pagination).toEqual({ total: ids.length, page, limit });
      expect(data).toHaveLength(page === 1 ? Math.min(limit, ids.length) : 0);
    });

    it('names no known parameter', async () => {
      const { api, path } = endpoint();

      const response = await api.get(`${path}?limit=1&page=1&search=x`, { prefer: 'handling=strict' });

      expect([response.statusCode, response.headers['x-ignored-parameters']]).toEqual([200, undefined]);
    });

    it.each(['search=', 'search=x&search='])('does not filter by ?%s', async (query) => {
      const { api, path, ids, key } = endpoint();

      expect(await idsIn(api, `${path}?${query}`, key)).toEqual({ ids, total: ids.length });
    });

    it.each([
      ['text that no row has', 'no-row-has-this'],
      ['a text with NUL', 'a%00'],
      ['half a surrogate pair', '%ED%A0%80'],
    ])('returns no row for %s', async (_what, search) => {
      const { api, path } = endpoint();

      expect(await idsIn(api, `${path}?search=${search}`)).toEqual({ ids: [], total: 0 });
    });
  });
}
