import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { transformFileSync } from '@swc/core';
import pg from 'pg';
import { serverAccount } from './account.js';
import { attachOrStartEmbeddedPostgres, EmbeddedPostgresInUse, startEmbeddedPostgres } from './embedded-postgres.js';

/** A server ends a fraction of a second after its owner. The rest is for a busy machine. */
const VANISHED_MS = 20_000;
/** These settings survive killed processes, which these tests cover, but not a power failure. */
const FAST = { fsync: 'off', full_page_writes: 'off' };

const OWNER = `
import * as embedded from './embedded-postgres.js';
try {
  const server = await embedded[process.argv[3]]({ dataDir: process.argv[2], settings: ${JSON.stringify(FAST)} });
  console.log(JSON.stringify({ url: server.url }));
  setInterval(() => undefined, 1000);
} catch (error) {
  console.log(JSON.stringify({ name: error.name, message: error.message }));
}`;

interface Outcome {
  readonly url?: string;
  readonly name?: string;
  readonly message?: string;
}

describe('the embedded PostgreSQL', () => {
  const scratch = fs.mkdtempSync(join(tmpdir(), 'embedded-postgres-spec-'));
  const children: ChildProcess[] = [];
  /** The first test that starts the cluster creates it; tests about creation use their own directory. */
  let dataDir: string;

  beforeAll(() => {
    // When the tests run as root, the server's account must be able to enter the data directories.
    fs.chmodSync(scratch, 0o755);
    buildForOtherProcesses(join(scratch, 'build'));
  });

  beforeEach(() => {
    dataDir = join(scratch, 'shared');
  });

  afterEach(async () => {
    const left = children.splice(0).filter((child) => child.exitCode === null && child.signalCode === null);
    await Promise.all(left.map((child) => killed(child)));
    await vanishes(dataDir);
  });

  afterAll(() => fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  it('keeps its data across a restart, and leaves no process and no published URL behind when it stops', async () => {
    const first = await startEmbeddedPostgres({ dataDir, settings: FAST });
    await query(first.url, `CREATE TABLE restarted AS SELECT 'receipt 1' AS receipt`);
    await Promise.all([first.stop(), first.stop()]);

    expect(processesOn(dataDir)).toEqual([]);
    expect(fs.readdirSync(join(dataDir, 'postgres.lock'))).toEqual([]);
    await expect(query(first.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    const second = await startEmbeddedPostgres({ dataDir, settings: FAST });
    const rows = await query(second.url, 'SELECT receipt FROM restarted');
    await second.stop();

    expect(rows).toEqual([{ receipt: 'receipt 1' }]);
  });

  it('is durable, quiet and on the loopback interface by default, and rejects connections without its password', async () => {
    const server = await startEmbeddedPostgres({ dataDir, database: 'shop' });
    const { password } = new URL(server.url);
    const stranger = new URL(server.url);
    stranger.password = 'guessed';

    const rows = await query(
      server.url,
      `SELECT current_database() AS database, current_setting('fsync') AS fsync,
              current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets,
              current_setting('log_min_error_statement') AS statements, current_setting('max_connections') AS sessions`,
    );
    const lock = join('postgres.lock', ...fs.readdirSync(join(dataDir, 'postgres.lock')));
    const modes = [lock, 'postgres.secret'].map((name) => fs.statSync(join(dataDir, name)).mode & 0o777);
    const commandLines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    await server.stop();

    expect(rows).toEqual([
      { database: 'shop', fsync: 'on', addresses: '127.0.0.1', sockets: '', statements: 'panic', sessions: '200' },
    ]);
    expect(modes).toEqual([0o600, 0o600]);
    expect(commandLines).toContain(dataDir);
    expect(commandLines).not.toContain(password);
  });

  it('refuses a second start while its owner lives, and names the owner', async () => {
    const { child } = await ownerProcess();

    const refused = startEmbeddedPostgres({ dataDir });

    await expect(refused).rejects.toThrow(EmbeddedPostgresInUse);
    await expect(refused).rejects.toThrow(`in ${dataDir} is already in use by process ${child.pid}:`);
  });

  it('serves a process that attaches, and outlives it', async () => {
    const { url } = await ownerProcess();

    const attached = await attachOrStartEmbeddedPostgres({ dataDir });
    await attached.stop();

    expect(attached.url).toBe(url);
    expect(await query(url ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts when there is no server to attach to, and serves a separate database to an attaching process', async () => {
    const server = await attachOrStartEmbeddedPostgres({ dataDir, settings: FAST });
    const attached = await attachOrStartEmbeddedPostgres({ dataDir, database: 'reports' });

    const rows = await query(attached.url, 'SELECT current_database() AS database');
    await attached.stop();
    await server.stop();

    expect(rows).toEqual([{ database: 'reports' }]);
    expect(processesOn(dataDir)).toEqual([]);
  });

  it('serves the processes that attached until the last of them has stopped or died', async () => {
    const server = await attachOrStartEmbeddedPostgres({ dataDir, settings: FAST });
    const first = await attachOrStartEmbeddedPostgres({ dataDir });
    const { child } = await ownerProcess('attachOrStartEmbeddedPostgres');
    const stopping = server.stop();
    const late = await attachOrStartEmbeddedPostgres({ dataDir });
    await first.stop();
    await killed(child);

    const rows = await query(late.url, 'SELECT 1 AS one');
    await late.stop();
    await stopping;

    expect([first.url, late.url]).toEqual([server.url, server.url]);
    expect(rows).toEqual([{ one: 1 }]);
    expect(processesOn(dataDir)).toEqual([]);
  });

  it('stops when its server was killed under the processes that attached', async () => {
    const server = await attachOrStartEmbeddedPostgres({ dataDir, settings: FAST });
    const attached = await attachOrStartEmbeddedPostgres({ dataDir });
    const stopping = server.stop();
    process.kill(serverPid(dataDir), 'SIGKILL');

    await Promise.all([stopping, attached.stop()]);

    // The shell that watches the server looks for it every 0.1 s.
    while (processesOn(dataDir).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(processesOn(dataDir)).toEqual([]);
  });

  it('starts exactly once when several processes start it at the same moment', async () => {
    dataDir = join(scratch, 'contended');
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => ownerProcess()));

    const winners = outcomes.filter(({ url }) => url !== undefined);
    const losers = outcomes.filter(({ name }) => name === 'EmbeddedPostgresInUse');
    expect(winners).toHaveLength(1);
    expect(losers).toHaveLength(3);
    for (const { message } of losers) expect(message).toContain(`process ${winners[0]?.child.pid}:`);
  });

  it('ends soon after a kill -9 of its owner', async () => {
    const { child } = await ownerProcess();

    await killed(child);

    await vanishes(dataDir);
  });

  it('starts again at once after a kill -9 of its owner, while the old server is still ending', async () => {
    const { child, url = '' } = await ownerProcess();
    await query(url, `CREATE TABLE owner_replaced AS SELECT 'receipt 3' AS receipt`);

    await killed(child);
    const next = await attachOrStartEmbeddedPostgres({ dataDir, settings: FAST });
    const rows = await query(next.url, 'SELECT receipt FROM owner_replaced');
    await next.stop();

    expect(rows).toEqual([{ receipt: 'receipt 3' }]);
  });

  it('recovers from a kill -9 of the server itself, in the same process', async () => {
    const first = await startEmbeddedPostgres({ dataDir, settings: FAST });
    await query(first.url, `CREATE TABLE server_killed AS SELECT 'receipt 4' AS receipt`);
    process.kill(serverPid(dataDir), 'SIGKILL');
    await first.stop();

    const second = await startEmbeddedPostgres({ dataDir, settings: FAST });
    const rows = await query(second.url, 'SELECT receipt FROM server_killed');
    await second.stop();

    expect(rows).toEqual([{ receipt: 'receipt 4' }]);
  });

  it('waits for a server that is shutting down to end, and starts the next one', async () => {
    const { url = '' } = await ownerProcess();
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    // A smart shutdown refuses new sessions and waits for this one.
    process.kill(serverPid(dataDir), 'SIGTERM');
    while (!postmasterPid(dataDir).includes('stopping')) await delay(5);

    const next = attachOrStartEmbeddedPostgres({ dataDir, settings: FAST });
    await expect(query(url, 'SELECT 1')).rejects.toThrow('the database system is shutting down');
    await session.end();
    const server = await next;
    const rows = await query(server.url, 'SELECT 1 AS one');
    await server.stop();

    expect(rows).toEqual([{ one: 1 }]);
    expect(server.url).not.toBe(url);
  });

  it('starts after a reboot, when other processes have the numbers of its last owner and server', async () => {
    await (await startEmbeddedPostgres({ dataDir, settings: FAST })).stop();
    // PostgreSQL takes a process of the same user for a running server.
    const other = spawn('sleep', ['60'], { stdio: 'ignore', ...serverAccount(dataDir) });
    children.push(other);
    fs.writeFileSync(join(dataDir, 'postgres.lock', `${other.pid}_before-reboot_a`), '');
    fs.writeFileSync(join(dataDir, 'postgres/postmaster.pid'), `${other.pid}\n`);

    const server = await attachOrStartEmbeddedPostgres({ dataDir, settings: FAST });
    const rows = await query(server.url, 'SELECT 1 AS one');
    await server.stop();

    expect(rows).toEqual([{ one: 1 }]);
    expect(other.exitCode ?? other.signalCode).toBeNull();
  });

  it('starts over when the process was killed while it created the cluster', async () => {
    dataDir = join(scratch, 'half-made');
    const child = spawn(process.execPath, [join(scratch, 'build/owner.js'), dataDir, 'startEmbeddedPostgres'], {
      stdio: 'ignore',
    });
    children.push(child);
    while (!drafts(dataDir).some((draft) => fs.existsSync(join(dataDir, draft, 'postgres/base')))) await delay(2);
    await killed(child);

    const server = await startEmbeddedPostgres({ dataDir, settings: FAST });
    const rows = await query(server.url, 'SELECT 1 AS one');
    await server.stop();

    expect(rows).toEqual([{ one: 1 }]);
  });

  it('reports why it does not start, without the password, and releases the directory', async () => {
    const failed = startEmbeddedPostgres({ dataDir, settings: { ...FAST, shared_buffers: 'plenty' } });
    await expect(failed).rejects.toThrow('invalid value for parameter "shared_buffers": "plenty"');
    const password = fs.readFileSync(join(dataDir, 'postgres.secret'), 'utf8');
    await expect(failed).rejects.not.toThrow(password);

    const server = await startEmbeddedPostgres({ dataDir, settings: FAST });
    await server.stop();

    expect(server.url).toContain(password);
  });

  it('names a data directory that it cannot create', async () => {
    const file = join(scratch, 'file');
    fs.writeFileSync(file, '');

    await expect(startEmbeddedPostgres({ dataDir: join(file, 'data') })).rejects.toThrow(
      `The data directory ${join(file, 'data')} cannot be created (EEXIST).`,
    );
  });

  it('suggests DATABASE_URL on a platform without a packaged server', async () => {
    const platform = process.platform;
    Object.defineProperty(process, 'platform', { value: 'win32' });

    const refused = startEmbeddedPostgres({ dataDir });
    Object.defineProperty(process, 'platform', { value: platform });

    await expect(refused).rejects.toThrow(/not available for win32-\w+: set DATABASE_URL/);
  });

  async function ownerProcess(start = 'startEmbeddedPostgres'): Promise<Outcome & { child: ChildProcess }> {
    const child = spawn(process.execPath, [join(scratch, 'build/owner.js'), dataDir, start], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, ...(JSON.parse(line.toString()) as Outcome) };
  }
});

/** Compiles the module to ESM, as in dist, because other processes cannot use that of Vitest. */
function buildForOtherProcesses(target: string): void {
  fs.mkdirSync(target);
  fs.symlinkSync(resolve(__dirname, '../../../node_modules'), join(target, 'node_modules'));
  fs.writeFileSync(join(target, 'package.json'), '{ "type": "module" }');
  fs.writeFileSync(join(target, 'owner.js'), OWNER);
  for (const name of fs.readdirSync(__dirname).filter((file) => /(?<!\.spec)\.ts$/.test(file))) {
    const options = { swcrc: false, jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } } as const;
    fs.writeFileSync(join(target, name.replace(/ts$/, 'js')), transformFileSync(join(__dirname, name), options).code);
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function vanishes(dataDir: string): Promise<void> {
  const giveUpAt = performance.now() + VANISHED_MS;
  while (processesOn(dataDir).length > 0 && performance.now() < giveUpAt) await delay(20);
  expect(processesOn(dataDir)).toEqual([]);
}

function processesOn(dataDir: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(`${dataDir}/postgres`));
}

function postmasterPid(dataDir: string): string {
  return fs.readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
}

function serverPid(dataDir: string): number {
  return Number.parseInt(postmasterPid(dataDir), 10);
}

function drafts(dataDir: string): string[] {
  return fs.existsSync(dataDir) ? fs.readdirSync(dataDir).filter((name) => name.startsWith('postgres.init-')) : [];
}
