import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fromCsv, toCsv } from '../../examples/erp-bridge/csv-files.js';
import { anOrderBody } from '../builders/order-body.js';
import { listen } from '../support/listen.js';
import { seededRandom } from '../support/seeded-random.js';
import { startApi, type RunningApi } from '../support/start-api.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ROOT = path.resolve(__dirname, '../..');
const KILLS = 3;
const COLUMNS = ['external_reference', 'sku', 'quantity', 'customer_name'];
const RECEIPTS = ['reference', 'sku', 'adjust'];
const SKU = 'M-1, "blue"';
/** In UTF-16, the first character would sort after the second. */
const WIDE = ['～', '😀'];
const KINDS = ['shipments', 'payments', 'receipts', 'counts'];
const FOLDERS = ['orders-in', 'results', ...KINDS.flatMap((kind) => [`${kind}-in`, `${kind}-results`])];
const NAMES = ['=HYPERLINK("http://evil.test")', 'Line\r\nbreak, "quoted"', '+49 30 1', "'Ada'", '王 小明'];

describe('the ERP bridge', () => {
  const random = seededRandom(20_261_122);
  let api: RunningApi;
  let address: string;
  let folder: string;
  let program: string;
  let mug: number;
  let shelf: number;
  beforeAll(async () => {
    program = path.join(mkdtempSync(path.join(tmpdir(), 'erp-bridge-')), 'bridge.mjs');
    // The bundle starts ten times as fast as the same sources through tsx.
    const options = ['--bundle', '--platform=node', '--format=esm', `--outfile=${program}`, '--log-level=warning'];
    execFileSync(path.join(ROOT, 'node_modules/.bin/esbuild'), ['examples/erp-bridge/bridge.ts', ...options], {
      cwd: ROOT,
    });
    api = await startApi();
    address = `http://127.0.0.1:${await listen(api.app)}`;
    mug = await api.store.product({ sku: SKU, stock: 10_000, price: 1250 });
    await api.store.product({ sku: 'SCARCE', stock: 3 });
    shelf = await api.store.product({ sku: 'SHELF', stock: 100 });
    for (const slug of ['twin-1', 'twin-2']) await api.store.product({ slug, sku: 'TWIN', stock: 9 });
    for (const sku of WIDE.toReversed()) await api.store.product({ sku });
  });
  afterAll(async () => {
    rmSync(path.dirname(program), { recursive: true });
    await api.stop();
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'erp-bridge-'));
    for (const name of FOLDERS) mkdirSync(path.join(folder, name));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (seconds: number, key = api.store.key) => {
    const child = spawn(process.execPath, [program, address, folder, String(seconds)], { env: { API_KEY: key } });
    let [errors, said] = ['', ''];
    child.stderr.on('data', (chunk) => (errors += String(chunk)));
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors, said }));
    return { child, ended };
  };
  const oneRound = (key?: string) => start(0, key).ended;
  const SILENT = { code: 0, errors: '' };
  const rowsOf = (name: string) => fromCsv(readFileSync(path.join(folder, name), 'utf8'));
  const send = (name: string, ...rows: string[][]) => sendTo('orders-in', name, COLUMNS, ...rows);
  const sendTo = (inbox: string, name: string, ...rows: string[][]) => {
    const file = path.join(folder, inbox, name);
    writeFileSync(`${file}.part`, toCsv(rows));
    renameSync(`${file}.part`, file);
  };
  const writtenOrders = () => rowsOf('orders.csv').map((row) => `${row['order_id']} ${row['line']}`);
  const stored = () =>
    api.database.query<{ id: string; external_reference: string; customer_name: string; lines: number }>(
      `SELECT id, coalesce(external_reference, '') AS external_reference, customer_name,
         (SELECT count(*)::int FROM order_lines WHERE order_id = orders.id) AS lines
       FROM orders WHERE store_id = $1`,
      [api.store.id],
    );

  const linesOf = (orders: Awaited<ReturnType<typeof stored>>) =>
    orders.flatMap(({ id, lines }) => Array.from({ length: lines }, (_, n) => `${id} ${n + 1}`)).sort();

  async function killAt(moment: 'request' | 'answer' | 'file', nth: number, key?: string): Promise<void> {
    const { child, ended } = start(0.02, key);
    let count = 0;
    const strike = () => {
      if (++count === nth) child.kill('SIGKILL');
    };
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      if (moment === 'request') strike();
      if (moment !== 'answer' || request.method === 'GET') return;
      const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
      response.end = ((...args: unknown[]) => {
        strike();
        return end(...args);
      }) as typeof response.end;
    };
    const server: Server = api.app.getHttpServer();
    server.prependListener('request', onRequest);
    const onFile = (_: string, name: string | null) => {
      if (moment === 'file' && name?.endsWith('.part')) strike();
    };
    const places = FOLDERS.filter((name) => name.endsWith('results')).map((name) => path.join(folder, name));
    const watchers = [folder, ...places].map((place) => watch(place, onFile));
    await ended;
    for (const watcher of watchers) watcher.close();
    server.off('request', onRequest);
    expect(child.signalCode).toBe('SIGKILL');
  }

  it('makes each order, shipment, payment and receipt once or reports it, although it is killed at random moments', async () => {
    const references = (file: number) => Array.from({ length: 10 }, (_, n) => `${file}-${n}`);
    const ordersOf = (file: number) =>
      references(file).flatMap((reference, n) => [
        [reference, SKU, '1', NAMES[n % NAMES.length] ?? ''],
        ...(n % 3 === 0 ? [[reference, SKU, '2', '']] : []),
      ]);
    const changed: string[] = [];
    for (let n = 0; n < 4 * KILLS; n++) {
      const { order_id: id } = await api.place(anOrderBody(mug, 3));
      changed.push(id);
      // On a busy machine, an order waits for its fraud analysis.
      await api.post(`/v1/orders/${id}/release`, {});
    }
    let received = 0;
    let killing = true;
    const others = (async () => {
      for (let n = 0; killing; n++) {
        await api.post('/v1/orders', anOrderBody(mug, 1, { customer: { name: NAMES[n % NAMES.length] } }));
        await new Promise((resolve) => setTimeout(resolve, random(60)));
      }
    })();
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const shipments = [['order', 'reference', 'line', 'quantity', 'status', 'carrier']];
        const payments = [['order', 'reference', 'amount', 'currency']];
        for (const id of changed.slice(4 * kill, 4 * kill + 4)) {
          // The second part is delivered; a third has no units left, and a payment of another amount is refused.
          shipments.push([id, 'S-1', '1', '2', '', 'DHL'], [id, 'S-2', '', '', '', ''], [id, 'S-3', '', '', '', '']);
          shipments.push([id, 'S-2', '', '', 'delivered', '']);
          payments.push([id, 'pi_1', '3750', 'USD'], [id, 'pi_2', '3749', 'USD']);
        }
        const adjusted = Array.from({ length: 3 }, (_, n) => [`GR-${kill}`, 'SHELF', String(n - 1 + kill)]);
        received += 3 * kill;
        send(`${kill}.csv`, ...ordersOf(kill));
        sendTo('shipments-in', `${kill}.csv`, ...shipments);
        sendTo('payments-in', `${kill}.csv`, ...payments);
        sendTo('receipts-in', `${kill}.csv`, RECEIPTS, ...adjusted, [`GR-${kill}`, 'SHELF', '-9999']);
        const moment = (['request', 'answer', 'file'] as const)[kill % 3] ?? 'file';
        await killAt(moment, 1 + random(moment === 'file' ? 4 : 30));
      }
    } finally {
      killing = false;
      await others;
    }
    await oneRound();
    expect(await oneRound()).toMatchObject({
      ...SILENT,
      said: expect.stringContaining('changes: 0 done, 0 refused; stock: 0 done, 0 refused') as string,
    });

    const orders = await stored();
    for (let file = 0; file < KILLS; file++) {
      const results = rowsOf(`results/${file}.csv`);
      expect(results.map((row) => row['external_reference'])).toEqual(references(file));
      for (const { external_reference, result, order_id } of results) {
        const placed = orders.filter((order) => order.external_reference === external_reference).map(({ id }) => id);
        expect([result, placed]).toEqual(['placed', [order_id]]);
      }
      for (const [kind, rows, refusal] of [
        ['shipments', 16, 'S-3 already_shipped'],
        ['payments', 8, 'pi_2 amount_mismatch'],
      ] as const) {
        const results = rowsOf(`${kind}-results/${file}.csv`);
        expect(results.map(({ row }) => row)).toEqual(Array.from({ length: rows }, (_, n) => String(n + 2)));
        const refused = results.filter(({ result }) => result === 'refused');
        expect(refused.map(({ reference, code }) => `${reference} ${code}`)).toEqual(Array(4).fill(refusal));
        expect(refused.every(({ reason }) => reason !== '')).toBe(true);
      }
      const stock = rowsOf(`receipts-results/${file}.csv`).map(({ row, result, code }) => `${row} ${result} ${code}`);
      expect(stock).toEqual(['2 done ', '3 done ', '4 done ', '5 refused below_zero']);
    }
    expect(writtenOrders().sort()).toEqual(linesOf(orders));
    for (const id of changed) {
      const answer = await api.get(`/v1/orders/${id}/history`);
      const events = answer.json<{ data: { event: string; reference: string }[] }>().data;
      const kept = ['shipment_created', 'shipment_changed', 'payment_recorded'];
      expect(events.filter(({ event }) => kept.includes(event)).map((e) => `${e.event} ${e.reference}`)).toEqual([
        ...['shipment_created S-1', 'shipment_created S-2', 'shipment_changed S-2', 'payment_recorded pi_1'],
      ]);
    }
    expect(await api.store.onHand(shelf)).toBe(100 + received);
  });

  it('applies a count as of its cursor', async () => {
    await oneRound();
    const cursor = readFileSync(path.join(folder, 'stock.cursor'), 'utf8');
    const shelved = await api.store.onHand(shelf);
    for (let sold = 0; sold < 4; sold++) await api.place(anOrderBody(shelf));
    const columns = ['reference', 'sku', 'counted', 'as_of', 'basis'];
    sendTo('counts-in', 'night.csv', columns, ['NIGHT', 'shelf', String(shelved - 2), cursor, 'on_hand']);

    expect(await oneRound()).toMatchObject({
      ...SILENT,
      said: expect.stringContaining('stock: 1 done, 0 refused') as string,
    });

    expect(await api.store.onHand(shelf)).toBe(shelved - 2 - 4);
  });

  it('names the row, the code and the reason of a shipment or payment that is refused, and goes on', async () => {
    const { order_id: id } = await api.place(anOrderBody(mug));
    const shipments = ['order', 'reference', 'line', 'quantity', 'status'];
    sendTo(
      'shipments-in',
      'a.csv',
      shipments,
      [id, 'S-1', 'one', '1', ''],
      [id, 'S-2', '', '', 'lost'],
      [id, 'S-3', '', '', ''],
    );
    sendTo(
      'payments-in',
      'a.csv',
      ['order', 'reference', 'amount', 'currency'],
      ['WEB-0', 'p', '1', 'USD'],
      [id, 'p', '12,50', 'USD'],
    );
    sendTo('payments-in', 'b.csv', ['order', 'reference', 'amount'], [id, 'p', '1']);

    expect(await oneRound()).toMatchObject({
      code: 1,
      said: expect.stringContaining('changes: 1 done, 5 refused') as string,
    });

    const named = (name: string) => rowsOf(name).map(({ row, result, code, reason }) => [row, result, code, reason]);
    expect(named('shipments-results/a.csv')).toEqual([
      ['2', 'refused', 'invalid_request', expect.stringContaining('items[0].line')],
      ['3', 'refused', 'invalid_request', expect.stringContaining('status')],
      ['4', 'done', '', ''],
    ]);
    expect(named('payments-results/a.csv')).toEqual([
      ['2', 'refused', 'not_found', expect.stringContaining('Order')],
      ['3', 'refused', 'invalid_request', expect.stringContaining('amount')],
    ]);
    expect(named('payments-results/b.csv')).toEqual([
      ['1', 'refused', 'unreadable_file', expect.stringContaining('no column currency')],
    ]);
  });

  it('names the reason of each refusal, and tries a refused order again from a new file', async () => {
    const [ours, theirs] = ['PO-ours', 'PO-theirs'];
    await api.post('/v1/orders', anOrderBody(mug, 7, { external_reference: theirs }));
    send(
      'c.csv',
      [ours, 'NO-SUCH', '1', 'Ada'],
      ['twin', 'TWIN', '1', 'Ada'],
      ['zero', SKU, '0', 'Ada'],
      ['anonymous', SKU, '1', ''],
      ['short', 'SCARCE', '4', 'Ada'],
      [theirs, SKU, '1', 'Ada'],
      ['', SKU, '1', 'Ada'],
      ['fine', SKU, '1', 'Ada'],
    );
    const unreadable: [string, string | Buffer][] = [
      ['d.csv', '"external_reference\n'],
      ['latin.csv', Buffer.from(toCsv([COLUMNS, ['latin', SKU, '1', 'Jürgen']]), 'latin1')],
      ['semicolons.csv', `${COLUMNS.join(';')}\nsemi;${SKU};1;Ada\n`],
      ['headings.csv', 'external_reference,SKU,qty,customer_name\nwrong,x,1,Ada\n'],
    ];
    for (const [name, file] of unreadable) writeFileSync(path.join(folder, 'orders-in', name), file);

    expect(await oneRound()).toEqual({
      code: 1,
      errors: '',
      said: expect.stringMatching(
        /^stock\.csv: 7 SKUs; orders\.csv: \d+ added; orders-in: 1 placed, 11 refused; changes: 0 done, 0 refused; stock: 0 done, 0 refused\n$/,
      ) as string,
    });
    send('e.csv', [ours, SKU, '1', 'Ada']);
    expect(await oneRound()).toMatchObject(SILENT);

    const named = rowsOf('results/c.csv').map((row) => [row['external_reference'], row['code'], row['reason']]);
    expect(named).toEqual([
      [ours, 'unknown_sku', 'no unit has the SKU "NO-SUCH"'],
      ['twin', 'unknown_sku', 'several units have the SKU "TWIN"'],
      ['zero', 'invalid_request', 'items[0].quantity must be an integer from 1 to 999'],
      ['anonymous', 'invalid_request', 'customer.name is required'],
      ['short', 'out_of_stock', 'items[0]: requested 4, available 3'],
      [theirs, 'external_reference_taken', expect.stringContaining('external_reference')],
      ['', 'no_reference', 'a row has no external_reference'],
      ['fine', '', ''],
    ]);
    const columns = (names: string) => `the first line has no column ${names}; a comma separates columns`;
    for (const [name, reason] of [
      ['d', expect.stringContaining('Quote Not Closed') as string],
      ['latin', 'the file is not UTF-8 text: save it as "CSV UTF-8"'],
      ['semicolons', columns(COLUMNS.join(', '))],
      ['headings', columns('sku, quantity')],
    ])
      expect(rowsOf(`results/${name}.csv`)).toMatchObject([{ result: 'refused', code: 'unreadable_file', reason }]);
    expect(rowsOf('results/e.csv')).toMatchObject([{ external_reference: ours, result: 'placed' }]);
  });

  it('writes the stock and price of every SKU, in the order of the list', async () => {
    await api.database.query(`UPDATE products SET price = price + 1 WHERE slug = 'twin-1'`);
    await oneRound();

    const rows = rowsOf('stock.csv');
    const listed = (await api.get('/v1/skus')).json<{ data: { sku: string; product_id: number }[] }>().data;
    expect(rows.find(({ sku }) => sku === SKU)).toMatchObject({
      price: '12.5',
      quantity: String(await api.store.onHand(mug)),
    });
    expect(rows.map((row) => [row['sku'], row['product_id']])).toEqual(
      listed.map((unit) => [unit.sku, String(unit.product_id)]),
    );
    expect(listed.map(({ sku }) => sku)).toEqual([SKU, 'SCARCE', 'SHELF', 'TWIN', 'TWIN', ...WIDE]);
  });

  it.each([[[]], [['http://127.0.0.1:1']], [['http://127.0.0.1:1', '.', 'often']]])(
    'explains itself and exits 2 with the arguments %j',
    (given) => {
      const { status, stderr } = spawnSync(process.execPath, [program, ...given], {
        timeout: 10_000,
        env: { API_KEY: 'k' },
        encoding: 'utf8',
      });

      expect([status, stderr]).toEqual([2, expect.stringMatching(/^Usage: API_KEY=\S+ bridge\.ts <address> <folder>/)]);
    },
  );

  it('stops for a key that is refused, and says why', async () => {
    expect(await oneRound('svc_live_wrong')).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^401: .*\n$/) as string,
    });
  });
});
