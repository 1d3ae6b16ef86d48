import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

// Each command is a process. Many processes are slow on a busy machine.
jest.setTimeout(90_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const { cli, createStore, directory, file, start } = commandLine(() => database);

describe('imports of the command line', () => {
  it('imports a bundle, sets its stock, and verifies the stock against the ledger', async () => {
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
    expect(
      await cli(['stock', 'set', '--store', store, '--product', 'runner', '--bin', 'MAIN/Z', '--quantity', '1']),
    ).toMatchObject({
      code: 1,
      stderr: 'error: Bin MAIN/Z not found\n`import` creates warehouses and bins: docs/store-bundle.md.\n',
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

  it('imports a catalog: prints a table, or JSON with --json, and exits 1 when a product is rejected', async () => {
    await createStore('catalog');
    const csv = path.join(directory, 'catalog.csv');
    writeFileSync(csv, 'Handle,Title,Variant Price,Variant Inventory Qty,Tags\nmug,Mug,9.90,3,x\ncup,Cup,$4,1,x\n');
    const command = ['import-catalog', '--store', 'catalog', '--format', 'shopify', csv];

    const dry = await cli([...command, '--dry-run']);
    const table = await cli(command);
    const again = await cli([...command, '--json']);

    expect(dry.stdout).toMatch(/^Dry run: nothing was written/);
    expect(table).toMatchObject({ code: 1, stderr: 'error: 1 product was refused: see the lines above.\n' });
    expect(table.stdout).toMatch(/^products +1 +0 +0$/m);
    expect(table.stdout).toContain('line 3: refused: Variant Price must be a plain number, without a currency');
    expect(table.stdout).toContain('Columns not used: Tags');
    expect(again).toMatchObject({ code: 1, json: { refused: 1, counts: { product: { unchanged: 1 } } } });
    expect((await cli(['stock', 'verify', '--store', 'catalog'])).json).toEqual({ checked: 1, differences: [] });
  });

  it('reads the headings of a catalog from the file of --columns', async () => {
    await createStore('headings');
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

  it('prints the bad line of a bundle and exits 1', async () => {
    const bad = file('bad.ndjson', { kind: 'store', subdomain: 'bad', name: 'Bad', currency: 'usd' });

    expect(await cli(['import', bad])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: line 1: store\.currency must be .*\nNothing was kept\./) as string,
    });
  });

  it('asks to correct or remove a line when the database rejects a batch but none of its lines alone', async () => {
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
        'error: lines 1 to 3: the database rejects them (23514, one)\n' +
        'Nothing was kept. Correct or remove one of these lines and run the import again.\n',
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
    const child = start(['import', '-']);
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
      'error: Interrupted. Lines 1 to 1000 were imported; nothing after them was. Run the import again to continue.\n',
    );
  });
});
