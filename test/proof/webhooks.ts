import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../support/https-receiver.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import { Loops } from './support/loops.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { inTime, oneOf, orderBody } from './support/store-setup.js';
import type { Fate } from './webhooks/door.js';
import { missedChanges, type Endpoint } from './webhooks/endpoint.js';
import { OK, Scene } from './webhooks/scene.js';

const SCALE = {
  full: {
    workMs: 90_000,
    downMs: 60_000,
    killPauseMs: 8_000,
    workers: 2,
    products: 60,
    lateMs: 2_000,
    timeoutMs: 400_000,
  },
  quick: { workMs: 2_500, downMs: 800, killPauseMs: 800, workers: 1, products: 6, lateMs: 300, timeoutMs: 20_000 },
};
const ROTATIONS = 3;
const EXPECTED = [200, 201, 409, 422, 503, null];
const BEHIND = `
  SELECT FROM webhooks JOIN changes USING (store_id)
  WHERE store_id = $1 AND kind = ANY (kinds) AND changes.position > webhooks.position LIMIT 1`;

export const webhooks: Proof = { name: 'webhooks', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history } = context;
  const { workMs, killPauseMs, workers, products, timeoutMs } = SCALE[form];
  const scene = await Scene.open(context, products);
  const { store } = scene.shop;
  try {
    await scene.startWorkers(workers);
    const { away, gone, rotated } = await installAll(scene);
    const end = Date.now() + workMs;
    const traffic = sell(scene);
    await Promise.all([
      scene.killWorkers(end, killPauseMs, form === 'quick'),
      outage(scene, away),
      rotateSecrets(scene, rotated, workMs),
      delay(workMs),
    ]);
    await traffic.stop();
    await gone.resume();

    const settled = Date.now();
    const behind = await inTime(async () => {
      // Only the full form waits for the back-off.
      if (form === 'quick') await rig.database.query('UPDATE webhooks SET due_at = least(due_at, now())');
      await rig.database.query('SELECT number_changes($1)', [store.id]);
      if ((await rig.database.query(BEHIND, [store.id])).length > 0) throw new Error('A webhook does not catch up');
    }, timeoutMs);
    const caughtUpMs = Date.now() - settled;

    const violations = [
      ...behind,
      ...scene.endpoints.flatMap((endpoint) => endpoint.violations.slice(0, 5)),
      ...(await missedChanges(rig.database, store.id, scene.endpoints)),
      ...unexpectedAnswers(history.exchanges, EXPECTED),
    ];
    if (scene.reached > 0) violations.push(`a private address was reached ${scene.reached} times`);
    const paused = await rig.database.query(`SELECT FROM webhooks WHERE store_id = $1 AND state = 'paused'`, [
      store.id,
    ]);
    if (paused.length > 0) violations.push(`${paused.length} webhooks are paused`);
    const sum = (count: (endpoint: Endpoint) => number) => scene.endpoints.reduce((all, each) => all + count(each), 0);
    const figures =
      `${scene.endpoints.length} webhooks; ${sum(({ accepted }) => accepted)} messages accepted, ` +
      `${sum(({ refused }) => refused)} refused; workers killed ${scene.kills} ×; ${scene.lies} answers of DNS with a ` +
      `private address; all caught up ${caughtUpMs} ms after the last change`;
    return { figures, violations };
  } finally {
    await scene.close();
  }
}

async function installAll(scene: Scene) {
  const { form, random } = scene.context;
  const sometimes = (fault: Answer) => (): Answer => (random(5) === 0 ? fault : OK);
  await scene.install('single');
  await scene.install('full');
  await scene.install('errors', sometimes({ status: 500 }));
  await scene.install('busy', sometimes({ status: 429, headers: { 'retry-after': '1' } }));
  await scene.install('redirects', sometimes({ status: 307, headers: { location: `${scene.origin('127.0.0.2')}/` } }));
  await scene.install('cuts', sometimes('cut'));
  await scene.install('late', () => delay(600 + random(SCALE[form].lateMs), OK));
  // Each message takes its 10 s.
  if (form === 'full') await scene.install('hangs', (): Answer => (random(30) === 0 ? 'hang' : OK));
  const fates: (() => Fate)[] = [() => 'pass', () => random(3_000), () => (form === 'full' ? 'silent' : 0)];
  const [, torn] = await scene.door(() => (fates[Math.max(0, random(6) - 3)] as () => Fate)());
  await scene.install('torn', () => OK, torn);
  const [away, awayOrigin] = await scene.door(() => 'pass');
  await scene.install('down', () => OK, awayOrigin);
  // Each message needs a connection.
  const last = { ...OK, headers: { connection: 'close' } };
  await scene.install('rebound', () => last, scene.origin('erp.receiver.test'));
  let isGone = true;
  const { id } = await scene.install('gone', (): Answer => (isGone ? { status: 410 } : OK));
  const resume = () => {
    isGone = false;
    return scene.ask('POST', `/${id}/resume`);
  };
  return { away, gone: { resume }, rotated: await scene.install('rotated') };
}

function sell({ context, shop, services }: Scene): { stop(): Promise<unknown> } {
  const { random, rig } = context;
  const { store, products, buyers } = shop;
  const [, ...changing] = products;
  const items = [{ product_id: products[0] ?? 0, quantity: 1 }];
  const orders = new Loops(random, 3, 300, () => buyers.insist(services, orderBody(items)));
  const change = 'UPDATE products SET name = $3, status = $4 WHERE store_id = $1 AND id = $2';
  const changes = new Loops(random, 2, 100, (_, turn) => {
    const status = random(5) === 0 ? 'DRAFT' : 'ACTIVE';
    return rig.database.query(change, [store.id, oneOf(changing, random), `Name ${turn}`, status]);
  });
  return { stop: () => Promise.all([orders.stop(), changes.stop()]) };
}

async function outage({ context }: Scene, door: { close(): Promise<void>; reopen(): Promise<void> }): Promise<void> {
  const { workMs, downMs } = SCALE[context.form];
  await delay(context.random(workMs - downMs));
  await door.close();
  await delay(downMs);
  await door.reopen();
}

async function rotateSecrets(scene: Scene, endpoint: Endpoint, workMs: number): Promise<void> {
  for (let n = 0; n < ROTATIONS; n++) {
    await delay(workMs / (ROTATIONS + 1));
    const [newest = ''] = endpoint.secrets;
    endpoint.secrets = [newest];
    const { secret } = await scene.ask('POST', `/${endpoint.id}/rotate-secret`, { overlap_hours: 24 });
    // A message that is on its way was signed before.
    await delay(workMs / (4 * (ROTATIONS + 1)));
    endpoint.secrets = [secret, newest];
  }
}
