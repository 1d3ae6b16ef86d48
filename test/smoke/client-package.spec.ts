import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { listen } from '../support/listen.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const README = fs.readFileSync('packages/client/README.md', 'utf8');

describe('the package of the client, in a new project', () => {
  let api: RunningApi;
  let project: string;
  beforeAll(async () => {
    api = await startApi();
    project = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-client-'));
  });
  afterAll(async () => {
    await api.stop();
    fs.rmSync(project, { recursive: true, force: true });
  });

  async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
    const PATH = [path.resolve('node_modules/.bin'), process.env['PATH']].join(path.delimiter);
    const { stdout } = await promisify(execFile)(command, args, { cwd, env: { ...process.env, PATH } });
    return stdout;
  }

  /** Creates a symbolic link, so that no registry is asked. */
  function link(name: string): void {
    const place = path.join(project, 'node_modules', name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.symlinkSync(path.resolve('node_modules', name), place);
  }

  it('is packed without anything else, and the program of its README compiles and runs', async () => {
    const product = await api.store.product({ name: 'Lamp', sku: 'LAMP-60', stock: 5 });
    const packed = await run('packages/client', 'npm', 'pack', '--silent', '--pack-destination', project);
    const installed = path.join(project, 'node_modules/@store-commerce/client');
    fs.mkdirSync(installed, { recursive: true });
    await run(project, 'tar', '-xzf', packed.trim(), '-C', installed, '--strip-components=1');
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types']) link(name);
    const [, program = ''] = /```ts\n([^]*?)\n```/.exec(README) ?? [];
    fs.writeFileSync(path.join(project, 'program.ts'), program);
    fs.writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }');

    await run(
      project,
      'tsc',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
      'program.ts',
    );
    const address = `http://127.0.0.1:${await listen(api.app)}`;
    const lines = (await run(project, process.execPath, 'program.js', address, api.store.key)).split('\n');

    const [order] = await api.database.query<{ id: string; receipt_number: string }>(
      'SELECT id, receipt_number FROM orders',
    );
    expect(lines.slice(0, 2)).toEqual([`${product} Lamp: 10`, order?.receipt_number]);
    expect(lines.slice(2).sort()).toEqual(['', `orders ${order?.id} changed`, `skus ${product} changed`]);
    expect(fs.readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json']);
  });
});
