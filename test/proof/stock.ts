import { SmtpSink } from '../support/smtp-sink.js';
import { Trouble } from './life/trouble.js';
import { caseViolations } from './stock/cases.js';
import { Clients } from './stock/clients.js';
import { Counter } from './stock/counter.js';
import { Desk } from './stock/desk.js';
import { fillShelves } from './stock/shelves.js';
import { Till } from './stock/till.js';
import { judge } from './stock/verdict.js';
import { stockVerifyViolations } from './support/cli.js';
import { askOracle } from './support/oracle.js';
import { deadlocksIn } from './support/oracle/deadlocks.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { QueueClock } from './support/queue-clock.js';
import { openStore } from './support/shop.js';

const SCALE = {
  full: { products: 10_000, orders: 5_000, lines: 150, restMs: 500, killPauseMs: 8_000 },
  quick: { products: 30, orders: 80, lines: 20, restMs: 60, killPauseMs: 3_000 },
};
const EXPECTED = [200, 201, 409, 422, 503, null];

export const stock: Proof = { name: 'stock', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig } = context;
  const { products, killPauseMs, ...scale } = SCALE[form];
  const shop = await openStore(context, 0, []);
  const { store } = shop;
  const deadlocksBefore = await deadlocksIn(rig.database);
  const sink = await SmtpSink.start();
  const trouble = new Trouble(context, sink.url);
  try {
    await trouble.start();
    const { services } = trouble;
    const shelves = await fillShelves(shop, services, products);
    const desk = new Desk(shop, services);
    const counter = new Counter({ shop, services, shelves, desk });
    const till = new Till({ shop, services, shelves, desk });
    const options = { shop, services, shelves, desk, counter, till, ...scale };
    const clients = new Clients(options);
    const violations = await caseViolations(clients, options);
    await trouble.besides(clients.work(), killPauseMs);
    const uncounted = await counter.countAll(clients.calm);

    if (form === 'quick') await new QueueClock(rig.database, store.id).expireClaims();
    const verdict = await judge(clients, options, uncounted);
    violations.push(...clients.violations, ...desk.violations, ...(await till.verdict()), ...verdict.violations);
    violations.push(...(await askOracle(shop, { services: trouble.services, worked: true, expected: EXPECTED })));
    violations.push(...(await stockVerifyViolations(rig.database.url, store.subdomain)));
    const deadlocks = (await deadlocksIn(rig.database)) - deadlocksBefore;
    if (deadlocks > 0) violations.push(`PostgreSQL counted ${deadlocks} deadlocks`);

    const codes = [...desk.codes].map(([code, count]) => `${count} ${code || 'applied'}`).join(', ');
    const figures =
      `${shelves.bins.length} bins of ${products} SKUs, ${clients.orders.length} orders, ${clients.shipped} shipments, ${till.figures}; ` +
      `${verdict.counts} counts at ${counter.places.length} places applied, ${verdict.repaired} units repaired; lines of ` +
      `reports: ${codes}; ${trouble.figures}`;
    return { figures, violations };
  } finally {
    await trouble.stop();
    await sink.close();
  }
}
