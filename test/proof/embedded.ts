import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Buyers } from './support/buyers.js';
import type { History } from './support/history.js';
import { inParallel, orderBody } from './support/store-setup.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { Service } from './support/service.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SCALE = { full: { kills: 10, loadMs: 2_000 }, quick: { kills: 1, loadMs: 500 } };
const BUYERS = 8;
const BACK_WITHIN_MS = 10_000;
const IN_USE = /^The embedded PostgreSQL in \S+ is already in use by process \d+: stop that process, or choose .*\n$/;

export const embedded: Proof = {
  name: 'embedded',
  promise:
    'With its embedded database the service loses no order when it is killed, no second process opens its data, and commands at once all succeed',
  attack:
    'kill -9 of the service with its embedded PostgreSQL under load, 10 times, each followed by an immediate restart; each time a second process is started on the same data directory; then, without the service, 10 times three commands at once',
  quick: true,
  run,
};

async function run({ form, rig, history, random }: ProofContext): Promise<ProofOutcome> {
  const { kills, loadMs } = SCALE[form];
  const dataDir = mkdtempSync(path.join(tmpdir(), 'store-commerce-embedded-'));
  const env = { DATA_DIR: dataDir, THROTTLE_PER_10S: '0' };
  const violations: string[] = [];
  let slowest = 0;
  let service = await Service.start({ role: 'api', env });
  rig.processes.push(service);
  const buyers = new Buyers({ id: 0, key: /svc_live_\w+/.exec(service.log)?.[0] ?? '' }, history, random);
  try {
    const products = await productsInStock(buyers, service);
    for (let n = 1; n <= kills; n++) {
      const crowd = buyUntilItDies(buyers, service, products);
      violations.push(...(await secondCopy(env)).map((text) => `kill ${n}: ${text}`));
      await delay(random(loadMs));
      await service.kill();
      await crowd;
      const start = Date.now();
      service = await rig.restart(service);
      slowest = Math.max(slowest, Date.now() - start);
      violations.push(...(await missing(buyers, service, history)).map((text) => `kill ${n}: ${text}`));
    }
    const { code, stderr } = await execute('cli', ['stock', 'verify'], env);
    if (code !== 0) violations.push(`stock verify: ${stderr}`);
    if ((await service.terminate()) !== 0) violations.push('the service did not exit with 0 after SIGTERM');
    for (let n = 1; n <= kills; n++) violations.push(...(await commandsAtOnce(n, env)));
  } finally {
    buyers.close();
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
  if (slowest > BACK_WITHIN_MS) violations.push(`the service was ready only after ${slowest} ms`);
  const acknowledged = acknowledgedOrders(history).size;
  if (acknowledged === 0) violations.push('no order was placed');
  const figures =
    `${kills} × kill -9: ${acknowledged} orders acknowledged, all there; again ready after at most ${slowest} ms; ` +
    `${kills} second copies refused; ${kills} × three commands at once`;
  return { figures, violations };
}

async function productsInStock(buyers: Buyers, service: Service): Promise<readonly number[]> {
  const { bytes } = await buyers.send(service, { method: 'GET', path: '/v1/products?in_stock=true&limit=100' });
  return (JSON.parse(bytes.toString()) as { data: { id: string }[] }).data.map(({ id }) => Number(id));
}

/** Orders both available and sold-out products: only acknowledged orders count. */
async function buyUntilItDies(buyers: Buyers, service: Service, products: readonly number[]): Promise<void> {
  function* orders(): Generator<number> {
    while (service.isRunning) for (const id of products) if (service.isRunning) yield id;
  }
  await inParallel(BUYERS, orders(), (product_id) =>
    buyers.send(service, { body: orderBody([{ product_id, quantity: 1 }], 'embedded') }),
  );
}

/** Receipt numbers of all acknowledged orders, by id. */
function acknowledgedOrders({ exchanges }: History): Map<string, string> {
  const created = exchanges.filter(({ method, status }) => method === 'POST' && status === 201);
  return new Map(
    created.map(({ bytes }) => {
      const { data } = JSON.parse(bytes.toString()) as { data: { order_id: string; receipt_number: string } };
      return [data.order_id, data.receipt_number];
    }),
  );
}

async function missing(buyers: Buyers, service: Service, history: History): Promise<string[]> {
  const violations: string[] = [];
  await inParallel(BUYERS, acknowledgedOrders(history), async ([id, receipt]) => {
    const { status, bytes } = await buyers.send(service, { method: 'GET', path: `/v1/orders/${id}` });
    if (status !== 200 || !bytes.includes(receipt)) violations.push(`order ${receipt} was answered ${status}`);
  });
  return violations;
}

async function secondCopy(env: Readonly<Record<string, string>>): Promise<string[]> {
  const { code, stderr } = await execute('api', [], { ...env, PORT: '0' });
  return code === 1 && IN_USE.test(stderr) ? [] : [`a second copy ended with ${code}: ${stderr}`];
}

/** Commands on a data directory without a server: one of them starts it, and the others use it. */
async function commandsAtOnce(n: number, env: Readonly<Record<string, string>>): Promise<string[]> {
  const create = ['stores', 'create', '--subdomain', `shop${n}`, '--name', 'Shop', '--currency', 'USD'];
  const commands = [create, ['stores', 'list'], ['stores', 'list']];
  const ends = await Promise.all(commands.map((command) => execute('cli', command, env)));
  return ends.filter(({ code }) => code !== 0).map(({ stderr }) => `commands at once, round ${n}: ${stderr}`);
}

function execute(app: 'api' | 'cli', args: readonly string[], env: Readonly<Record<string, string>>) {
  const main = path.join(ROOT, `dist/apps/${app}/src/main.js`);
  const options = { env: { PATH: process.env['PATH'], ...env }, timeout: 60_000 };
  return new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [main, ...args], options, (_, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });
}
