import { execFile, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as internal from '@app/infrastructure';
import * as shown from 'store-commerce/infrastructure';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const SOURCES = ['apps', 'docs', 'libs', 'packages', 'tools', 'nest-cli.json', 'package.json', 'tsconfig.json'];

/** The example compiles with these types, a development dependency of its own. */
const TYPES = 'node_modules/@types/node';

/**
 * Compiles only if each line below a directive is an error: what the package hides, and an argument with the wrong type
 * of another library.
 */
const REFUSED = [
  ...Object.keys(internal)
    .filter((name) => !(name in shown))
    .map((name) => `import { ${name} } from 'store-commerce/infrastructure';`),
  "import 'store-commerce/bundles';",
  "import { Database } from 'store-commerce/dist/libs/infrastructure/src/index.js';",
  "void import('store-commerce/api').then(({ createApp }) => createApp({ port: 'none' }, ''));",
].map((line) => `// @ts-expect-error\n${line}\n`);

/** Creates a symbolic link, so that no registry is asked. */
function link(name: string, place: string): void {
  const target = path.join(place, name);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.symlinkSync(path.resolve(name), target);
}

/** Lists what `npm install` of the package installs next to it, by the lock file. */
function dependencies(): string[] {
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([name, { dev, link: isOwn }]) => !dev && !isOwn && /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(name))
    .map(([name]) => name)
    .filter((name) => fs.existsSync(name));
}

describe('the package of the service, in an application that extends it', () => {
  let place: string;
  let application: string;
  let database: TestDatabase;
  let started: ChildProcess | undefined;

  /** @throws with the output when the command fails. */
  async function run(cwd: string, command: string, ...args: string[]): Promise<void> {
    const PATH = [path.resolve('node_modules/.bin'), process.env['PATH']].join(path.delimiter);
    const env = { ...process.env, PATH, DATABASE_URL: database.url };
    await promisify(execFile)(command, args, { cwd, env }).catch(({ stdout, stderr }: Record<string, string>) => {
      throw new Error(`${[command, ...args].join(' ')} failed:\n${stdout}${stderr}`);
    });
  }
  const script = (name: string) => run(application, 'npm', 'run', '--silent', name);

  beforeAll(async () => {
    database = await createTestDatabase();
    place = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-package-'));
    application = path.join(place, 'loyal-store');
    fs.cpSync('examples/extending', application, { recursive: true });
  });
  afterAll(async () => {
    started?.kill('SIGKILL');
    await database.drop();
    fs.rmSync(place, { recursive: true, force: true });
  });

  it('is packed, and has the types and the code, and no more, with which the application compiles, passes its tests and starts', async () => {
    const checkout = path.join(place, 'checkout');
    // The checkout itself is not used, because other tests start processes from its build.
    for (const name of SOURCES) fs.cpSync(name, path.join(checkout, name), { recursive: true });
    link('node_modules', checkout);
    await run(checkout, 'npm', 'pack', '--silent', '--pack-destination', application);

    for (const name of [...dependencies(), TYPES]) link(name, application);
    const installed = path.join(application, 'node_modules/store-commerce');
    fs.mkdirSync(installed);
    await run(application, 'tar', '-xzf', 'store-commerce-0.1.0.tgz', '-C', installed, '--strip-components=1');
    await script('build');
    fs.writeFileSync(path.join(application, 'src/refused.ts'), REFUSED.join(''));
    await Promise.all([script('typecheck'), script('test'), start()]);
  }, 300_000);

  async function start(): Promise<void> {
    const cli = 'node_modules/store-commerce/dist/apps/cli/src/main.js';
    await run(application, process.execPath, cli, 'migrate', '--then', 'loyalty=dist/migrations');
    const port = await freePort();
    const env = { ...process.env, DATABASE_URL: database.url, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: place };
    started = spawn(process.execPath, ['dist/main.js'], { cwd: application, env, stdio: 'ignore' });

    await eventually(async () => {
      const document = await fetch(`http://127.0.0.1:${port}/openapi.json`);
      expect(await document.text()).toContain('/v1/loyalty');
    });
  }
});
