import { WRONG_ORDER_SUMS } from '../../support/order-sums.js';
import { differencesOf } from '../changes/compare.js';
import { stockVerifyViolations } from '../support/cli.js';
import type { History } from '../support/history.js';
import { askOracle } from '../support/oracle.js';
import { unexpectedAnswers } from '../support/oracle/answers.js';
import { inTime } from '../support/store-setup.js';
import { missedChanges } from '../webhooks/endpoint.js';
import type { Cluster, Scene } from './scene.js';
import type { Traffic } from './traffic.js';

const TIMEOUT_MS = 60_000;
const LISTS = { orders: '', customers: '', products: `AND status = 'ACTIVE'` };
const BEHIND = `
  SELECT FROM webhooks JOIN changes USING (store_id)
  WHERE store_id = $1 AND kind = ANY (kinds) AND changes.position > webhooks.position LIMIT 1`;

/** Call it when the traffic has stopped. */
export async function judge(scene: Scene, traffic: Traffic): Promise<string[]> {
  const { shop, home, other, follower, endpoint } = scene;
  const { database } = home.rig;
  const { store } = shop;
  const asked = await askOracle(scene.shopAtHome, {
    services: [home.service],
    worked: true,
    mails: {
      get countsByMessageId() {
        return mailsOf(scene);
      },
    },
    expected: [200, 201, 503],
  });
  const behind = await inTime(async () => {
    await database.query('SELECT number_changes($1)', [store.id]);
    if ((await database.query(BEHIND, [store.id])).length > 0) throw new Error('The webhook does not catch up');
  }, TIMEOUT_MS);
  await follower.catchUp();
  const rewinds = follower.rewinds > 0 ? [`${follower.name} was rewound ${follower.rewinds} times`] : [];
  return [
    ...traffic.violations,
    ...asked,
    ...behind,
    ...endpoint.violations,
    ...(await missedChanges(database, store.id, [endpoint])),
    ...rewinds,
    ...follower.violations,
    ...(await differencesOf(database, store.id, [follower])),
    ...doubledMails(scene),
    ...(await lostCancellations(scene, traffic)),
    ...(await wrongTotals(scene)),
    ...(await database.query(WRONG_ORDER_SUMS, [store.id])).map(
      (sums) => `the statistics differ from the orders by ${JSON.stringify(sums)}`,
    ),
    ...(await stockVerifyViolations(database.url, store.subdomain)),
    ...(await Promise.all([home, other].map((cluster) => judgeNeighbour(cluster, scene)))).flat(),
    ...(await remainsOf(scene, other)),
    ...(await replicationIn([home, other])),
  ].map((text) => text.slice(0, 1_000));
}

async function judgeNeighbour({ rig, service, neighbour, sink }: Cluster, { context }: Scene): Promise<string[]> {
  const shop = { ...neighbour, context: { ...context, rig } };
  const asked = await askOracle(shop, { services: [service], worked: true, mails: sink });
  const refusals = context.history.exchanges
    .filter(({ storeId, status }) => storeId === neighbour.store.id && status !== 201)
    // On a busy machine an order can be late.
    .filter(
      ({ status, headers }) => context.form === 'full' || status !== 503 || headers['x-error-code'] === 'store_moved',
    );
  return [...asked, ...unexpectedAnswers(refusals, [])].map((text) => `the store ${neighbour.store.id}: ${text}`);
}

function mailsOf({ home, other }: Scene): ReadonlyMap<string, number> {
  const counts = new Map(home.sink.countsByMessageId);
  for (const [id, count] of other.sink.countsByMessageId) counts.set(id, count + (counts.get(id) ?? 0));
  return counts;
}

function doubledMails(scene: Scene): string[] {
  const { context, home, other } = scene;
  const [here, there] = [home.sink.countsByMessageId, other.sink.countsByMessageId];
  const byBoth = [...here.keys()].filter((id) => there.has(id)).map((id) => `mail ${id} was sent by both clusters`);
  // On a busy machine a worker can lose the answer of its database, and send a mail again.
  const counts = context.form === 'full' ? [...mailsOf(scene)] : [];
  const doubled = counts.filter(([, count]) => count > 1).map(([id, count]) => `mail ${id} was sent ${count} times`);
  return [...byBoth, ...doubled];
}

async function lostCancellations({ home, shop }: Scene, { cancelled }: Traffic): Promise<string[]> {
  const lost = await home.rig.database.query<{ id: string }>(
    `SELECT id FROM orders WHERE store_id = $1 AND id = ANY ($2) AND fulfillment_status <> 'CANCELLED'`,
    [shop.store.id, [...cancelled]],
  );
  return lost.map(({ id }) => `the cancellation of order ${id} was acknowledged and is lost`);
}

async function wrongTotals({ home, shop, router }: Scene): Promise<string[]> {
  const violations: string[] = [];
  for (const [list, condition] of Object.entries(LISTS)) {
    const rows = await home.rig.database.query<{ count: number }>(
      `SELECT count(*)::int FROM ${list} WHERE store_id = $1 ${condition}`,
      [shop.store.id],
    );
    const { bytes } = await shop.buyers.send(router, { method: 'GET', path: `/v1/${list}?limit=1` });
    const { pagination } = JSON.parse(bytes.toString()) as { pagination?: { total: number } };
    if (pagination?.total !== rows[0]?.count) {
      violations.push(`the list of ${list} has ${rows[0]?.count} rows, and the total ${pagination?.total}`);
    }
  }
  return violations;
}

const TABLES = `
  SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND attname = 'store_id'`;

/** Returns rows of the store in a cluster that no longer owns it. */
export async function remainsOf({ shop }: Scene, { rig }: Cluster): Promise<string[]> {
  const { database } = rig;
  const tables = (await database.query<{ name: string }>(TABLES)).map(({ name }) => [name, 'store_id']);
  const violations: string[] = [];
  for (const [name, column] of [...tables, ['stores', 'id']]) {
    const sql = `SELECT count(*)::int FROM ${name} WHERE ${column} = $1`;
    const [row] = await database.query<{ count: number }>(sql, [shop.store.id]);
    if (row?.count !== 0) violations.push(`the table ${name} still has ${row?.count} rows of the store`);
  }
  return violations;
}

export async function replicationIn(clusters: readonly Cluster[]): Promise<string[]> {
  const sql = `
    SELECT 'slot ' || slot_name AS left FROM pg_replication_slots
    UNION ALL SELECT 'publication ' || pubname FROM pg_publication
    UNION ALL SELECT 'subscription ' || subname FROM pg_subscription`;
  const found = await Promise.all(clusters.map(({ rig }) => rig.database.query<{ left: string }>(sql)));
  return found.flat().map(({ left }) => `the ${left} is left`);
}

/** The longest time without an acknowledged order between two moments. */
export function longestGapMs({ exchanges }: History, storeId: number, from: number, to: number): number {
  const acknowledged = exchanges
    .filter((one) => one.storeId === storeId && one.status === 201 && one.path === '/v1/orders')
    .map(({ at, tookMs }) => at + tookMs)
    .filter((at) => at > from && at < to)
    .sort((a, b) => a - b);
  const moments = [from, ...acknowledged, to];
  return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] as number)));
}
