import { setTimeout as delay } from 'node:timers/promises';
import { StoreFixture } from '../builders/store-fixture.js';
import { History, type Exchange } from '../proof/support/history.js';
import { askOracle } from '../proof/support/oracle.js';
import { stockShelves } from '../proof/support/store-setup.js';
import { seededRandom } from '../support/seeded-random.js';
import { Clients } from './clients.js';
import { openPlace, type Place } from './place.js';

// Two API processes behind HAProxy, a worker, PgBouncer in transaction mode in front of the primary, and a streaming
// replica for reads. Every restartable process is restarted under continuous reads and orders. Exits with 0 when no
// client noticed.

const SEED = 1;
const QUIET_MS = 5_000;
/** The service stops reading from a lagging replica within two probes of 2 s. */
const BEHIND_MS = 8_000;
const SHOWN_VIOLATIONS = 20;

interface Act {
  readonly title: string;
  run(): Promise<unknown>;
}

const actsAt = ({ rig, services, worker, standby }: Place): Act[] => [
  { title: 'nothing happens', run: () => delay(QUIET_MS) },
  {
    title: 'both API processes are replaced, one after the other',
    run: async () => {
      for (const service of services) {
        await service.terminate();
        await rig.restart(service);
        await delay(QUIET_MS);
      }
    },
  },
  {
    title: 'the worker is replaced',
    run: async () => {
      await worker.terminate();
      await rig.restart(worker);
      await delay(QUIET_MS);
    },
  },
  { title: 'the replica falls behind', run: () => standby.pause(BEHIND_MS) },
  {
    title: 'the replica goes away',
    run: async () => {
      await standby.stop();
      await delay(QUIET_MS);
    },
  },
];

async function main(): Promise<number> {
  const place = await openPlace();
  try {
    return await play(place);
  } finally {
    await place.close();
  }
}

async function play(place: Place): Promise<number> {
  const { rig, shop, mails } = place;
  const history = new History();
  const random = seededRandom(SEED);
  const store = await StoreFixture.create(rig.database);
  const products = await stockShelves(store, 50, [100_000]);
  const clients = new Clients({ shop, store, products, history, random });
  const violations: string[] = [];
  for (const act of actsAt(place)) violations.push(...(await perform(act, place, history)));
  await clients.leave();

  violations.push(
    ...(await askOracle({ context: { form: 'full', rig, history, seed: SEED, random }, store, worked: true })),
  );
  const arrived = new Set(mails.mails.map(({ messageId }) => messageId)).size;
  const verdict = violations.length === 0 ? 'PASS' : `FAIL, ${violations.length} violations`;
  process.stdout.write(`topology: ${verdict}; ${history.count(201)} orders, ${arrived} mails\n`);
  for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) process.stderr.write(`  ${violation}\n`);
  return violations.length === 0 ? 0 : 1;
}

/** @returns a text for every request that failed during the act. */
async function perform(act: Act, { standby }: Place, history: History): Promise<string[]> {
  const first = history.exchanges.length;
  const before = await standby.count();
  const start = performance.now();
  await act.run();
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const exchanges = history.exchanges.slice(first);
  const failed = exchanges.filter(({ status }) => status !== 200 && status !== 201);
  const reads = exchanges.filter(({ path }) => path.startsWith('/v1/products')).length;
  const onReplica = (await standby.count()) - before;
  process.stdout.write(
    `${act.title}: ${exchanges.length} requests in ${seconds} s, p99 ${p99(exchanges)} ms, ${failed.length} failed; ` +
      `${reads} reads of the catalog, ${onReplica} transactions on the replica\n`,
  );
  return failed.map(({ method, path, status, error }) => `${act.title}: ${method} ${path} ${status ?? error}`);
}

function p99(exchanges: readonly Exchange[]): number {
  const times = exchanges.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

process.exitCode = await main();
