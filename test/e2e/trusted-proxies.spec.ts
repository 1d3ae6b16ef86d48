import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { startApi } from '../support/start-api.js';

const CLIENT = '198.51.100.7';
const FORGED = '203.0.113.9';
const [OUTER, INNER] = ['10.0.0.2', '10.0.0.1'];
const V6_CLIENT = '2001:db8::7';
const ADDRESSES = [CLIENT, FORGED, OUTER, INNER, V6_CLIENT];

/** The peer of the connection, what it sends as `X-Forwarded-For`, and the address for which keys are limited. */
type Row = readonly [peer: string, forwarded: string | null, seen: string];

const DIRECT: Row = [CLIENT, null, CLIENT];
const DIRECT_FORGED: Row = [CLIENT, FORGED, CLIENT];
/** A proxy adds the address of its peer to what the client claims. */
const ONE_PROXY: Row = [INNER, `${FORGED}, ${CLIENT}`, CLIENT];
const TWO_PROXIES: Row = [INNER, `${FORGED}, ${CLIENT}, ${OUTER}`, CLIENT];

describe('TRUST_PROXY', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  it.each<[string, readonly Row[]]>([
    ['', [DIRECT, DIRECT_FORGED, [INNER, CLIENT, INNER]]],
    ['1', [DIRECT, ONE_PROXY, [INNER, `${FORGED}, ${CLIENT}, ${OUTER}`, OUTER], [INNER, V6_CLIENT, V6_CLIENT]]],
    ['2', [DIRECT, TWO_PROXIES, [INNER, CLIENT, CLIENT]]],
    // A client chooses its address, which is why the documentation warns of this form.
    ['true', [DIRECT, [INNER, CLIENT, CLIENT], [INNER, `${FORGED}, ${CLIENT}`, FORGED]]],
    [INNER, [DIRECT, DIRECT_FORGED, ONE_PROXY, [`::ffff:${INNER}`, `${FORGED}, ${CLIENT}`, CLIENT]]],
    ['10.0.0.0/8, fd00::/8', [DIRECT, DIRECT_FORGED, ONE_PROXY, TWO_PROXIES, ['fd00::1', CLIENT, CLIENT]]],
  ])('%s: limits keys by the address of the client', async (trustProxy, rows) => {
    const api = await startApi({ TRUST_PROXY: trustProxy }, undefined, database);
    try {
      const keys = new Map<string, string>();
      for (const address of ADDRESSES) {
        const key = await api.store.createKey();
        const limit = 'UPDATE api_keys SET networks = ARRAY[$2::cidr] WHERE last_four = $1 AND store_id = $3';
        await database.query(limit, [key.slice(-4), address, api.store.id]);
        keys.set(address, key);
      }

      for (const [remoteAddress, forwarded, seen] of rows) {
        const accepted: string[] = [];
        for (const [address, key] of keys) {
          const headers = {
            authorization: `Bearer ${key}`,
            ...(forwarded !== null && { 'x-forwarded-for': forwarded }),
          };
          const { statusCode } = await api.inject({ url: '/v1/store', remoteAddress, headers });
          if (statusCode === 200) accepted.push(address);
          else expect(statusCode).toBe(403);
        }
        expect([remoteAddress, forwarded, ...accepted]).toEqual([remoteAddress, forwarded, seen]);
      }
    } finally {
      await api.app.close();
    }
  });
});
