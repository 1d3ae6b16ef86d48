import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MIGRATIONS } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { type CommandResult, commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const CONVERTER = path.resolve('node_modules/.bin/catalog-converter');
const IMPORT = `${process.execPath} ${path.resolve('dist/apps/cli/src/main.js')} import -`;

let api: RunningApi;
let database: TestDatabase;
beforeAll(async () => {
  api = await startApi();
  ({ database } = api);
});
afterAll(() => api.stop());
const { cli, createStore, directory, file, onTerminal, start } = commandLine(() => database);

function anOrderOf(store: string, receipt_number: string, quantity: number): object[] {
  const amount = 100 * quantity;
  const order = { kind: 'order', store, receipt_number, source: 'POS', status: 'PENDING', currency: 'USD' };
  const more = { payment_method: 'COD', fulfillment_status: 'PENDING', amount, total_amount: amount };
  const line = { name: 'Mug', unit_price: 100, quantity };
  return [
    { kind: 'store', subdomain: store, name: store, currency: 'USD' },
    { ...order, ...more, created_at: '2026-01-02T03:04:05.000Z', line_items: [line] },
  ];
}

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
    expect(list.json).toContainEqual(expect.objectContaining({ subdomain: 'acme' }));
    expect(deactivated.json).toEqual({ ...acme, status: 'INACTIVE' });
    expect((await cli(['stores', 'activate', 'acme'])).json).toEqual(acme);
  });

  it.each([
    ['migrate', 'DATABASE_URL'],
    ['stores list', 'DATABASE_DIRECT_URL'],
  ])('%s fails and names %s when its database does not answer', async (command, variable) => {
    const silent = start(command.split(' '), { [variable]: 'postgres://u:secret@127.0.0.1:1/x' });

    expect(await silent.ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: The database of ${variable} did not answer: connect ECONNREFUSED 127.0.0.1:1\n`,
    });
  });

  it('migrates with the rights that the documents name, and otherwise names those that are missing', async () => {
    const empty = await createTestDatabase();
    const url = new URL(empty.url);
    const name = url.pathname.slice(1);
    const role = `${name}_role`;
    url.username = role;
    url.password = 'secret';
    try {
      await empty.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      await empty.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT CREATE, USAGE ON SCHEMA public TO ${role}`);
      const refused = await cli(['migrate'], { DATABASE_URL: url.href });
      const advice = `GRANT CREATE ON DATABASE "${name}" TO "${role}"`;
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(advice) as string });
      expect(refused.stderr).toMatch(/^error: permission denied to create extension "pg_trgm"\n.*\n$/);

      await empty.query(advice);
      expect(await cli(['migrate'], { DATABASE_URL: url.href })).toMatchObject({ code: 0 });
    } finally {
      await empty.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
      await empty.drop();
    }
  });

  it('makes no database for a command that needs a store', async () => {
    const nowhere = path.join(directory, 'nowhere');

    expect(await cli(['keys', 'list', '--store', 'shop'], { DATABASE_URL: '', DATA_DIR: nowhere })).toMatchObject({
      code: 2,
      stderr: `error: There is no database in ${nowhere}: set DATA_DIR or DATABASE_URL.\n`,
    });
    expect(existsSync(nowhere)).toBe(false);
  });

  it('lets the ids of new stores begin higher, and not where ids are in use', async () => {
    const cluster = await createTestDatabase();
    const env = { DATABASE_URL: cluster.url };
    const beginAt = (id: number) => cli(['migrate', '--first-store-id', `${id}`], env);
    const idOf = async (subdomain: string) =>
      (
        (await cli(['stores', 'create', '--subdomain', subdomain, '--name', 'A', '--currency', 'USD'], env)).json as {
          id: number;
        }
      ).id;
    const refused = (first: number, used: number) => ({
      code: 1,
      stdout: '',
      stderr: `error: Ids of new stores cannot begin at ${first}: this cluster has used ids up to ${used}.\n`,
    });
    try {
      expect(await idOf('early')).toBe(1);
      for (let n = 0; n < 2; n++) expect(await beginAt(1_000_001)).toMatchObject({ code: 0, json: { applied: [] } });
      expect(await beginAt(1_000_000)).toMatchObject(refused(1_000_000, 1_000_000));
      expect(await idOf('late')).toBe(1_000_001);
      expect(await beginAt(1_000_001)).toMatchObject(refused(1_000_001, 1_000_001));
      const line = { kind: 'store', id: 5, subdomain: 'imported', name: 'A', currency: 'USD' };
      expect(await cli(['import', file('store-of-another-range.ndjson', line)], env)).toMatchObject({ code: 0 });
      const imported = `SELECT id FROM stores WHERE subdomain = 'imported'`;
      expect(await cluster.query(imported)).toEqual([{ id: 1_000_002 }]);
      // The store has moved here.
      await cluster.query(`INSERT INTO stores (id, subdomain, name, currency) VALUES (3000000, 'moved', 'A', 'USD')`);
      expect(await beginAt(2_000_001)).toMatchObject(refused(2_000_001, 3_000_000));
    } finally {
      await cluster.drop();
    }
  });

  it('prints the lines of a map of routers for a new key, a rolled one and those of a store', async () => {
    await createStore('mapped');
    const created = await cli(['keys', 'create', '--store', 'mapped', '--print-map']);
    const old = created.json as { id: string; key: string; map_line: string };
    const rolled = await cli(['keys', 'roll', old.id, '--overlap', '7d', '--print-map']);
    const { key, map_line } = rolled.json as typeof old;
    const list = await cli(['keys', 'list', '--store', 'mapped', '--hashes']);

    const hashes = [old.key, key].map((text) => createHash('sha256').update(text).digest('hex'));
    expect([old.map_line, map_line]).toEqual(hashes.map((hash) => `${hash} mapped`));
    expect(list.json).toMatchObject(hashes.map((sha256) => ({ sha256, store: 'mapped' })));
  });

  it.each([
    ['MOVING', 'The store is moving to another database: try again shortly'],
    ['MOVED', 'The store has moved to another database: use that one'],
  ])('writes nothing of a store that is %s', async (status, reason) => {
    const name = `is-${status.toLowerCase()}`;
    await createStore(name);
    await database.query('UPDATE stores SET status = $1 WHERE subdomain = $2', [status, name]);
    const again = file(`${name}.ndjson`, { kind: 'store', subdomain: name, name, currency: 'USD' });

    for (const command of [
      ['keys', 'create', '--store', name],
      ['stores', 'activate', name],
      ['import', again],
    ]) {
      const refused = await cli(command);
      expect([refused.code, refused.stdout, refused.stderr.split('\n')[0]]).toEqual([1, '', `error: ${reason}`]);
    }
  });

  it('shows a new key once, and deactivates, activates and revokes it', async () => {
    await createStore('keys');
    const expiry = '2999-01-31T00:00:00.000Z';
    const from = ['--from', '192.0.2.0/24, 2001:db8::1', '--from', '198.51.100.7'];
    const options = ['--mode', 'test', ...from, '--trusted', '--name', 'CI', '--expires-at', expiry];

    const { json } = await cli(['keys', 'create', '--store', 'keys', ...options]);
    const { id, key } = json as { id: string; key: string };

    expect(json).toMatchObject({ mode: 'test', name: 'CI', store: 'keys', expires_at: expiry, status: 'ACTIVE' });
    expect(key).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);

    const list = await cli(['keys', 'list', '--store', 'keys']);
    const networks = ['192.0.2.0/24', '2001:db8::1/128', '198.51.100.7/32'];
    const shown = { id, scope: 'full', networks, trusted: true, prefix: 'svc_test_', last_four: key.slice(-4) };
    expect(list.json).toEqual([expect.objectContaining(shown)]);
    expect(list.stdout).not.toContain(key.slice(9, -4));
    expect(list.stdout).not.toMatch(/hash|sha256/);

    expect((await cli(['keys', 'deactivate', id])).json).toMatchObject({ status: 'DEACTIVATED', store: 'keys' });
    expect((await cli(['keys', 'activate', id])).json).toMatchObject({ status: 'ACTIVE' });
    await database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [id]);
    expect(list.json).toMatchObject([{ expired: false }]);
    expect((await cli(['keys', 'list', '--store', 'keys'])).json).toMatchObject([{ status: 'ACTIVE', expired: true }]);
    expect((await cli(['keys', 'activate', id])).stderr).toBe('The key has expired: it stays refused.\n');
    expect((await cli(['keys', 'revoke', id, '--yes'])).json).toMatchObject({ status: 'REVOKED' });
    expect(await cli(['keys', 'activate', id])).toMatchObject({ code: 1, stdout: '' });
  });

  it('shows tables on a terminal, and a new key alone on standard output', async () => {
    await createStore('seen');

    const created = onTerminal(['keys', 'create', '--store', 'seen', '--expires-at', '12h'], '', '2>/dev/null');
    const list = onTerminal(['keys', 'list', '--store', 'seen']);
    const json = onTerminal(['keys', 'list', '--store', 'seen', '--json']);

    expect(created).toEqual({ code: 0, shown: expect.stringMatching(/^svc_live_[0-9A-Za-z]{38}\n$/) as string });
    expect(list.shown).toMatch(
      /^id {36}mode {2}scope {2}ends {2}expires .*\n[0-9a-f-]{36} {2}live {2}full {3}\w{4} {2}\d{4}-.*\n$/,
    );
    const [key] = JSON.parse(json.shown) as { expires_at: string; created_at: string }[];
    const life = Date.parse(key?.expires_at ?? '') - Date.parse(key?.created_at ?? '');
    expect(Math.abs(life / 3_600_000 - 12)).toBeLessThan(0.1);
    const day = await cli(['keys', 'create', '--store', 'seen', '--expires-at', '2999-01-01']);
    expect(day.json).toMatchObject({ expires_at: '2999-01-01T00:00:00.000Z' });
  });

  it('asks on a terminal before it revokes a key', async () => {
    await createStore('asked');
    const created = await cli(['keys', 'create', '--store', 'asked', '--name', 'ERP bridge']);
    const { id, last_four } = created.json as { id: string; last_four: string };
    const used = `UPDATE api_keys SET last_used_at = now() - interval '150 s' WHERE id = $1`;
    const status = async () =>
      ((await cli(['keys', 'list', '--store', 'asked'])).json as { status: string }[]).map(({ status }) => status);

    const no = onTerminal(['keys', 'revoke', id], '\n');
    await database.query(used, [id]);
    const ended = onTerminal(['keys', 'revoke', id]);

    expect(no.code).toBe(1);
    expect(no.shown).toContain(`Revoke the key ERP bridge (…${last_four}), never used? [y/N] `);
    expect(no.shown).toMatch(/error: Nothing was changed\.\n$/);
    expect(ended.code).toBe(1);
    expect(ended.shown).toContain('last used 2 minutes ago? [y/N] ');
    expect(await status()).toEqual(['ACTIVE']);

    expect(onTerminal(['keys', 'revoke', id], 'y\n')).toMatchObject({ code: 0 });
    expect(await status()).toEqual(['REVOKED']);
  });

  it('rolls a key: prints its successor once, and lets the old key expire after the overlap', async () => {
    await createStore('rolls');
    const options = ['--mode', 'test', '--scope', 'payments', '--scope', 'fulfillment,payments', '--name', 'BI'];
    const old = (await cli(['keys', 'create', '--store', 'rolls', ...options])).json as { id: string; key: string };

    const before = Date.now();
    const rolled = await cli(['keys', 'roll', old.id.toUpperCase(), '--overlap', '7d']);
    const after = Date.now();

    const { id, key, replaces } = rolled.json as { id: string; key: string; replaces: { expires_at: string } };
    const own = { mode: 'test', scope: 'read,fulfillment,payments', trusted: false, name: 'BI' };
    const kept = { ...own, store: 'rolls', status: 'ACTIVE' };
    expect(rolled).toMatchObject({ code: 0, json: { ...kept, expires_at: null, replaces: { id: old.id } } });
    expect(key).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);
    expect(rolled.stderr).toContain(`The old key stops working at ${replaces.expires_at}.`);
    const end = Date.parse(replaces.expires_at) - 7 * 86_400_000;
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end).toBeLessThanOrEqual(after);
    const list = await cli(['keys', 'list', '--store', 'rolls']);
    expect(list.json).toEqual([
      expect.objectContaining({ ...kept, id: old.id, expires_at: replaces.expires_at, successor_id: id }),
      expect.objectContaining({ ...kept, id, expires_at: null, last_four: key.slice(-4), successor_id: null }),
    ]);
    const created_by = { type: 'operator', id: '', name: expect.any(String) as string };
    expect(list.json).toMatchObject([{ created_by }, { created_by }]);
    expect(list.stdout).not.toContain(key.slice(9, -4));
  });

  it('rolls a key to one that lives as long, or never ends when that is said', async () => {
    await createStore('lives');
    const create = async () => {
      const { json } = await cli(['keys', 'create', '--store', 'lives', '--expires-at', '90d']);
      return (json as { id: string }).id;
    };
    const endOf = async (...options: string[]) => {
      const { json } = await cli(['keys', 'roll', await create(), '--overlap', '1h', ...options]);
      return (json as { expires_at: string | null }).expires_at;
    };

    expect(Date.parse(String(await endOf())) - Date.now()).toBeCloseTo(90 * 86_400_000, -5);
    expect(await endOf('--expires-at', 'never')).toBeNull();
  });

  it('refuses to roll a revoked, deactivated, expired or unknown key, and makes no new key', async () => {
    await createStore('rolled-out');
    const create = async () => ((await cli(['keys', 'create', '--store', 'rolled-out'])).json as { id: string }).id;
    const [revoked, deactivated, expired] = await Promise.all([create(), create(), create()]);
    await cli(['keys', 'revoke', revoked, '--yes']);
    await cli(['keys', 'deactivate', deactivated]);
    await database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired]);
    const unknown = '01a20066-13fe-7403-821d-09fa5dc281da';
    const roll = (id: string) => cli(['keys', 'roll', id, '--overlap', '7d']);

    const refusals = await Promise.all([revoked, deactivated, expired, unknown].map(roll));

    expect(refusals.map(({ code, stdout, stderr }) => [code, stdout, stderr.split('\n')[0]])).toEqual([
      [1, '', `error: Key ${revoked} is revoked: create a new key`],
      [1, '', `error: Key ${deactivated} is deactivated: activate it first, or create a new key`],
      [1, '', `error: Key ${expired} has expired: create a new key`],
      [1, '', `error: Key ${unknown} not found`],
    ]);
    expect((await cli(['keys', 'list', '--store', 'rolled-out'])).json).toHaveLength(3);
  });

  it('lists the requests of each key per day', async () => {
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
      refused: {},
    });

    const [week, today, idle, unknown, malformed] = await Promise.all([
      cli(['keys', 'usage']),
      cli(['keys', 'usage', '--store', 'busy', '--days', '1']),
      cli(['keys', 'usage', '--store', 'idle']),
      cli(['keys', 'usage', '--store', 'unknown']),
      cli(['keys', 'usage', '--days', '0']),
    ]);

    expect(week).toMatchObject({ code: 0, json: [used(0), used(2)] });
    expect(today.json).toEqual([used(0)]);
    expect(idle.json).toEqual([]);
    expect([unknown.code, malformed.code]).toEqual([1, 2]);
  });

  it('sets the statuses of an order, refuses a transition that its life cycle lacks, and names the possible ones', async () => {
    const bundle = file('order.ndjson', ...anOrderOf('moves', 'POS-7', 1));
    expect(await cli(['import', bundle])).toMatchObject({ code: 0 });

    const delivered = await cli(['orders', 'set-status', 'POS-7', '--fulfillment-status', 'DELIVERED']);
    const both = await cli([
      'orders',
      'set-status',
      'POS-7',
      '--status',
      'FAILED',
      '--fulfillment-status',
      'CANCELLED',
      '--yes',
    ]);

    expect(delivered).toMatchObject({
      code: 1,
      stderr: 'error: The fulfillment status cannot change from PENDING to DELIVERED, only to CONFIRMED or CANCELLED\n',
    });
    expect(both).toMatchObject({ code: 0, json: { status: 'FAILED', fulfillment_status: 'CANCELLED', restocked: 0 } });
    const history = (await cli(['orders', 'history', 'POS-7'])).json as { event: string; actor: object }[];
    expect(history.map(({ event }) => event)).toEqual(['imported', 'cancelled', 'status_changed', 'status_changed']);
    expect(history.at(-1)?.actor).toEqual({ type: 'operator', id: '', name: expect.stringMatching(/./) as string });
  });

  it('verifies a payment: sets SUCCEEDED for the exact amount, otherwise exits 1 with both amounts', async () => {
    const store = await StoreFixture.create(database);
    const id = await store.order({ total_amount: 5297, currency: 'USD' });
    const verify = (...args: string[]) => cli(['orders', 'verify-payment', id, ...args]);

    const short = await verify('--amount', '5296', '--currency', 'USD');
    const decimal = await verify('--amount', '52.97', '--currency', 'USD');
    const exact = await verify('--amount', '5297', '--currency', 'USD');
    // A new xmin means that the row was written.
    const row = () => database.query('SELECT xmin FROM orders WHERE id = $1', [id]);
    const before = await row();
    const repeated = await verify('--amount', '5297', '--currency', 'USD');

    const stderr =
      'error: The paid amount 5296 USD is not accepted: the open amount is 0 USD, and the total is 5297 USD (in minor units)\n';
    expect(short).toMatchObject({ code: 1, stdout: '', stderr });
    expect(decimal).toMatchObject({ code: 2, stdout: '' });
    const json = {
      order_id: id,
      store: store.subdomain,
      status: 'SUCCEEDED',
      fulfillment_status: 'DELIVERED',
      amount: 5297,
      currency: 'USD',
    };
    expect([exact, repeated]).toMatchObject([
      { code: 0, json, stderr: '' },
      { code: 0, json, stderr: '' },
    ]);
    expect(await row()).toEqual(before);
  });

  it('prints a history of more than 100 events once', async () => {
    const store = await StoreFixture.create(database);
    const id = await store.order();
    await database.query(
      `INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
       SELECT $1, $2, 'system', 'payment_refused', i::text FROM generate_series(1, 205) AS i ORDER BY i::int`,
      [store.id, id],
    );

    const history = (await cli(['orders', 'history', id])).json as { reference: string }[];

    expect(history.slice(1).map(({ reference }) => reference)).toEqual(
      Array.from({ length: 205 }, (_, n) => String(n + 1)),
    );
  });

  it('dismisses the failed mails of an order', async () => {
    const store = await StoreFixture.create(database);
    const id = await store.order();
    await store.row('order_stages', { order_id: id, stage: 'notify-merchant', state: 'dead', outcome: 'failed' });
    await store.row('order_stages', {
      order_id: id,
      stage: 'notify-customer',
      state: 'pending',
      attempts: 2,
    });

    const [first, again] = [await cli(['orders', 'dismiss-mail', id]), await cli(['orders', 'dismiss-mail', id])];

    expect([first.code, first.json]).toEqual([
      0,
      { order_id: id, store: store.subdomain, dismissed: ['notify-merchant'] },
    ]);
    expect(again.json).toMatchObject({ dismissed: [] });
    expect(again.stderr).toBe(
      'The order has no failed mail that /health counts.\nnotify-customer is still being retried: dismiss it after its last attempt.\n',
    );
  });

  it('lists held orders, and releases one or all of a reason, but no cancelled order', async () => {
    const store = await StoreFixture.create(database);
    const held = async (reasons: string[], fulfillment_status = 'PENDING') => {
      const id = await store.order({ source: 'WEBSITE', status: 'PENDING', fulfillment_status, held_reasons: reasons });
      const assessment = { verdict: 'REVIEW', score: 50, reasons: JSON.stringify(reasons.map((rule) => ({ rule }))) };
      await store.row('fraud_assessments', { order_id: id, ...assessment });
      await store.row('order_stages', { order_id: id, stage: 'notify-customer', state: 'held' });
      return id;
    };
    const ids = [
      await held(['amount_over_limit']),
      await held(['amount_over_limit']),
      await held(['amount_over_limit', 'b_rule']),
      await held(['c_rule']),
    ];
    const cancelled = await held(['d_rule'], 'CANCELLED');
    const list = ['orders', 'list', '--held', '--store', store.subdomain];
    const orderIds = ({ json }: CommandResult) => (json as { order_id: string }[]).map(({ order_id }) => order_id);

    const [all, some, one, retried] = await Promise.all([
      cli(list),
      cli([...list, '--reason', 'amount_over_limit', '--limit', '1']),
      cli(['orders', 'release', ids[3] ?? '']),
      cli(['orders', 'retry-pipeline', ids[0] ?? '']),
    ]);
    const releaseAll = ['orders', 'release', '--all', '--reason', 'amount_over_limit', '--store', store.subdomain];
    const ofReason = await cli(releaseAll);
    const again = await cli(releaseAll);
    const refused = await cli(['orders', 'release', ids[2] ?? '', cancelled]);

    expect(orderIds(all)).toEqual(expect.arrayContaining(ids.slice(0, 3)));
    expect((all.json as object[])[0]).toMatchObject({
      order_id: ids[0],
      store: store.subdomain,
      total_amount: 1000,
      currency: 'USD',
      reasons: ['amount_over_limit'],
    });
    expect(orderIds(some)).toEqual([ids[0]]);
    expect(some.stderr).toContain('More than 1 orders are held');
    expect(one).toMatchObject({ code: 0, json: { released: 1, orders: [{ order_id: ids[3], released: true }] } });
    expect(retried).toMatchObject({ code: 0, json: { stages: [], running: [], held_reasons: ['amount_over_limit'] } });
    expect(retried.stderr).toContain('The order is under review (amount_over_limit)');
    expect((ofReason.json as { orders: { order_id: string }[] }).orders.map(({ order_id }) => order_id)).toEqual(
      ids.slice(0, 2),
    );
    expect(again).toMatchObject({ code: 0, json: { released: 0, orders: [] } });
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'error: 1 order was not released.\n',
      json: { released: 1, orders: [{ released: true }, { released: false, error: 'The order is cancelled' }] },
    });
    const states = await database.query<{ state: string }>(
      'SELECT state FROM order_stages WHERE store_id = $1 ORDER BY order_id',
      [store.id],
    );
    expect(states.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending', 'pending', 'held']);
  });

  it('refuses a reason that is no rule and holds no order, and names the reasons', async () => {
    const store = await StoreFixture.create(database);
    const review = { fulfillment_status: 'PENDING', placed: true, held_reasons: ['rule_of_an_extension'] };
    const order_id = await store.order({ source: 'WEBSITE', status: 'PENDING', ...review });
    const reasons = ['--reason', 'analysis_unavailable', '--reason', 'rule_of_an_extension'];

    for (const command of ['orders list', 'orders list --held', 'orders release --all']) {
      const refused = await cli([...command.split(' '), ...reasons, '--reason', 'foo']);
      const known = await cli([...command.split(' '), ...reasons, '--store', store.subdomain]);

      expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining(order_id) as string });
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(
        /^error: No order is held for foo\. The reasons are blocked_email, .*\banalysis_unavailable\b/,
      );
    }
  });

  it('reads only the settings that a command uses', async () => {
    const unused = { PORT: '80000', TRUST_PROXY: 'x', WORKER_CONCURRENCY: '0', SMTP_URL: 'x', LOG_LEVEL: 'loud' };
    const [list, webhook] = await Promise.all([
      cli(['stores', 'list'], { ...unused, WEBHOOK_ALLOW: 'x' }),
      cli(['webhooks', 'create', '--store', 'a', '--url', 'https://example.com'], { ...unused, WEBHOOK_ALLOW: 'x' }),
    ]);

    expect(list).toMatchObject({ code: 0, stderr: '' });
    expect(webhook).toMatchObject({ code: 2, stdout: '' });
    expect(webhook.stderr).toMatch(/^error: WEBHOOK_ALLOW must be networks/);
  });

  it('begins a branch of the feed', async () => {
    const branches = async () =>
      (await database.query<{ id: string }>('SELECT id FROM change_branches ORDER BY number')).map(({ id }) => id);
    const before = await branches();

    const { code, json } = await cli(['feed', 'new-branch', '--yes']);

    expect(code).toBe(0);
    expect(await branches()).toEqual([...before, (json as { branch: string }).branch]);
  });

  it('exits 1 on a database without the schema, and works after migrate', async () => {
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
      json: { applied: MIGRATIONS.map(({ name }) => name) },
    });
    expect((await cli(['migrate'], env)).json).toEqual({ applied: [] });
    expect(await cli(['stores', 'list'], env)).toMatchObject({ code: 0, json: [] });
    await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
});

