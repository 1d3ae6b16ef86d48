import type { RunningApi } from './start-api.js';

/** An endpoint of single resources. */
export interface RetrievalEndpoint {
  readonly api: RunningApi;
  readonly path: string;
  /** The noun of the error message, for example `Order`. */
  readonly what: string;
  /** The id, slug or receipt number of an existing resource. */
  readonly known: string | number;
  /** References to resources of another store. */
  readonly foreign: readonly (string | number)[];
}

/** References that no resource has, as they stand in a URL. */
const IMPOSSIBLE: readonly [string, string][] = [
  ['an unknown UUID', '0190b6a0-0000-7000-8000-000000000000'],
  ['half a UUID', '0190b6a0-0000-7000'],
  ['an unknown number', '999999999'],
  ['zero', '0'],
  ['a negative number', '-1'],
  ['a number beyond 32 bits', '2147483648'],
  ['a number beyond 64 bits', '99999999999999999999'],
  ['a fraction', '1.5'],
  ['NUL', '%00'],
  ['a text with NUL', 'a%00b'],
  ['an encoded slash', 'a%2Fb'],
  ['a quote', `a'%20OR%20'1'%3D'1`],
  ['512 characters', 'a'.repeat(512)],
  ['512 digits', '9'.repeat(512)],
];

/** References that do not reach the handler. */
const BROKEN: readonly [string, string][] = [
  ['a lone per-cent sign', '%'],
  ['a malformed escape', '%zz'],
  ['bytes that are not UTF-8', '%ff'],
  ['half a surrogate pair', '%ED%A0%80'],
  ['more than 512 characters', 'a'.repeat(513)],
];

/** Tests what all retrievals have in common. */
export function itBehavesAsRetrieval(endpoint: () => RetrievalEndpoint): void {
  describe('as a retrieval', () => {
    const ask = async (reference: string | number, headers?: Record<string, string>) => {
      const { api, path } = endpoint();
      return api.get(`${path}/${reference}`, headers);
    };

    it('returns the envelope of a single resource', async () => {
      const response = await ask(endpoint().known);

      expect(response.statusCode).toBe(200);
      expect(Object.keys(response.json<object>())).toEqual(['success', 'data']);
    });

    it.each(IMPOSSIBLE)('returns 404 for %s', async (_what, reference) => {
      const response = await ask(reference);

      const error = `${endpoint().what} not found`;
      expect([response.statusCode, response.json()]).toEqual([404, { success: false, error }]);
    });

    it.each(BROKEN)('returns 404 in the envelope for %s', async (_what, text) => {
      const response = await ask(text);

      const { success, error } = response.json<{ success: boolean; error: string }>();
      expect([response.statusCode, success, typeof error]).toEqual([404, false, 'string']);
    });

    it("returns the same answer for another store's resources as for unknown ones", async () => {
      const unknown = await ask('999999999');
      const { foreign } = endpoint();
      expect(foreign.length).toBeGreaterThan(0);

      for (const reference of foreign) {
        const response = await ask(reference);
        expect([response.statusCode, response.payload]).toEqual([404, unknown.payload]);
      }
    });

    it('names ignored parameters, because it accepts none', async () => {
      const response = await ask(`${endpoint().known}?expand=all&limit=1`);

      expect([response.statusCode, response.headers['x-ignored-parameters']]).toEqual([200, 'expand, limit']);
    });

    it('returns 400 for a parameter when the client prefers strict handling', async () => {
      const response = await ask(`${endpoint().known}?expand=all`, { prefer: 'handling=strict' });

      expect(response.statusCode).toBe(400);
    });

    it('returns 401 without a key', async () => {
      const { api, path, known } = endpoint();

      const response = await api.inject({ method: 'GET', url: `${path}/${known}` });

      expect(response.statusCode).toBe(401);
    });
  });
}
