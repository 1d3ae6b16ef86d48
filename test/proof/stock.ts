import { SmtpSink } from '../support/smtp-sink.js';
import { Trouble } from './life/trouble.js';
import { caseViolations } from './stock/cases.js';
import { Clients } from './stock/clients.js';
import { Counter } from './stock/counter.js';
import { Desk } from './stock/desk.js';
import { fillShelves } from './stock/shelves.js';
import { judge } from './stock/verdict.js';
import { stockVerifyViolations } from './support/cli.js';
import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import { deadlocksIn } from './support/oracle/deadlocks.js';
import { QueueClock } from './support/pipeline/queue-clock.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { openStore } from './support/shop.js';

const SCALE = {
  full: { products: 10_000, orders: 5_000, lines: 150, restMs: 500, killPauseMs: 8_000 },
  quick: { products: 30, orders: 80, lines: 20, restMs: 60, killPauseMs: 3_000 },
};
const EXPECTED = [200, 201, 409, 422, 503, null];

export const stock: Proof = {
  name: 'stock',
  promise:
    'A truthful count leaves exactly the units that are on the shelf and not sold, whatever was sold, shipped, returned or adjusted since its place in the feed, and no quantity from an old reading overwrites a sale',
  attack:
    '20 buyers place 5,000 orders and packers ship, void, cancel and return more than 2,000 of them on 2 processes, while units are lost and found, others report receipts, breakage and quantities from old readings, and counters post counts of 10,000 SKUs on both bases, at old cursors of their own; answers given up and requests repeated; connections to PostgreSQL cut at statements and at COMMIT; kill -9 of each process and of the worker',
  quick: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history } = context;
  const { products, killPauseMs, ...scale } = SCALE[form];
  const shop = await openStore(context, 0, []);
  const { store, buyers } = shop;
  const deadlocksBefore = await deadlocksIn(rig.database);
  const sink = await SmtpSink.start();
  const trouble = new Trouble(context, sink.url);
  try {
    await trouble.start();
    const { services } = trouble;
    const shelves = await fillShelves(shop, services, products);
    const desk = new Desk(shop, services);
    const counter = new Counter({ shop, services, shelves, desk });
    const options = { shop, services, shelves, desk, counter, ...scale };
    const clients = new Clients(options);
    const violations = await caseViolations(clients, options);
    await trouble.besides(clients.work(), killPauseMs);
    const start = Date.now();
    const uncounted = await counter.countAll(clients.calm);
    const countedIn = Date.now() - start;

    if (form === 'quick') await new QueueClock(rig.database, store.id).expireClaims();
    violations.push(...clients.violations, ...desk.violations, ...unexpectedAnswers(history.exchanges, EXPECTED));
    const verdict = await judge(clients, options, uncounted);
    violations.push(...verdict.violations);
    violations.push(...(await askOracle({ context, store, services: trouble.services, worked: true })));
    violations.push(...(await stockVerifyViolations(rig.database.url, store.subdomain)));
    const deadlocks = (await deadlocksIn(rig.database)) - deadlocksBefore;
    if (deadlocks > 0) violations.push(`PostgreSQL counted ${deadlocks} deadlocks`);
    buyers.close();

    const refused = [...desk.codes].map(([code, count]) => `${count} ${code || 'applied'}`).join(', ');
    const figures =
      `${shelves.bins.length} bins of ${products} SKUs, ${clients.orders.length} orders, ${clients.shipped} shipments; ` +
      `${verdict.counts} counts at ${counter.places.length} places applied, ${verdict.repaired} units repaired in ` +
      `${clients.misplaced.size} bins; lines of reports: ${refused}; ${desk.givenUp} given up and repeated; ` +
      `all bins counted at the end in ${countedIn} ms; ${trouble.cuts.statement} connections cut at statements, ` +
      `${trouble.cuts.commit} at COMMIT; kill -9 of processes ${trouble.kills.api} ×, of the worker ` +
      `${trouble.kills.worker} ×; ${retriesOf(history)}; ${violations.length} violations`;
    return { figures, violations };
  } finally {
    await trouble.stop();
    await sink.close();
  }
}
