import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const SHIPPED = [...fs.readFileSync('docker/Dockerfile', 'utf8').matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(
  ([, name]) => name as string,
);

describe('the files of the image, in a directory of their own', () => {
  let place: string;
  let database: TestDatabase;
  let collector: OtlpReceiver;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    place = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-bundle-'));
    for (const name of SHIPPED) fs.cpSync(path.resolve(name), path.join(place, 'app', name), { recursive: true });
    database = await createTestDatabase('TEMPLATE template0');
    collector = await startOtlpReceiver();
  });
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await database?.drop();
    await collector?.close();
    fs.rmSync(place, { recursive: true });
  });

  const main = (app: string) => path.join(place, `app/dist/apps/${app}/src/main.js`);
  const environment = (env: Record<string, string>) => ({
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    DATA_DIR: path.join(place, 'data'),
    HOST: '127.0.0.1',
    ...env,
  });
  // This is the working directory of the image, which has no node_modules: TypeORM looks for packages there too.
  const cwd = () => path.join(place, 'app');
  const cli = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main('cli'), ...args], {
      cwd: cwd(),
      env: environment({}),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    return stdout;
  };
  const start = (app: string, env: Record<string, string>, ...flags: string[]): (() => string) => {
    const child = spawn(process.execPath, [...flags, main(app)], { cwd: cwd(), env: environment(env) });
    started.push(child);
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    return () => output;
  };
  const ready = async (port: number) => {
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200));
    return url;
  };

  it('find the migrations, the version, the files of the documentation page and the thread of the probes', async () => {
    const version = (JSON.parse(fs.readFileSync('package.json', 'utf8')) as { version: string }).version;
    const port = await freePort();
    const probes = await freePort();
    start('api', { PORT: String(port), METRICS_PORT: String(probes) });

    expect(cli('--version')).toBe(`${version}\n`);
    expect(cli('migrate')).toBeTruthy();
    const url = await ready(port);
    const page = await (await fetch(`${url}/docs`)).text();
    const files = [...page.matchAll(/(?:href|src)="\.\/(docs\/[^"?]+)/g)].map(([, file]) => file);
    expect(files).toHaveLength(9);
    expect(files).toContain('docs/guide');
    expect((await fetch(`http://127.0.0.1:${probes}/health/ready`)).status).toBe(200);
    for (const file of files) expect((await fetch(`${url}/${file}`)).status).toBe(200);
    const dashboard = await (await fetch(`${url}/dashboard/`)).text();
    for (const [, file] of dashboard.matchAll(/(?:href|src)="\.\/([^"]+)"/g))
      expect([file, (await fetch(`${url}/dashboard/${file}`)).status]).toEqual([file, 200]);
    const script = '/docs/swagger-ui-bundle.js';
    const built = fs.statSync('dist/documentation/swagger-ui-bundle.js.br').size;
    const { headers } = await fetch(`${url}${script}`, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
    expect(headers.get('content-length')).toBe(`${built}`);
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
    expect(document).toEqual(JSON.parse(fs.readFileSync('docs/openapi.json', 'utf8')));
  });

  it('work the queue and send spans by the exporter, which is loaded only for them', async () => {
    cli('stores', 'create', '--subdomain', 'acme', '--name', 'Acme', '--currency', 'USD');
    const { key } = JSON.parse(cli('keys', 'create', '--store', 'acme')) as { key: string };
    const port = await freePort();
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
    const probes = await freePort();
    const said = start('worker', { WORKER_PORT: String(probes) });
    start('api', { PORT: String(port), ...traced });

    await eventually(() => expect(said()).toContain('Processing the pipeline'));
    for (const probe of ['/health/live', '/health/ready', '/health', '/metrics'])
      expect([probe, (await fetch(`http://127.0.0.1:${probes}${probe}`)).status]).toEqual([probe, 200]);
    const url = await ready(port);
    expect((await fetch(`${url}/v1/products`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    await eventually(() => expect(collector.spans.map(({ name }) => name)).toContain('GET /v1/products'), 10_000);
  });
});
