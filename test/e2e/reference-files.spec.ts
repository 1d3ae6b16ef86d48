import { PAGES } from '../../apps/api/src/openapi/page-frame.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('the files of the API reference', () => {
  let api: RunningApi;
  let assets: string[];
  beforeAll(async () => {
    api = await startApi();
    const { body } = await api.inject({ url: '/docs/' });
    assets = [...body.matchAll(/(?:src|href)="\.\/([^"]+\?v=[^"]+)"/g)].map(([, asset]) => `/docs/${asset}`);
  });
  afterAll(() => api.stop());

  it('are cached for a year at the URLs that the page contains', async () => {
    expect(assets).toHaveLength(5);
    for (const url of assets) {
      const { headers } = await api.inject({ url });
      expect([url, headers['cache-control']]).toEqual([url, 'public, max-age=31536000, immutable']);
    }
  });

  it.each([
    '/docs',
    '/docs/',
    '/docs/guide',
    '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui-bundle.js?v=old',
    '/openapi.json',
  ])('include %s, which is revalidated each time and returns 304 while it is unchanged', async (url) => {
    const first = await api.inject({ url });
    const etag = String(first.headers.etag);
    expect([first.statusCode, first.headers['cache-control']]).toEqual([200, 'no-cache']);

    for (const known of [etag, `W/${etag}`]) {
      const again = await api.inject({ url, headers: { 'if-none-match': known } });
      expect([known, again.statusCode, again.body, again.headers.etag]).toEqual([known, 304, '', etag]);
    }
    expect((await api.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  });

  it.each(Object.keys(PAGES).filter((name) => name !== ''))(
    'include the guide %s as HTML whose links and anchors all lead to something, and which runs no script',
    async (name) => {
      const { body, headers } = await api.inject({ url: `/docs/${name}` });
      const links = [...body.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);
      const pages = links.map((href) => new URL(href, `http://x/docs/${name}`)).filter(({ host }) => host === 'x');

      expect(headers['content-type']).toContain('text/html');
      expect(headers['content-security-policy']).not.toMatch(/script-src|unsafe/);
      expect(pages.length).toBeGreaterThan(8);
      for (const { pathname, hash } of pages) {
        const linked = await api.inject({ url: pathname });
        expect([pathname, linked.statusCode]).toEqual([pathname, 200]);
        if (hash) expect(linked.body.split(` id="${hash.slice(1)}"`)).toHaveLength(2);
      }
    },
  );

  it('include the guides for receivers of webhooks', async () => {
    for (const name of ['webhooks', 'webhook-receivers'])
      expect((await api.inject({ url: `/docs/${name}` })).statusCode).toBe(200);
  });

  it.each(['/docs/package.json', '/docs/swagger-ui-bundle.js.map', '/docs/../package.json', '/docs/LICENSE'])(
    'do not include %s',
    async (url) => {
      expect((await api.inject({ url })).statusCode).toBe(404);
    },
  );
});
