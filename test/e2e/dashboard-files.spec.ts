import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startApi, type RunningApi } from '../support/start-api.js';

const LIMIT_BYTES = 90_000;

describe('the files of the dashboard', () => {
  let api: RunningApi;
  let names: string[];
  beforeAll(async () => {
    api = await startApi();
    const { body } = await api.inject({ url: '/dashboard/' });
    names = [...body.matchAll(/(?:href|src)="\.\/([^"]+)"/g)].map(([, name = '']) => name);
  });
  afterAll(() => api.stop());

  it('are a page that is revalidated, and files that are kept for a year', async () => {
    expect(names).toEqual([
      expect.stringMatching(/^style-[0-9a-f]{12}\.css$/),
      expect.stringMatching(/^main-[0-9a-f]{12}\.js$/),
    ]);
    expect((await api.inject({ url: '/dashboard/' })).headers['cache-control']).toBe('no-cache');
    for (const name of names) {
      const { statusCode, headers } = await api.inject({ url: `/dashboard/${name}` });
      expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  it('are at most 90 kB, as the build has compressed them', async () => {
    const sizes = await Promise.all(
      ['', ...names].map(async (name) => {
        const plain = await api.inject({ url: `/dashboard/${name}` });
        const [br, gzip] = await Promise.all(
          ['br', 'gzip'].map((coding) =>
            api.inject({ url: `/dashboard/${name}`, headers: { 'accept-encoding': coding } }),
          ),
        );
        expect(brotliDecompressSync(br?.rawPayload ?? '').equals(plain.rawPayload)).toBe(true);
        expect(gunzipSync(gzip?.rawPayload ?? '').equals(plain.rawPayload)).toBe(true);
        return gzip?.rawPayload.length ?? 0;
      }),
    );

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LIMIT_BYTES);
  });

  it('have a policy that permits no inline script, no other host and no frame', async () => {
    for (const name of ['', ...names]) {
      const { headers } = await api.inject({ url: `/dashboard/${name}` });
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'; trusted-types 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      });
    }
  });

  it.each([
    '/dashboard/main-000000000000.js',
    '/dashboard/orders',
    '/dashboard/index.html.br',
    '/dashboard/../package.json',
  ])('do not include %s, which is never answered with the page', async (url) => {
    const { statusCode, headers } = await api.inject({ url });

    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('are absent with DASHBOARD=off, as is the sign-in, when a browser is sent to the documentation', async () => {
    const client = { OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'x' };
    const provider = { PUBLIC_URL: 'http://localhost', OIDC_ISSUER: 'http://127.0.0.1', ...client };
    const off = await startApi({ DASHBOARD: 'off', ...provider });
    try {
      const urls = ['/dashboard/', '/dashboard/sign-in', '/dashboard/oidc/start', '/dashboard/oidc/callback'];
      for (const url of urls) expect([url, (await off.inject({ url })).statusCode]).toEqual([url, 404]);
      for (const url of ['sign-in/code', 'sign-in/link', 'session'].map((each) => `/dashboard/${each}`)) {
        const { statusCode } = await off.inject({ method: 'POST', url, payload: {} });
        expect([url, statusCode]).toEqual([url, 404]);
      }
      const { statusCode } = await off.inject({ method: 'DELETE', url: '/dashboard/session' });
      expect(statusCode).toBe(404);
      const { headers } = await off.inject({ url: '/', headers: { accept: 'text/html' } });
      expect(headers.location).toBe('/docs');
    } finally {
      await off.stop();
    }
  });
});
