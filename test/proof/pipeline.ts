import { StoreFixture } from '../builders/store-fixture.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { Buyers } from './support/buyers.js';
import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import { mailViolations } from './support/oracle/pipeline.js';
import { buryThePoisoned, confirmTheReviewed, type Act } from './support/pipeline/acts.js';
import { QueueClock } from './support/pipeline/queue-clock.js';
import { countViolations } from './support/pipeline/records.js';
import { place, REVIEW_AMOUNT, untilDelivered, type OrderKind, type Scene } from './support/pipeline/scene.js';
import { StageWatch } from './support/pipeline/stage-watch.js';
import { dismissInDelivery, freezeOpenConnections, takeTheDatabaseAway } from './support/pipeline/stoppages.js';
import { killInDelivery, makeTrouble, type Troubles } from './support/pipeline/trouble.js';
import { WorkerCrew } from './support/pipeline/worker-crew.js';
import { inParallel } from './support/store-setup.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';

const WORKERS = 2;
const CLIENTS = 4;
const DEADLINE_MS = 120_000;
const MERCHANT = 'merchant@example.com';

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
    outageMs: 10_000,
    answerMs: 7_000,
    dismissed: 8,
  },
  quick: {
    first: ['good', 'poison', 'blocked', 'review', 'good'],
    calm: 0,
    troubles: { forMs: 700, orderPauseMs: 100, killPauseMs: null, special: {} },
    outageMs: 0,
    answerMs: 500,
    dismissed: 2,
  },
} as const satisfies Record<string, { first: readonly OrderKind[]; troubles: Troubles } & Record<string, unknown>>;

export const pipeline: Proof = {
  name: 'pipeline',
  promise: 'Every mail of an order arrives, or its stage records the reason; no failure stops another mail',
  attack:
    'orders and shipments on 2 processes for 60 s, while 2 workers are killed repeatedly (kill -9) and the mail server rejects mails, hangs, or disconnects before or after it accepts a mail; undeliverable mails; orders under review; 10 s without a database; frozen connections; SIGTERM during deliveries',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { database } = context.rig;
  const sink = await SmtpSink.start();
  const proxy = await startTcpProxy(database.url);
  const store = await StoreFixture.create(database);
  await database.query('UPDATE stores SET contact = $2, fraud_settings = $3 WHERE id = $1', [
    store.id,
    { email: MERCHANT },
    { review_amount: REVIEW_AMOUNT },
  ]);
  const clock = new QueueClock(database, store.id);
  const showForeignStages = await clock.hideForeignStages();
  await database.query(POISON);
  const buyers = new Buyers(store, context.history, context.random);
  const crew = new WorkerCrew(context.rig, proxy.url, { SMTP_URL: sink.url });
  const watch = new StageWatch(database, store.id);
  try {
    const stock = [1_000_000];
    const dear = await store.product({ price: REVIEW_AMOUNT, stock });
    const products = { cheap: await store.product({ price: 1_250, stock }), dear };
    const services = await context.rig.pair();
    const scene = {
      context,
      store,
      products,
      services,
      buyers,
      sink,
      crew,
      proxy,
      clock,
      watch,
      orders: [],
      shipped: [],
    };
    return await perform(scene);
  } finally {
    await crew.dismissAll();
    await showForeignStages();
    await database.query('DROP FUNCTION poison CASCADE');
    await proxy.close();
    await sink.close();
    buyers.close();
  }
}

async function perform(scene: Scene): Promise<ProofOutcome> {
  const { context, store, services, sink, crew, clock, watch, orders } = scene;
  const scale = SCALE[context.form];
  const quick = context.form === 'quick';
  const violations: string[] = [];

  // Without faults: several workers share the work, and each mail arrives once.
  await crew.hire(quick ? 1 : WORKERS);
  await inParallel(CLIENTS, Array(scale.calm).keys(), () => place(scene));
  violations.push(...(await untilDelivered(scene, DEADLINE_MS)));

  const first = Promise.all(scale.first.map((kind) => place(scene, kind)));
  const killed = await killInDelivery(scene, quick ? 3 : 2 * WORKERS);
  await first;
  if (quick) await clock.expireClaims();
  await crew.hire(WORKERS);
  await makeTrouble(scene, scale.troubles);

  const end = Date.now();
  if (quick) sink.cutAll();
  // The waits for claims of killed workers and the back-off are real only in the full form.
  const hurry = () => (quick ? clock.skipBackOff(orders.map(({ id }) => id)) : Promise.resolve());
  violations.push(...(await untilDelivered(scene, DEADLINE_MS, hurry)));
  const settled = Math.round((Date.now() - end) / 1_000);

  const acts: Act[] = [
    ...(await Promise.all([buryThePoisoned(scene, quick), confirmTheReviewed(scene)])),
    ...(scale.outageMs > 0 ? [await takeTheDatabaseAway(scene, scale.outageMs)] : []),
    ...(quick ? [] : [await freezeOpenConnections(scene)]),
    await dismissInDelivery(scene, scale.answerMs, scale.dismissed),
  ];
  violations.push(...acts.flatMap((act) => act.violations), ...(await countViolations(scene)));
  violations.push(...(await mailViolations(context.rig.database, store.id, sink.countsByMessageId)));
  violations.push(...unexpectedAnswers(context.history.exchanges, [200, 201, 409, 422, 503]));
  violations.push(...(await askOracle({ context, store, services, worked: true })));

  const attempts = (await watch.stages()).reduce((sum, stage) => sum + stage.attempts, 0);
  const figures =
    `${orders.length} orders, ${scene.shipped.length} shipments, ${sink.countsByMessageId.size} mails arrived in ${attempts} attempts, ` +
    `${crew.kills} workers killed (${killed} mails in their hands at the first); ` +
    `all that could be delivered was ${settled} s after the faults; ${acts.map((act) => act.figures).join('; ')}; ${retriesOf(context.history)}; ${violations.length} violations`;
  return { figures, violations };
}
