import { setTimeout as delay } from 'node:timers/promises';
import { StoreFixture } from '../builders/store-fixture.js';
import { SLOWNESSES, slowClient, type SlowTarget, type Slowness } from '../support/slow-clients.js';
import { Buyers } from './support/buyers.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { leaveAnswersUnread } from './support/slow/unread-sockets.js';
import { orderBody } from './support/store-setup.js';

/** Of each kind; of those slow with reading, half read a little. They come one after the other. */
const EACH = 500;
const RAMP_MS = 90_000;
const CALM_MS = 15_000;
const CLOSED_IN_MS = 20_000;
/** How long a slow client waits to see it. */
const PATIENCE_MS = 25_000;
const GOOD_EVERY_MS = 20;
/** Below that, twice the normal is what one turn of another process costs. */
const NOTICED_MS = 25;

export const slow: Proof = {
  name: 'slow',
  promise: 'Clients that send or read slowly are hung up on in under 20 s, and nobody else waits for them',
  attack:
    '500 connections each that send a header, send a body or read their answers a few bytes at a time, or not at all, beside 50 good requests a second, orders among them; then 200 connections that leave 7 MB of answers unread',
  // test/e2e/slow-clients.spec.ts is the short one, with shorter limits.
  quick: false,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { rig, history, random } = context;
  const store = await StoreFixture.create(rig.database);
  const service = await rig.startService();
  const large = await store.product({ columns: { description: 'x'.repeat(256 * 1024) } });
  const mug = await store.product({ stock: 1_000_000 });
  const target = { port: Number(new URL(service.url).port), key: store.key, largePath: `/v1/products/${large}` };
  const buyers = new Buyers(store, history, random);
  const good = (work: Promise<unknown>) => latencies(buyers, service, mug, work);

  await good(delay(CALM_MS / 2)); // warm-up
  const normal = percentile(await good(delay(CALM_MS)), 0.99);
  const attack = Promise.all(SLOWNESSES.map((kind) => crowd(kind, target, kind.includes('read') ? EACH / 2 : EACH)));
  const attacked = percentile(await good(attack), 0.99);
  const after = percentile(await good(delay(CALM_MS)), 0.99);
  buyers.close();
  const unread = await leaveAnswersUnread(target.port, CLOSED_IN_MS);

  const usual = Math.max(normal, after);
  const ends = (await attack).flat();
  const slowest = Math.max(...ends.map((end) => end ?? Infinity));
  const open = ends.filter((end) => end === null || end > CLOSED_IN_MS).length;
  const violations = [
    ...(open > 0 ? [`${open} of ${ends.length} slow clients were not hung up on in ${CLOSED_IN_MS} ms`] : []),
    ...(attacked > Math.max(2 * usual, NOTICED_MS) ? [`p99 of the good: ${attacked} ms, usually ${usual} ms`] : []),
    ...unread.violations,
    ...unexpectedAnswers(history.exchanges, [200, 201]),
    ...(await askOracle({ context, store, services: [service] })),
  ];
  const figures =
    `${ends.length} slow clients, closed after ${(slowest / 1_000).toFixed(1)} s at most; ` +
    `${history.exchanges.length} good requests, p99 ${attacked} ms beside them, ${usual} ms without; ${unread.figures}`;
  return { figures, violations };
}

/** How long each of them was let. They come evenly spread. */
function crowd(kind: Slowness, target: SlowTarget, count: number): Promise<(number | null)[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await delay((n * RAMP_MS) / count);
      return await slowClient(kind, target, PATIENCE_MS);
    }),
  );
}

/** Milliseconds of good requests, sent at a steady rate, whatever becomes of those before, until the work is done. */
async function latencies(buyers: Buyers, service: Service, product: number, work: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  void work.finally(() => (isDone = true));
  const asked: Promise<{ readonly tookMs: number }>[] = [];
  for (let n = 0; !isDone; n++) {
    const body = orderBody([{ product_id: product, quantity: 1 }], 'slow');
    const path = n % 2 === 0 ? '/v1/products?limit=20' : '/v1/orders?limit=20';
    asked.push(buyers.send(service, n % 5 === 0 ? { body } : { method: 'GET', path }));
    await delay(GOOD_EVERY_MS);
  }
  return (await Promise.all(asked)).map(({ tookMs }) => tookMs);
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
