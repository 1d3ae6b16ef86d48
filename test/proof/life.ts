import { SmtpSink } from '../support/smtp-sink.js';
import { Follower } from './changes/follower.js';
import { Clients } from './life/clients.js';
import { Trouble } from './life/trouble.js';
import { judge } from './life/verdict.js';
import { stockVerifyViolations } from './support/cli.js';
import { askOracle } from './support/oracle.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { QueueClock } from './support/queue-clock.js';
import { mailMerchant, openStore } from './support/shop.js';

const SCALE = {
  full: { orders: 200, requestsPerOrder: 120, killPauseMs: 4_000 },
  quick: { orders: 12, requestsPerOrder: 60, killPauseMs: 800 },
};
const PRODUCTS = 12;
const BINS = [50_000, 50_000, 50_000];
const EXPECTED = [200, 201, 404, 409, 422, 503, null];

export const life: Proof = { name: 'life', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, random } = context;
  const { orders, requestsPerOrder, killPauseMs } = SCALE[form];
  const shop = await openStore(context, PRODUCTS, BINS);
  const { store } = shop;
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
    const asked = await askOracle(shop, { services, worked: true, mails: sink, expected: EXPECTED });
    await follower.stop();
    await follower.catchUp();
    const verdict = await judge({ shop, service: services[0], orders: clients.orders, follower, sink });
    const ofStock = await stockVerifyViolations(rig.database.url, store.subdomain);
    const violations = [clients.violations, asked, ofStock, follower.violations, verdict.violations].flat();
    const figures =
      `${orders} orders, ${clients.repeated} requests given up and repeated, ${verdict.events} events replayed; ` +
      `${sink.countsByMessageId.size} mails; ${trouble.figures}`;
    return { figures, violations };
  } finally {
    await trouble.stop();
    await sink.close();
  }
}
