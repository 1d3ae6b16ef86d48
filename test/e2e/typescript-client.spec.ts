import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { allOrders, placeOrder, storeClient } from '../../examples/typescript-client/store.js';
import { anOrderBody } from '../builders/order-body.js';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ROOT = join(__dirname, '../..');
const CLIENT = 'examples/typescript-client';
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

  it('has the types of docs/openapi.json (npm run generate writes them)', async () => {
    const { stdout } = await program(
      'node_modules/openapi-typescript/bin/cli.js',
      'docs/openapi.json',
      '--default-non-nullable=false',
    );

    // Prettier changes only white space, quotes, commas and semicolons.
    const essence = (source: string) => source.replace(/[\s;,'"|()]/g, '');
    expect(essence(readFileSync(join(ROOT, CLIENT, 'api.d.ts'), 'utf8'))).toBe(essence(stdout));
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

  it('reports a wrong key in one line', async () => {
    const tsx = 'node_modules/tsx/dist/cli.mjs';
    const refused = program(tsx, `${CLIENT}/example.ts`, address, 'svc_live_wrong', '1');

    const line = /^401: Missing or invalid Authorization header \(request \S+\)\n$/;
    await expect(refused).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) as string });
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
      const order = anOrderBody(await api.store.product());
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
});
