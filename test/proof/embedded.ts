import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Buyers } from './support/buyers.js';
import { runBuild } from './support/cli.js';
import { dataOf, type History } from './support/history.js';
import { inParallel, orderBody } from './support/store-setup.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { Service } from './support/service.js';

const SCALE = { full: { kills: 10, loadMs: 2_000 }, quick: { kills: 1, loadMs: 500 } };
const BUYERS = 8;
const BACK_WITHIN_MS = 10_000;
const IN_USE = /^The embedded PostgreSQL in \S+ is already in use by process \d+: stop that process, or choose .*\n$/;

export const embedded: Proof = { name: 'embedded', run };

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
    const inStock = { method: 'GET', path: '/v1/products?in_stock=true&limit=100' };
    const products = dataOf<{ id: string }[]>(await buyers.send(service, inStock)).map(({ id }) => Number(id));
    for (let n = 1; n <= kills; n++) {
      const crowd = buyUntilItDies(buyers, service, products);
      const second = await runBuild('api', { ...env, PORT: '0' });
      if (second.code !== 1 || !IN_USE.test(second.stderr)) {
        violations.push(`kill ${n}: a second copy ended with ${second.code}: ${second.stderr}`);
      }
      await delay(random(loadMs));
      await service.kill();
      await crowd;
      const start = Date.now();
      service = await rig.restart(service);
      slowest = Math.max(slowest, Date.now() - start);
      violations.push(...(await missing(buyers, service, history)).map((text) => `kill ${n}: ${text}`));
    }
    const { code, stderr } = await runBuild('cli', env, ['stock', 'verify']);
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
  const figures = `${kills} × kill -9: ${acknowledged} orders acknowledged; again ready after at most ${slowest} ms`;
  return { figures, violations };
}

async function buyUntilItDies(buyers: Buyers, service: Service, products: readonly number[]): Promise<void> {
  function* orders(): Generator<number> {
    while (service.isRunning) for (const id of products) if (service.isRunning) yield id;
  }
  await inParallel(BUYERS, orders(), (product_id) =>
    buyers.send(service, { body: orderBody([{ product_id, quantity: 1 }], 'embedded') }),
  );
}

function acknowledgedOrders({ exchanges }: History): Map<string, string> {
  const created = exchanges.filter(({ method, status }) => method === 'POST' && status === 201);
  const orders = created.map((exchange) => dataOf<{ order_id: string; receipt_number: string }>(exchange));
  return new Map(orders.map(({ order_id, receipt_number }) => [order_id, receipt_number]));
}

async function missing(buyers: Buyers, service: Service, history: History): Promise<string[]> {
  const violations: string[] = [];
  await inParallel(BUYERS, acknowledgedOrders(history), async ([id, receipt]) => {
    const { status, bytes } = await buyers.send(service, { method: 'GET', path: `/v1/orders/${id}` });
    if (status !== 200 || !bytes.includes(receipt)) violations.push(`order ${receipt} was answered ${status}`);
  });
  return violations;
}

async function commandsAtOnce(n: number, env: Readonly<Record<string, string>>): Promise<string[]> {
  const create = ['stores', 'create', '--subdomain', `shop${n}`, '--name', 'Shop', '--currency', 'USD'];
  const commands = [create, ['stores', 'list'], ['stores', 'list']];
  const ends = await Promise.all(commands.map((command) => runBuild('cli', env, command)));
  return ends.filter(({ code }) => code !== 0).map(({ stderr }) => `commands at once, round ${n}: ${stderr}`);
}