describe('imports of the command line', () => {
  it('imports a bundle, and verifies its stock against the ledger', async () => {
    const store = 'stocked';
    const bundle = file(
      'bundle.ndjson',
      { kind: 'store', subdomain: store, name: 'Stocked', currency: 'USD' },
      { kind: 'warehouse', store, code: 'MAIN', name: 'Main' },
      { kind: 'bin', store, warehouse: 'MAIN', code: 'A-1' },
      { kind: 'product', store, slug: 'runner', name: 'Runner', price: '79.90' },
      { kind: 'stock', store, bin: 'MAIN/A-1', product: 'runner', quantity: 7 },
    );

    const imported = await cli(['import', bundle]);

    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.json).toMatchObject({ lines: 5, counts: { product: { created: 1, updated: 0, unchanged: 0 } } });

    expect(await cli(['stock', 'verify', '--store', store])).toMatchObject({
      code: 0,
      json: { checked: 1, differences: [] },
    });
    await database.query('UPDATE stock SET quantity = 6');
    const place = { store, product: 'runner', variant: null, bin: 'MAIN/A-1' };
    expect(await cli(['stock', 'verify'])).toMatchObject({
      code: 1,
      json: { checked: 1, differences: [{ ...place, quantity: 6, ledger: 7 }] },
    });
  });

  it('stops at the first line of a file that is no bundle', async () => {
    for (const command of [['import'], ['import', '--dry-run']]) {
      const { code, stdout, stderr } = await cli([...command, path.resolve('README.md')]);

      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^error: line 1: the line is not valid JSON.*; none of the first \d+ lines is a JSON object with a kind: the file is not a store bundle\nNothing was (imported|written)\..*\n$/,
      );
    }
  });

  it('names the lines of a batch that the database rejects only together', async () => {
    await database.query(`
      CREATE FUNCTION reject_two() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM fresh) > 1 THEN RAISE EXCEPTION 'Ada' USING ERRCODE = '23514', CONSTRAINT = 'one'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER reject_two AFTER INSERT ON brands REFERENCING NEW TABLE AS fresh
      EXECUTE FUNCTION reject_two()`);
    const brand = (slug: string) => ({ kind: 'brand', store: 'two', slug, name: slug });
    const store = { kind: 'store', subdomain: 'two', name: 'Two', currency: 'USD' };

    const result = await cli(['import', file('two.ndjson', store, brand('a'), brand('b'))]);
    await database.query('DROP FUNCTION reject_two CASCADE');

    expect(result).toMatchObject({
      code: 1,
      stderr:
        'error: line 1: the database rejects lines 1 to 3 together (23514, one)\n' +
        'line 2: the database rejects lines 1 to 3 together (23514, one)\n' +
        'line 3: the database rejects lines 1 to 3 together (23514, one)\n' +
        'Nothing was imported. Correct the lines and run the import again.\n',
    });
  });

  it('checks a bundle in a dry run: prints the counts of a good one and all bad lines of another', async () => {
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

  it('exits 130 when an import is interrupted, and prints the lines that are imported', async () => {
    const { child, ended } = start(['import', '-']);
    const line = (n: number) => JSON.stringify({ kind: 'store', subdomain: `s-${n}`, name: 'S', currency: 'USD' });
    child.stdin.write(Array.from({ length: 1_500 }, (_, n) => `${line(n)}\n`).join(''));
    await eventually(async () => {
      expect(await database.query(`SELECT FROM stores WHERE subdomain LIKE 's-%'`)).toHaveLength(1_000);
    });

    child.kill('SIGINT');

    expect(await ended).toEqual({
      code: 130,
      stdout: '',
      stderr:
        'error: Interrupted. Lines 1 to 1000 were imported; nothing after them was. Run the import again to continue.\n',
    });
  });
});

