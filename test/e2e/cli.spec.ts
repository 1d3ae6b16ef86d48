import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoreFixture } from '../builders/store-fixture.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

interface Result {
  readonly code: number | null;
  readonly json: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

// Each command is a process of its own; on a busy machine many of them take their time.
jest.setTimeout(90_000);

const MAIN = path.resolve('dist/apps/cli/src/main.js');
let database: TestDatabase;
let directory: string;

beforeAll(async () => {
  database = await createTestDatabase();
  directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-cli-'));
});

afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: directory, ...more };
}

/** Runs the built command line as a user's shell does. */
function cli(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env: environment(env) }, (_, stdout, stderr) => {
      const json: unknown = stdout.startsWith('{') || stdout.startsWith('[') ? JSON.parse(stdout) : null;
      resolve({ code: child.exitCode, json, stdout, stderr });
    });
  });
}

function file(name: string, ...lines: object[]): string {
  const target = path.join(directory, name);
  writeFileSync(target, lines.map((line) => JSON.stringify(line)).join('\n'));
  return target;
}

const createStore = (subdomain: string) =>
  cli(['stores', 'create', '--subdomain', subdomain, '--name', 'Acme', '--currency', 'USD']);

describe('the command line', () => {
  it('creates, lists, deactivates and activates stores', async () => {
    const acme = {
      id: expect.any(Number) as number,
      subdomain: 'acme',
      name: 'Acme',
      currency: 'USD',
      status: 'ACTIVE',
    };

    expect(await createStore('acme')).toMatchObject({ code: 0, json: acme });
    const [again, list, deactivated] = await Promise.all([
      createStore('acme'),
      cli(['stores', 'list']),
      cli(['stores', 'deactivate', 'acme']),
    ]);

    expect(again).toMatchObject({ code: 1, stdout: '', stderr: 'error: Store acme already exists\n' });
    expect(list.json).toEqual([expect.objectContaining({ subdomain: 'acme' })]);
    expect(deactivated.json).toEqual({ ...acme, status: 'INACTIVE' });
    expect((await cli(['stores', 'activate', 'acme'])).json).toEqual(acme);
  });

  it('shows a key once, and lets it be deactivated, activated and revoked', async () => {
    await createStore('keys');
    const expiry = '2999-01-31T00:00:00.000Z';
    const options = ['--mode', 'test', '--name', 'CI', '--expires-at', expiry];

    const { json } = await cli(['keys', 'create', '--store', 'keys', ...options]);
    const { id, key } = json as { id: string; key: string };

    expect(json).toMatchObject({ mode: 'test', name: 'CI', store: 'keys', expires_at: expiry, status: 'ACTIVE' });
    expect(key).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);

    const list = await cli(['keys', 'list', '--store', 'keys']);
    expect(list.json).toEqual([expect.objectContaining({ id, prefix: 'svc_test_', last_four: key.slice(-4) })]);
    expect(list.stdout).not.toContain(key.slice(9, -4));
    expect(list.stdout).not.toContain('hash');

    expect((await cli(['keys', 'deactivate', id])).json).toMatchObject({ status: 'DEACTIVATED', store: 'keys' });
    expect((await cli(['keys', 'activate', id])).json).toMatchObject({ status: 'ACTIVE' });
    expect((await cli(['keys', 'revoke', id])).json).toMatchObject({ status: 'REVOKED' });
    expect(await cli(['keys', 'activate', id])).toMatchObject({ code: 1, stdout: '' });
  });

  it('shows how much each key was used', async () => {
    await Promise.all([createStore('busy'), createStore('idle')]);
    const created = await cli(['keys', 'create', '--store', 'busy', '--name', 'ERP']);
    const { id } = created.json as { id: string };
    await database.query(
      `INSERT INTO api_key_usage SELECT store_id, id, (now() AT TIME ZONE 'UTC')::date - back, 10 + back, back
       FROM api_keys, unnest(ARRAY[0, 2, 9]) AS back WHERE id = $1`,
      [id],
    );
    const used = (back: number) => ({
      store: 'busy',
      key_id: id,
      name: 'ERP',
      day: new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10),
      requests: 10 + back,
      throttled: back,
    });

    const [week, today, idle, unknown, malformed] = await Promise.all([
      cli(['keys', 'usage']),
      cli(['keys', 'usage', '--store', 'busy', '--days', '1']),
      cli(['keys', 'usage', '--store', 'idle']),
      cli(['keys', 'usage', '--store', 'nobody']),
      cli(['keys', 'usage', '--days', '0']),
    ]);

    expect(week).toMatchObject({ code: 0, json: [used(0), used(2)] });
    expect(today.json).toEqual([used(0)]);
    expect(idle.json).toEqual([]);
    expect([unknown.code, malformed.code]).toEqual([1, 2]);
  });

  it('imports a bundle, sets stock and verifies it', async () => {
    const store = 'stocked';
    const bundle = file(
      'bundle.ndjson',
      { kind: 'store', subdomain: store, name: 'Stocked', currency: 'USD' },
      { kind: 'warehouse', store, code: 'MAIN', name: 'Main' },
      { kind: 'bin', store, warehouse: 'MAIN', code: 'A-1' },
      { kind: 'product', store, slug: 'runner', name: 'Runner', price: '79.90' },
    );

    const imported = await cli(['import', bundle]);

    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.json).toMatchObject({ lines: 4, counts: { product: { created: 1, updated: 0, unchanged: 0 } } });

    const place = { store, product: 'runner', variant: null, bin: 'MAIN/A-1' };
    const set = ['stock', 'set', '--store', store, '--product', 'runner', '--bin', 'MAIN/A-1', '--quantity'];
    expect((await cli([...set, '7'])).json).toEqual({ ...place, quantity: 7, previous_quantity: null });
    expect((await cli([...set, '5'])).json).toMatchObject({ quantity: 5, previous_quantity: 7 });
    expect(await cli([...set, '5', '--variant', 'R-1'])).toMatchObject({
      code: 1,
      stderr: 'error: Variant R-1 of product runner not found\nLooked in the database of DATABASE_URL.\n',
    });
    expect(await cli(['stock', 'verify', '--store', store])).toMatchObject({
      code: 0,
      json: { checked: 1, differences: [] },
    });

    await database.query('UPDATE stock SET quantity = 6');
    expect(await cli(['stock', 'verify'])).toMatchObject({
      code: 1,
      json: { checked: 1, differences: [{ ...place, quantity: 6, ledger: 5 }] },
    });
  });

  it('refuses to move an order where it cannot go, and says where it can, or that it is there', async () => {
    const order = { kind: 'order', receipt_number: 'POS-7', source: 'POS', status: 'PENDING', currency: 'USD' };
    const more = { payment_method: 'COD', fulfillment_status: 'PENDING', amount: 100, total_amount: 100 };
    const line = { name: 'Mug', unit_price: 100, quantity: 1 };
    const bundle = file(
      'order.ndjson',
      { kind: 'store', subdomain: 'moves', name: 'Moves', currency: 'USD' },
      { ...order, ...more, store: 'moves', created_at: '2026-01-02T03:04:05.000Z', line_items: [line] },
    );
    expect(await cli(['import', bundle])).toMatchObject({ code: 0 });

    const delivered = await cli(['orders', 'set-status', 'POS-7', '--fulfillment-status', 'DELIVERED']);
    const cancelled = await cli(['orders', 'cancel', 'POS-7']);
    const again = await cli(['orders', 'cancel', 'POS-7']);

    expect(delivered).toMatchObject({
      code: 1,
      stderr: 'error: fulfillment cannot go from PENDING to DELIVERED, only to CONFIRMED or CANCELLED\n',
    });
    expect(cancelled).toMatchObject({ code: 0, json: { fulfillment_status: 'CANCELLED' } });
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: 'error: fulfillment is already CANCELLED\n' });
  });

  it('verifies a payment: SUCCEEDED for the exact amount, otherwise exit 1 with both amounts', async () => {
    const store = await StoreFixture.create(database);
    const id = await store.order({ total_amount: 5297, currency: 'USD' });
    const verify = (...args: string[]) => cli(['orders', 'verify-payment', id, ...args]);

    const short = await verify('--amount', '5296', '--currency', 'USD');
    const decimal = await verify('--amount', '52.97', '--currency', 'USD');
    const exact = await verify('--amount', '5297', '--currency', 'USD');
    const repeated = await verify('--amount', '5297', '--currency', 'USD');

    const stderr = 'error: The paid amount 5296 USD is not the amount owed 5297 USD (in minor units)\n';
    expect(short).toMatchObject({ code: 1, stdout: '', stderr });
    expect(decimal).toMatchObject({ code: 2, stdout: '' });
    const json = { order_id: id, store: store.subdomain, status: 'SUCCEEDED', amount: 5297, currency: 'USD' };
    expect([exact, repeated]).toMatchObject([
      { code: 0, json },
      { code: 0, json },
    ]);
  });

  it('lists held orders, and releases one, those of a reason, and no cancelled one', async () => {
    const store = await StoreFixture.create(database);
    const held = async (reasons: string[], fulfillment_status = 'PENDING') => {
      const id = await store.order({ source: 'WEBSITE', status: 'PENDING', fulfillment_status });
      const assessment = { verdict: 'REVIEW', score: 50, reasons: JSON.stringify(reasons.map((rule) => ({ rule }))) };
      await store.row('fraud_assessments', { order_id: id, ...assessment });
      const stage = { stage: 'notify-customer', state: 'held', position: 3, held_for: reasons };
      await store.row('order_stages', { order_id: id, ...stage });
      return id;
    };
    const ids = [
      await held(['a_rule']),
      await held(['a_rule']),
      await held(['a_rule', 'b_rule']),
      await held(['c_rule']),
    ];
    const cancelled = await held(['d_rule'], 'CANCELLED');
    const list = ['orders', 'list', '--held', '--store', store.subdomain];
    const orderIds = ({ json }: Result) => (json as { order_id: string }[]).map(({ order_id }) => order_id);

    const [all, some, one, retried] = await Promise.all([
      cli(list),
      cli([...list, '--reason', 'a_rule', '--limit', '1']),
      cli(['orders', 'release', ids[3] ?? '']),
      cli(['orders', 'retry-pipeline', ids[0] ?? '']),
    ]);
    const ofReason = await cli(['orders', 'release', '--all', '--reason', 'a_rule', '--store', store.subdomain]);
    const again = await cli(['orders', 'release', '--all', '--reason', 'a_rule', '--store', store.subdomain]);
    const refused = await cli(['orders', 'release', ids[2] ?? '', cancelled]);

    expect(orderIds(all)).toEqual(expect.arrayContaining(ids.slice(0, 3)));
    expect((all.json as object[])[0]).toMatchObject({
      order_id: ids[0],
      store: store.subdomain,
      total_amount: 1000,
      currency: 'USD',
      reasons: ['a_rule'],
    });
    expect(orderIds(some)).toEqual([ids[0]]);
    expect(some.stderr).toContain('There are more than 1');
    expect(one).toMatchObject({ code: 0, json: { released: 1, orders: [{ order_id: ids[3], released: true }] } });
    expect(retried).toMatchObject({ code: 0, json: { stages: [], held_for: ['a_rule'] } });
    expect(retried.stderr).toContain("The customer's confirmation is held (a_rule)");
    expect((ofReason.json as { orders: { order_id: string }[] }).orders.map(({ order_id }) => order_id)).toEqual(
      ids.slice(0, 2),
    );
    expect(again).toMatchObject({ code: 0, json: { released: 0, orders: [] } });
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'error: 1 orders were not released.\n',
      json: { released: 1, orders: [{ released: true }, { released: false, error: 'The order is cancelled' }] },
    });
    const states = await database.query<{ state: string }>(
      'SELECT state FROM order_stages WHERE store_id = $1 ORDER BY order_id',
      [store.id],
    );
    expect(states.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending', 'pending', 'held']);
  });

  it('imports a catalog: a table for people, JSON for programs, 1 when a product is refused', async () => {
    await createStore('catalog');
    const csv = path.join(directory, 'catalog.csv');
    writeFileSync(csv, 'Handle,Title,Variant Price,Variant Inventory Qty,Tags\nmug,Mug,9.90,3,x\ncup,Cup,$4,1,x\n');
    const command = ['import-catalog', '--store', 'catalog', '--format', 'shopify', csv];

    const dry = await cli([...command, '--dry-run']);
    const table = await cli(command);
    const again = await cli([...command, '--json']);

    expect(dry.stdout).toMatch(/^Dry run: nothing was written/);
    expect(table).toMatchObject({ code: 1, stderr: 'error: 1 products were refused: see their lines.\n' });
    expect(table.stdout).toMatch(/^products +1 +0 +0$/m);
    expect(table.stdout).toContain('line 3: refused: Variant Price must be a plain number, without a currency');
    expect(table.stdout).toContain('Columns not used: Tags');
    expect(again).toMatchObject({ code: 1, json: { refused: 1, counts: { product: { unchanged: 1 } } } });
    expect((await cli(['stock', 'verify', '--store', 'catalog'])).json).toEqual({ checked: 1, differences: [] });
  });

  it('takes the headings of a catalog from a file', async () => {
    await cli(['stores', 'create', '--subdomain', 'headings', '--name', 'Headings', '--currency', 'USD']);
    const csv = path.join(directory, 'other.csv');
    writeFileSync(csv, 'Sort,SKU,Name,Cost\nsimple,OTHER-1,Other,5\n');
    const columns = file('columns.json', { Sort: 'Type', Cost: 'Regular price' });
    const command = ['import-catalog', '--store', 'headings', '--format', 'woocommerce', '--dry-run', '--json'];

    expect((await cli([...command, '--columns', columns, csv])).json).toMatchObject({
      counts: { product: { created: 1 } },
    });
    expect(await cli([...command, '--columns', file('list.json', ['Type']), csv])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('must be a JSON object') as string,
    });
  });

  it('names the bad line of a bundle', async () => {
    const bad = file('bad.ndjson', { kind: 'store', subdomain: 'bad', name: 'Bad', currency: 'usd' });

    expect(await cli(['import', bad])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: line 1: store\.currency must be .*\nNothing was kept\./) as string,
    });
  });

  it('checks a bundle in a dry run: counts of a good one, every line of a bad one', async () => {
    const store = { kind: 'store', subdomain: 'dry', name: 'Dry', currency: 'USD' };
    const good = file('dry.ndjson', store, { kind: 'brand', store: 'dry', slug: 'b', name: 'B' });
    const bad = file('dry-bad.ndjson', { ...store, currency: '$' }, { kind: 'brand' });

    expect((await cli(['import', '--dry-run', good])).json).toMatchObject({
      ...{ dryRun: true, lines: 2, counts: { brand: { created: 1 } } },
    });
    expect((await cli(['stores', 'list'])).stdout).not.toContain('"dry"');
    expect(await cli(['import', '--dry-run', bad])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: line 1: store\.currency must be .*\nline 2: brand\.\w+ is required\nNothing was written\.\n$/,
      ) as string,
    });
  });

  it('ends an import that is interrupted, with what is in', async () => {
    const child = spawn(process.execPath, [MAIN, 'import', '-'], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const line = (n: number) => JSON.stringify({ kind: 'store', subdomain: `s-${n}`, name: 'S', currency: 'USD' });
    child.stdin.write(Array.from({ length: 1_500 }, (_, n) => `${line(n)}\n`).join(''));
    await eventually(async () => {
      expect(await database.query(`SELECT FROM stores WHERE subdomain LIKE 's-%'`)).toHaveLength(1_000);
    });

    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.on('close', resolve));

    expect(code).toBe(130);
    expect(stderr).toBe(
      'error: Interrupted. Lines 1 to 1000 are in, and nothing after them. Run the import again to go on.\n',
    );
  });

  it('exits 2 for wrong usage and for a malformed environment', async () => {
    const [usage, configuration] = await Promise.all([
      cli(['stores', 'list', '--all']),
      cli(['stores', 'list'], { DATABASE_POOL_SIZE: 'many' }),
    ]);

    expect(usage).toMatchObject({ code: 2, stdout: '' });
    expect(usage.stderr).toContain("error: unknown option '--all'");
    expect(configuration).toMatchObject({ code: 2, stdout: '' });
    expect(configuration.stderr).toBe('error: DATABASE_POOL_SIZE must be an integer from 1 to 1000\n');
  });

  it('asks for a migration where the schema is not current, and then migrates', async () => {
    const url = new URL(database.url);
    url.pathname += '_empty';
    const name = url.pathname.slice(1);
    await database.query(`CREATE DATABASE ${name}`);
    const env = { DATABASE_URL: url.href };

    expect(await cli(['stores', 'list'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('migrate') as string,
    });
    expect(await cli(['migrate'], env)).toMatchObject({
      code: 0,
      json: { applied: ['0001-schema'] },
    });
    expect((await cli(['migrate'], env)).json).toEqual({ applied: [] });
    expect(await cli(['stores', 'list'], env)).toMatchObject({ code: 0, json: [] });
    await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
});

/** Repeats an expectation until it holds. */
async function eventually(expectation: () => Promise<void>): Promise<void> {
  const giveUp = Date.now() + 20_000;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (Date.now() > giveUp) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
