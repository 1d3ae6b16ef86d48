import type { RunningApi } from './start-api.js';

interface RetrievalEndpoint {
  readonly api: RunningApi;
  readonly path: string;
  /** The noun of the error message, for example `Order`. */
  readonly what: string;
  readonly known: string | number;
  readonly alias: string;
  readonly foreign: readonly (string | number)[];
}

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
  ['a UUID with a wrong letter', '00000000-0000-0000-0000-00000000000g'],
  ['an encoded per-cent sign', '%25'],
  ['an emoji', '%F0%9F%92%A5'],
];

/** References that do not reach the handler. */
const BROKEN: readonly [string, string][] = [
  ['a lone per-cent sign', '%'],
  ['a malformed escape', '%zz'],
  ['bytes that are not UTF-8', '%ff'],
  ['half a surrogate pair', '%ED%A0%80'],
  ['more than 512 characters', 'a'.repeat(513)],
  ['14,000 characters', 'a'.repeat(14_000)],
  ['two dots', '%2e%2e'],
];

export function itBehavesAsRetrieval(endpoint: () => RetrievalEndpoint): void {
  describe('as a retrieval', () => {
    const ask = async (reference: string | number) => {
      const { api, path } = endpoint();
      return api.get(`${path}/${reference}`);
    };

    it('returns the envelope of a single resource, the same for both of its references', async () => {
      const { known, alias } = endpoint();
      const response = await ask(known);

      expect(response.statusCode).toBe(200);
      const body = response.json<{ success: boolean; data: { id: unknown } }>();
      expect(Object.keys(body)).toEqual(['success', 'data']);
      expect([body.success, String(body.data.id)]).toEqual([true, String(known)]);
      expect((await ask(alias)).payload).toBe(response.payload);
    });

    it.each(IMPOSSIBLE)('returns 404 for %s', async (_what, reference) => {
      const response = await ask(reference);

      const error = `${endpoint().what} not found`;
      expect([response.statusCode, response.json()]).toMatchObject([404, { success: false, error }]);
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
  });
}