describe('catalog-converter', () => {
  const write = (name: string, text: string) => {
    writeFileSync(path.join(directory, name), text);
    return name;
  };
  const run = (line: string) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: directory };
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd: directory, env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('writes what `import -` reads, and reports the rest; the same file again changes nothing', async () => {
    const csv = write(
      'shopify.csv',
      'Handle,Title,Variant Price,Option1 Name,Option1 Value,Variant Inventory Qty,Vendor,Tags\n' +
        'tee,Tee,9.90,Size,S,3,Fernweh,x\ntee,,12,,M,4,,\ncup,Cup,$4,,,1,,\x1b\n',
    );
    const line = `${CONVERTER} shopify --store ${api.store.subdomain} ${csv} | ${IMPORT}`;

    const first = run(line);
    const again = run(line);

    expect(first.stderr).toBe(
      'line 4: refused: Variant Price must be a plain number, without a currency\n' +
        'Taken from 3 rows: 1 product with 2 variants, 0 images and 7 units.\n' +
        'Not taken: 1 product refused, 0 skipped.\nColumns not used: Tags\n',
    );
    expect(JSON.parse(first.stdout)).toMatchObject({ counts: { product: { created: 1 }, stock: { created: 2 } } });
    const unchanged = { created: 0, updated: 0, unchanged: 1 };
    expect(JSON.parse(again.stdout)).toMatchObject({ counts: { product: unchanged, warehouse: unchanged } });
    expect(await database.query('SELECT code FROM bins ORDER BY id DESC LIMIT 1')).toEqual([{ code: 'IMPORT' }]);
    const product = (await api.get('/v1/products/tee')).json<{ data: object }>().data;
    expect(product).toMatchObject({
      ...{ name: 'Tee', price: 9.9, quantity: 7, brand: { slug: 'fernweh' } },
      variants: [
        { sku: 'tee-s', price: 9.9, quantity: 3 },
        { sku: 'tee-m', price: 12, quantity: 4 },
      ],
    });
  });

  it('reads headings of --columns, writes no stock with --no-stock, and exits with 1 when a product is refused', () => {
    const csv = write('other.csv', 'Sort,SKU,Name,Cost,Stock\nsimple,OTHER-1,Other,5,3\nsimple,,Nothing,5,3\n');
    const columns = write('columns.json', '{"Sort":"Type","Cost":"Regular price"}');
    const options = `--store acme --no-stock --columns ${columns}`;

    const { status, stdout, stderr } = run(`${CONVERTER} woocommerce ${options} ${csv}`);

    expect(status).toBe(1);
    expect(stdout.split('\n').filter(Boolean)).toEqual([expect.stringMatching(/^\{"kind":"product",.*"OTHER-1"/)]);
    expect(stderr).toContain('line 3: refused: SKU and ID are missing');
  });

  it.each([
    ['shopify --store acme torn.csv', 1, 'error: line 3: has 1 fields, the first line 3\n'],
    ['shopify --store acme --columns torn.csv torn.csv', 1, 'error: torn.csv must be a JSON object such as'],
    [
      'magento --store acme torn.csv',
      2,
      'error: Specify the format: shopify or woocommerce.\n(add --help for usage)\n',
    ],
    ['shopify torn.csv', 2, 'error: --store must be a subdomain.'],
    ['shopify --store acme --encoding klingon torn.csv', 2, 'error: --encoding must be an encoding'],
  ])('writes no line for: %s', (args, status, message) => {
    write('torn.csv', 'Handle,Title,Variant Price\nmug,Mug,9.90\ncup\n');

    const result = run(`${CONVERTER} ${args}`);

    expect(result).toMatchObject({ status, stdout: '' });
    expect(result.stderr.startsWith(message)).toBe(true);
  });
});
