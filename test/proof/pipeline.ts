import { SmtpSink } from '../support/smtp-sink.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import {
  buryThePoisoned,
  confirmTheReviewed,
  countViolations,
  dismissInDelivery,
  freezeOpenConnections,
  takeTheDatabaseAway,
} from './pipeline/acts.js';
import { place, untilDelivered, WorkerCrew, type OrderKind, type Scene } from './pipeline/scene.js';
import { killInDelivery, makeTrouble, type Troubles } from './pipeline/trouble.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { QueueClock } from './support/queue-clock.js';
import { openShop } from './support/shop.js';
import { inParallel } from './support/store-setup.js';

const WORKERS = 2;
const CLIENTS = 4;
const DEADLINE_MS = 120_000;
const OUTAGE_MS = 10_000;
const REVIEW_AMOUNT = 50_000;

/** No order accepts an address that the mailer refuses, so the database puts one into the orders of that kind. */
const POISON = `
  CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.customer_email := 'x,' || NEW.customer_email; RETURN NEW; END $$;
  CREATE TRIGGER poison BEFORE INSERT ON orders FOR EACH ROW WHEN (NEW.notes LIKE '%-poison-%') EXECUTE FUNCTION poison()`;

const SCALE = {
  full: {
    first: ['good', 'poison', 'blocked', 'review', 'good', 'good'],
    calm: 100,
    troubles: { forMs: 60_000, orderPauseMs: 600, killPauseMs: 5_000, special: { poison: 6, blocked: 4, review: 6 } },
    answerMs: 7_000,
    dismissed: 8,
  },
  quick: {
    first: ['good', 'poison', 'blocked', 'review', 'good'],
    calm: 0,
    troubles: { forMs: 700, orderPauseMs: 100, killPauseMs: null, special: {} },
    answerMs: 500,
    dismissed: 2,
  },
} as const satisfies Record<string, { first: readonly OrderKind[]; troubles: Troubles } & Record<string, unknown>>;

export const pipeline: Proof = { name: 'pipeline', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { database } = context.rig;
  const sink = await SmtpSink.start();
  const proxy = await startTcpProxy(database.url);
  const shop = await openShop(context, 1, [1_000_000]);
  const { store } = shop;
  const products = [...shop.products, await store.product({ price: REVIEW_AMOUNT, stock: [1_000_000] })];
  await database.query('UPDATE stores SET contact = $2, fraud_settings = $3 WHERE id = $1', [
    ...[store.id, { email: 'merchant@example.com' }, { review_amount: REVIEW_AMOUNT }],
  ]);
  const clock = new QueueClock(database, store.id);
  const showForeignStages = await clock.hideForeignStages();
  await database.query(POISON);
  const crew = new WorkerCrew(context.rig, proxy.url, { SMTP_URL: sink.url });
  try {
    return await perform({ ...shop, products, sink, crew, proxy, clock, orders: [], shipped: [] });
  } finally {
    await crew.dismissAll();
    await showForeignStages();
    await database.query('DROP FUNCTION poison CASCADE');
    await proxy.close();
    await sink.close();
  }
}

async function perform(scene: Scene): Promise<ProofOutcome> {
  const { context, services, sink, crew, clock, orders } = scene;
  const scale = SCALE[context.form];
  const quick = context.form === 'quick';
  const violations: string[] = [];

  // The first round has no faults: several workers share the work, and each mail arrives once.
  await crew.hire(quick ? 1 : WORKERS);
  await inParallel(CLIENTS, Array(scale.calm).keys(), () => place(scene));
  violations.push(...(await untilDelivered(scene, DEADLINE_MS)));

  const first = Promise.all(scale.first.map((kind) => place(scene, kind)));
  await killInDelivery(scene, quick ? 3 : 2 * WORKERS);
  await first;
  if (quick) await clock.expireClaims();
  await crew.hire(WORKERS);
  await makeTrouble(scene, scale.troubles);

  if (quick) sink.cutAll();
  // The waits for claims of killed workers and the back-off are real only in the full form.
  const hurry = () => (quick ? clock.skipBackOff(orders.map(({ id }) => id)) : Promise.resolve());
  violations.push(...(await untilDelivered(scene, DEADLINE_MS, hurry)));

  violations.push(...(await Promise.all([buryThePoisoned(scene, quick), confirmTheReviewed(scene)])).flat());
  if (!quick) {
    violations.push(...(await takeTheDatabaseAway(scene, OUTAGE_MS)), ...(await freezeOpenConnections(scene)));
  }
  violations.push(...(await dismissInDelivery(scene, scale.answerMs, scale.dismissed)));
  violations.push(...(await countViolations(scene)));
  const expected = [200, 201, 409, 422, 503];
  violations.push(...(await askOracle(scene, { services, worked: true, mails: sink, expected })));

  const figures =
    `${orders.length} orders, ${scene.shipped.length} shipments, ${sink.countsByMessageId.size} mails arrived, ` +
    `${crew.kills} workers killed`;
  return { figures, violations };
}
