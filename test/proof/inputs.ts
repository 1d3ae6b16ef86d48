import { sendHeavy, slowestParse } from './inputs/heavy.js';
import { exploreOrders } from './inputs/orders.js';
import { exploreReads } from './inputs/reads.js';
import { openScene, type Scene } from './inputs/scene.js';
import { dataOf } from './support/history.js';
import { HoldingsWatch } from './support/holdings.js';
import { answerViolations, unexpectedAnswers } from './support/oracle/answers.js';
import { orderViolations } from './support/oracle/orders.js';
import { incompleteViolations } from './support/oracle/pipeline.js';
import { poolViolations, processViolations } from './support/oracle/processes.js';
import { stockViolations } from './support/oracle/stock.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';

/**
 * A request may block the event loop for `parses` times what the slowest body costs its parser: machines differ by a
 * factor of two. The quick form shares its machine with other tests, which delay the process as well.
 */
const SCALE = {
  full: { runs: 2_000, heavy: 20, parses: 5 },
  quick: { runs: 40, heavy: 1, parses: 100 },
};
const KINDS = [200, 201, 400, 404, 422];

export const inputs: Proof = { name: 'inputs', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { runs, heavy, parses } = SCALE[context.form];
  const scene = await openScene(context, runs);
  const { violations, service } = scene;
  try {
    const holdings = await HoldingsWatch.begin(service);
    await longestLag(service.url); // resets the figure
    await exploreOrders(scene);
    await exploreReads(scene);
    await sendHeavy(scene, heavy);
    const lag = await longestLag(service.url);
    const parse = slowestParse();
    if (lag > parses * parse) violations.push(`the event loop was blocked for ${lag} ms, a parse takes ${parse}`);
    scene.close(); // The proof's own kept connections are no holdings of the service.
    violations.push(...(await holdings.violations(scene.sent)));
    violations.push(...(await askAfterwards(scene)));
    const figures =
      `${runs} cases of each kind; the largest requests ${heavy} times; the event loop blocked for ${lag} ms at most, ` +
      `${(lag / parse).toFixed(1)} times the slowest parse; ` +
      holdings.figures;
    return { figures, violations };
  } finally {
    scene.close();
  }
}

async function longestLag(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('The service does not report its event-loop delay');
  return Math.round(Number(seconds) * 1_000);
}

/** The oracle's checks that also apply when bodies are not orders. */
async function askAfterwards({ context, store, service }: Scene): Promise<string[]> {
  const { rig, history } = context;
  return [
    ...unexpectedAnswers(history.exchanges, KINDS),
    ...answerViolations(history.exchanges, rig.processes, [store.key]),
    ...(await rowViolations(context, store.id)),
    ...(await stockViolations(rig.database, store.id)),
    ...(await orderViolations(rig.database, store.id)),
    ...(await incompleteViolations(rig.database, store.id)),
    ...(await processViolations(rig.database, rig.processes)),
    ...(await poolViolations(rig.database, service, store)),
  ];
}

/** Requires exactly the rows of the acknowledged orders: a refusal leaves none. */
async function rowViolations({ rig, history }: ProofContext, storeId: number): Promise<string[]> {
  const [found] = await rig.database.query(
    `SELECT (SELECT count(*)::int FROM orders WHERE store_id = $1) AS orders,
      (SELECT count(*)::int FROM order_lines WHERE store_id = $1) AS lines,
      (SELECT count(*)::int FROM idempotency_keys WHERE store_id = $1) AS keys`,
    [storeId],
  );
  const created = history.orders(storeId).filter(({ status }) => status === 201);
  const lines = created.reduce((sum, exchange) => sum + dataOf<{ items: unknown[] }>(exchange).items.length, 0);
  const expected = JSON.stringify({ orders: created.length, lines, keys: 0 });
  return JSON.stringify(found) === expected ? [] : [`rows ${JSON.stringify(found)}, acknowledged ${expected}`];
}
