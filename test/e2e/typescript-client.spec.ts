import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { retryingFetch } from '../../examples/typescript-client/retrying-fetch.js';
import { allOrders, placeOrder, storeClient } from '../../examples/typescript-client/store.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ROOT = join(__dirname, '../..');
const CLIENT = 'examples/typescript-client';
const BRIDGE = 'examples/erp-bridge/bridge.ts';
const run = promisify(execFile);

describe('the TypeScript example client', () => {
  let api: RunningApi;
  let address: string;

  beforeAll(async () => {
    api = await startApi();
    address = `http://127.0.0.1:${await listen(api.app)}`;
  });
  afterAll(() => api.stop());

  const program = (file: string, ...args: string[]) =>
    run(process.execPath, [join(ROOT, file), ...args], { cwd: ROOT });

  it('has the types of docs/openapi.json (npm run openapi writes them)', async () => {
    const { stdout } = await program(
      'node_modules/openapi-typescript/bin/cli.js',
      'docs/openapi.json',
      '--default-non-nullable=false',
    );

    // Prettier changes only white space, quotes, commas and semicolons.
    const essence = (source: string) => source.replace(/[\s;,'"|()]/g, '');
    expect(essence(readFileSync(join(ROOT, CLIENT, 'api.d.ts'), 'utf8'))).toBe(essence(stdout));
  });

  it('compiles, and the ERP bridge with it', async () => {
    const options = '--noEmit --ignoreConfig --strict --skipLibCheck --target es2023 --module nodenext --types node';

    await program('node_modules/typescript/bin/tsc', ...options.split(' '), `${CLIENT}/example.ts`, BRIDGE);
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

  it('ends without a word when its reader closes the pipe', async () => {
    const product = await api.store.product({ stock: 300 });
    const shell = `"${process.execPath}" node_modules/tsx/dist/cli.mjs ${CLIENT}/example.ts ${address} ${api.store.key} ${product}`;

    // The reader ends before the first line is written.
    const { stderr } = await run('sh', ['-c', `${shell} | true`], { cwd: ROOT });

    expect(stderr).toBe('');
  });

  it('reports a wrong key in one line', async () => {
    const tsx = 'node_modules/tsx/dist/cli.mjs';
    const refused = program(tsx, `${CLIENT}/example.ts`, address, 'svc_live_wrong', '1');

    const line = /^401: Missing or invalid Authorization header \(request \S+\)\n$/;
    await expect(refused).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) as string });
  });

  it('reports a host that does not answer in one line', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const place = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    closed.close();
    const silent = program('node_modules/tsx/dist/cli.mjs', `${CLIENT}/example.ts`, place, 'key', '1');

    const stderr = `no answer from ${place} (ECONNREFUSED)\n`;
    await expect(silent).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  });

  it('places an order once although the first answers are lost', async () => {
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

  it('reads every order once while others are placed', async () => {
    const placedAt = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));
    const before: string[] = [];
    for (let n = 0; n < 105; n += 1) before.push(await api.store.order({ created_at: placedAt(n) }));
    const client = storeClient(address, api.store.key);

    const read: string[] = [];
    for await (const { id } of allOrders(client)) {
      // The new order moves the last order of the first page to the start of the second.
      if (read.length === 0) await api.store.order();
      read.push(id);
    }

    expect(new Set(read).size).toBe(read.length);
    expect(read).toEqual(expect.arrayContaining(before));
  });

  describe('throws', () => {
    const ordering = (answer: Response) =>
      placeOrder(
        storeClient(address, '', { send: () => Promise.resolve(answer.clone()), firstWaitMs: 1 }),
        { items: [], customer: { name: 'Ada' } },
        'cart-2',
      );

    it('an error with the status, the text and the request id', async () => {
      const order = { items: [{ product_id: await api.store.product(), quantity: 1 }], customer: { name: 'Ada' } };
      const refused = placeOrder(storeClient(address, api.store.key), order, 'cart-3');

      await expect(refused).rejects.toMatchObject({
        status: 422,
        requestId: expect.stringMatching(/^\S+$/) as string,
        message: expect.stringMatching(/^422: items\[0\]: requested 1, available 0 \(request \S+\)$/) as string,
      });
    });

    it.each([
      ['a page of HTML', '<html>Bad Gateway</html>'],
      ['an empty body', null],
      ['JSON of another form', 'null'],
    ])('an error that names a proxy when the answer is %s', async (_, body) => {
      const refused = ordering(new Response(body, { status: 502, headers: body ? {} : { 'Content-Length': '0' } }));

      await expect(refused).rejects.toMatchObject({
        status: 502,
        requestId: '',
        message: '502: the response comes from a proxy, not from the service',
      });
    });
  });

  describe('with retries', () => {
    const order = () => new Request(address, { method: 'POST', body: '{}', headers: { 'Idempotency-Key': 'cart-4' } });
    /** Answers with each status in turn, then with 200. */
    const answering = (statuses: readonly number[], retryAfter?: string) => {
      const sentAt: number[] = [];
      const send = (): Promise<Response> => {
        const status = statuses[sentAt.push(Date.now()) - 1] ?? 200;
        const headers = new Headers(status === 200 || retryAfter === undefined ? [] : [['Retry-After', retryAfter]]);
        return Promise.resolve(new Response('{}', { status, headers }));
      };
      return { sentAt, fetch: retryingFetch({ send, attempts: 3, firstWaitMs: 1 }) };
    };
    const gapMs = ([first = 0, second = 0]: readonly number[]) => second - first;

    it.each([409, 429, 500, 502, 503, 504])('repeats a read, and an order with a key, after %i', async (status) => {
      const read = answering([status]);
      const write = answering([status]);

      expect((await read.fetch(new Request(address))).status).toBe(200);
      expect((await write.fetch(order())).status).toBe(200);
      expect([read.sentAt.length, write.sentAt.length]).toEqual([2, 2]);
    });

    it('waits for Retry-After in seconds', async () => {
      const { sentAt, fetch } = answering([429], '1');

      expect((await fetch(new Request(address))).status).toBe(200);
      expect(gapMs(sentAt)).toBeGreaterThanOrEqual(990);
    });

    it('waits for Retry-After as a date', async () => {
      const inTwoSeconds = new Date(Date.now() + 2_000);
      const { sentAt, fetch } = answering([503], inTwoSeconds.toUTCString());

      expect((await fetch(order())).status).toBe(200);
      // HTTP dates have whole seconds.
      expect(sentAt[1]).toBeGreaterThanOrEqual(Math.floor(inTwoSeconds.getTime() / 1000) * 1000 - 10);
    });

    it.each(['soon', '-5', 'Wed, 21 Oct 2015 07:28:00 GMT'])('ignores Retry-After: %s', async (header) => {
      const waits = jest.spyOn(global, 'setTimeout');
      const random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
      const { sentAt, fetch } = answering([503, 503], header);

      expect((await fetch(order())).status).toBe(200);
      expect(sentAt).toHaveLength(3);
      const waited = waits.mock.calls.map(([, ms]) => ms);
      expect(waited).toEqual(expect.arrayContaining([0.5, 1]));
      expect(waited).not.toContain(NaN);
      waits.mockRestore();
      random.mockRestore();
    });

    it('gives up at once when Retry-After is too long', async () => {
      const { sentAt, fetch } = answering([503], '9999999');

      expect((await fetch(order())).status).toBe(503);
      expect(sentAt).toHaveLength(1);
    });

    it('gives up after three attempts', async () => {
      const { sentAt, fetch } = answering([503, 503, 503]);

      expect((await fetch(new Request(address))).status).toBe(503);
      expect(sentAt).toHaveLength(3);
    });

    it('never repeats a request after 422, or an order without a key', async () => {
      const refused = answering([422]);
      const keyless = answering([503]);

      await refused.fetch(order());
      await keyless.fetch(new Request(address, { method: 'POST', body: '{}' }));
      expect([refused.sentAt.length, keyless.sentAt.length]).toEqual([1, 1]);
    });
  });
});
