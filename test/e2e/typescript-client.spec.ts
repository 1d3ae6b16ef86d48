import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { retryingFetch } from '../../examples/typescript-client/retrying-fetch.js';
import { placeOrder, storeClient } from '../../examples/typescript-client/store.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ROOT = join(__dirname, '../..');
const CLIENT = 'examples/typescript-client';
const run = promisify(execFile);

describe('the example of a TypeScript client', () => {
  let api: RunningApi;
  let address: string;

  beforeAll(async () => {
    api = await startApi();
    address = `http://127.0.0.1:${await listen(api.app)}`;
  });
  afterAll(() => api.stop());

  const program = (file: string, ...args: string[]) =>
    run(process.execPath, [join(ROOT, file), ...args], { cwd: ROOT });

  it('has the types of the document (npm run openapi writes them)', async () => {
    const { stdout } = await program(
      'node_modules/openapi-typescript/bin/cli.js',
      'docs/openapi.json',
      '--default-non-nullable=false',
    );

    // Prettier only changes white space, quotes, commas and semicolons.
    const essence = (source: string) => source.replace(/[\s;,'"|()]/g, '');
    expect(essence(readFileSync(join(ROOT, CLIENT, 'api.d.ts'), 'utf8'))).toBe(essence(stdout));
  });

  it('compiles', async () => {
    const options = '--noEmit --ignoreConfig --strict --skipLibCheck --target es2023 --module nodenext --types node';

    await program('node_modules/typescript/bin/tsc', ...options.split(' '), `${CLIENT}/example.ts`);
  });

  it('places an order and lists it', async () => {
    const product = await api.store.product({ name: 'Runner', stock: 3 });
    const { stdout } = await program(
      'node_modules/tsx/dist/cli.mjs',
      `${CLIENT}/example.ts`,
      address,
      api.store.key,
      `${product}`,
    );

    const [, receipt = ''] = /^placed (\S+): /.exec(stdout) ?? [];
    expect(receipt).toMatch(/^WEB-/);
    expect(stdout).toMatch(new RegExp(`^${receipt} \\d+ minor units of USD$`, 'm'));
  });

  it('places an order once, though the answers are lost', async () => {
    const product = await api.store.product({ stock: 5 });
    let sent = 0;
    const send = async (request: Request) => {
      const response = await fetch(request);
      sent += 1;
      if (sent === 1) throw new TypeError('fetch failed');
      return sent === 2 ? new Response('{}', { status: 503 }) : response;
    };
    const client = storeClient(address, api.store.key, { send, firstWaitMs: 1 });
    const before = (await api.get('/v1/orders')).json<{ pagination: { total: number } }>().pagination.total;

    const order = { items: [{ product_id: product, quantity: 2 }], customer: { name: 'Ada' } };
    const placed = await placeOrder(client, order, 'cart-1');

    expect(sent).toBe(3);
    expect(placed.items).toHaveLength(1);
    const after = (await api.get('/v1/orders')).json<{ pagination: { total: number } }>().pagination.total;
    expect(after).toBe(before + 1);
  });

  describe('its retries', () => {
    const answering = (...statuses: number[]) => {
      const sentAt: number[] = [];
      const send = (): Promise<Response> => {
        sentAt.push(Date.now());
        const status = statuses[sentAt.length - 1] ?? 200;
        return Promise.resolve(new Response('{}', { status, headers: status === 429 ? { 'Retry-After': '1' } : {} }));
      };
      return { sentAt, fetch: retryingFetch({ send, attempts: 3, firstWaitMs: 1 }) };
    };

    it('wait for Retry-After', async () => {
      const { sentAt, fetch } = answering(429);

      expect((await fetch(new Request(address))).status).toBe(200);
      expect((sentAt[1] ?? 0) - (sentAt[0] ?? 0)).toBeGreaterThanOrEqual(990);
    });

    it('end', async () => {
      const { sentAt, fetch } = answering(503, 503, 503);

      expect((await fetch(new Request(address))).status).toBe(503);
      expect(sentAt).toHaveLength(3);
    });

    it('never repeat what cannot succeed, or an order without a key', async () => {
      const refused = answering(422);
      const keyless = answering(503);

      await refused.fetch(new Request(address));
      await keyless.fetch(new Request(address, { method: 'POST', body: '{}' }));
      expect([refused.sentAt.length, keyless.sentAt.length]).toEqual([1, 1]);
    });
  });
});
