import { SmtpSink } from '../support/smtp-sink.js';
import { Follower } from './changes/follower.js';
import { Clients } from './life/clients.js';
import { Trouble } from './life/trouble.js';
import { judge } from './life/verdict.js';
import { stockVerifyViolations } from './support/cli.js';
import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import { mailViolations } from './support/oracle/pipeline.js';
import { QueueClock } from './support/pipeline/queue-clock.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { mailMerchant, openStore } from './support/shop.js';

const SCALE = {
  full: { orders: 200, requestsPerOrder: 120, killPauseMs: 4_000 },
  quick: { orders: 12, requestsPerOrder: 60, killPauseMs: 800 },
};
const PRODUCTS = 12;
const BINS = [50_000, 50_000, 50_000];
const EXPECTED = [200, 201, 404, 409, 422, 503, null];

export const life: Proof = {
  name: 'life',
  promise:
    'No unit of an order ships twice or returns to stock twice, refunds never exceed payments, each shipment is told once, and the history replays to the order as it is',
  attack:
    '30 clients ship, pick, void, deliver, cancel, pay, refund and move the same 200 orders on 2 processes, with equal and different references and Idempotency-Keys, and give up answers; connections to PostgreSQL cut at statements and at COMMIT; kill -9 of each process and of the worker',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history, random } = context;
  const { orders, requestsPerOrder, killPauseMs } = SCALE[form];
  const shop = await openStore(context, PRODUCTS, BINS);
  const { store, buyers } = shop;
  await mailMerchant(context, store);
  const sink = await SmtpSink.start();
  const trouble = new Trouble(context, sink.url);
  try {
    await trouble.start();
    const clients = new Clients({ shop, services: trouble.services, orders, requestsPerOrder });
    const address = trouble.services[0].url;
    const follower = new Follower({ name: 'the reader', key: store.key, address, random }).start();
    await clients.place();
    await trouble.besides(clients.change(), killPauseMs);

    const { services } = trouble;
    if (form === 'quick') await new QueueClock(rig.database, store.id).expireClaims();
    const violations = [...clients.violations, ...unexpectedAnswers(history.exchanges, EXPECTED)];
    violations.push(...(await askOracle({ context, store, services, worked: true })));
    violations.push(...(await mailViolations(rig.database, store.id, sink.countsByMessageId)));
    violations.push(...(await stockVerifyViolations(rig.database.url, store.subdomain)));
    await follower.stop();
    await follower.catchUp();
    violations.push(...follower.violations);
    const evidence = { shop, service: services[0], orders: clients.orders, follower, sink };
    const { violations: found, events } = await judge(evidence);
    violations.push(...found);
    buyers.close();

    const count = (what: RegExp) =>
      history.exchanges.filter(({ status, path }) => status === 201 && what.test(path)).length;
    const figures =
      `${clients.orders.length} orders, ${history.exchanges.length} requests, ${clients.repeated} given up and repeated, ` +
      `${events} events replayed; acknowledged ${count(/shipments$/)} shipments, ${count(/payments$/)} payments, ` +
      `${count(/refunds$/)} refunds; ${history.count(422)} refused; ${sink.countsByMessageId.size} mails; ` +
      `${trouble.cuts.statement} connections cut at statements, ${trouble.cuts.commit} at COMMIT; kill -9 of processes ` +
      `${trouble.kills.api} ×, of the worker ${trouble.kills.worker} ×; ${retriesOf(history)}; ${violations.length} violations`;
    return { figures, violations };
  } finally {
    await trouble.stop();
    await sink.close();
  }
}
