import type { ListEnvelope } from '../../apps/api/src/envelope.js';
import { fingerprintOf, usageViolations } from './isolation/fingerprint.js';
import { keyTrial, orderTrials } from './isolation/order-trials.js';
import { readTrials } from './isolation/read-trials.js';
import { routesOf, type Route } from './isolation/routes.js';
import { rowOf, type Filter, type Row } from './isolation/rows.js';
import { scopeTrials } from './isolation/scope-trials.js';
import { attempt } from './isolation/trials.js';
import { openTwoStores, type TwoStores } from './isolation/two-stores.js';
import { Buyers } from './support/buyers.js';
import { listParameters } from './support/list-parameters.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { inParallel, orderBody } from './support/store-setup.js';

const ROUNDS = { full: 6, quick: 1 };
const WORKERS = 8;

export const isolation: Proof = {
  name: 'isolation',
  promise:
    "A request for another store's data gets the same answer as a request for unknown data, and changes no row of that store; a read key gets 403 from every route that writes",
  attack:
    'every route of the router × every kind of id, slug, receipt number, e-mail and key of another store, in paths, filters and orders; each answer is compared with that for an unknown value, byte by byte and header by header; a route or parameter without a row fails the proof; every route × a full and a read key',
  quick: true,
  run,
};

interface Attack {
  readonly context: ProofContext;
  readonly routes: readonly Route[];
  readonly service: Service;
}

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { rig } = context;
  const rounds = ROUNDS[context.form];
  const services = await rig.pair();
  const routes = await routesOf(rig.database.url);
  const violations = [...unthoughtOf(routes), ...(await parametersUnthoughtOf(services[0]))];
  let [trials, ofScopes] = [0, 0];
  for (let round = 0; round < rounds && violations.length === 0; round++) {
    const service = services[round % services.length] as Service;
    const found = await attack({ context, routes, service });
    trials += found.trials;
    ofScopes += found.scopeTrials;
    violations.push(...found.violations);
  }
  const figures = `${routes.length} routes: ${trials} answers equal those to unknown values; ${ofScopes} requests with full and read keys; ${violations.length} violations`;
  return { figures, violations };
}

function unthoughtOf(routes: readonly Route[]): string[] {
  if (routes.length < 12) return [`The router lists only ${routes.length} routes`];
  const missing = routes.filter((route) => rowOf(route) === null);
  return missing.map(({ method, path }) => `${method} ${path} has no row in test/proof/isolation/rows.ts`);
}

async function parametersUnthoughtOf(service: Service): Promise<string[]> {
  const parameters = await listParameters(service);
  return parameters
    .filter(({ path, name }) => {
      const row = rowOf({ method: 'GET', path: path.replace(/\{(\w+)\}/g, ':$1') });
      return row?.as !== 'list' || !Object.hasOwn(row.parameters, name);
    })
    .map(({ path, name }) => `parameter ${name} of GET ${path} has no row in test/proof/isolation/rows.ts`);
}

async function attack({ context, routes, service }: Attack) {
  const { rig, history, random } = context;
  const stores = await openTwoStores(rig.database, random);
  const [me, them] = [stores.mine, stores.theirs].map((store) => new Buyers(store, history, random));
  if (!me || !them) throw new Error('Two stores need two clients');
  const rows = routes.flatMap((route) => [{ route, row: rowOf(route) as Row }]);
  const violations = await controls(them, service, rows, stores);
  const key = `their-key-${stores.mark}`;
  const [product] = [Number(stores.references.get('product')?.theirs)];
  const placed = await them.send(service, { body: orderBody([{ product_id: product, quantity: 1 }]), key });
  if (placed.status !== 201) violations.push(`The other store's own order: ${placed.status}`);

  const watched = { storeId: stores.theirs.id, settledOrder: stores.settledOrder };
  const before = await fingerprintOf(rig.database, watched);
  violations.push(...(await tellingEverybody(me, service, rows, stores)));
  const isThorough = context.form === 'full';
  const reads = rows.flatMap(({ route, row }) => readTrials(route, row, stores, isThorough));
  const orders = rows
    .filter(({ row }) => row.as === 'order')
    .flatMap(({ route: { path } }) => orderTrials(path, stores, isThorough));
  // Reads first, because the orders contain words of the other store.
  for (const trials of [reads, [...orders, keyTrial(stores, key)]]) {
    await inParallel(WORKERS, trials, async (trial) => {
      violations.push(...(await attempt(me, service, trial, stores.mark)));
    });
  }
  const after = await fingerprintOf(rig.database, watched);
  if (after !== before) violations.push(`Rows of the other store were changed: ${changedIn(before, after)}`);
  const sent = history.exchanges.filter(({ storeId }) => storeId === watched.storeId).length;
  violations.push(...(await usageViolations(rig.database, watched.storeId, sent)));
  violations.push(...(await linked(context, stores)));
  const scopes = await scopeTrials({ context, service, rows, stores });
  violations.push(...scopes.violations);
  me.close();
  them.close();
  return { trials: reads.length + orders.length + 1, scopeTrials: scopes.trials, violations };
}

/** The changed lines of a fingerprint, one for each table. */
function changedIn(before: string, after: string): string {
  const old = new Set(before.split('\n'));
  return after
    .split('\n')
    .filter((line) => !old.has(line))
    .join(', ');
}

type Rows = readonly { readonly route: Route; readonly row: Row }[];

/** Checks that the other store can read its rows. Without them, the comparison would prove nothing. */
async function controls(them: Buyers, service: Service, rows: Rows, { references }: TwoStores): Promise<string[]> {
  const violations: string[] = [];
  const expect = async (path: string, method: string) => {
    const answer = await them.send(service, { method, path });
    if (answer.status !== 200) violations.push(`Control: ${method} ${path} returns ${answer.status} to its owner`);
    return answer;
  };
  for (const { route, row } of rows) {
    if (row.as === 'one') {
      for (const kind of row.known) {
        await expect(route.path.replace(/:\w+$/, references.get(kind)?.theirs ?? ''), route.method);
      }
    }
    if (row.as !== 'list' || route.method !== 'GET') continue;
    for (const [name, filter] of Object.entries(row.parameters)) {
      const reference = typeof filter === 'string' ? references.get(filter)?.theirs : undefined;
      // A filter's own value is a part of the query already, as in read-trials.ts.
      const value = reference === undefined ? (filter as Filter | null)?.theirs : encodeURIComponent(reference);
      if (value === undefined) continue;
      const answer = await expect(`${route.path}?${name}=${value}`, 'GET');
      const { pagination } = JSON.parse(answer.bytes.toString()) as ListEnvelope<unknown>;
      if (pagination.total > 0) continue;
      const found = `Control: ${route.path}?${name}=${value} finds nothing for its owner`;
      violations.push(`${found}: give the second store such a row in test/proof/isolation/two-stores.ts`);
    }
  }
  return violations;
}

/** No order of the attacking store may have a customer of the other store, or a verdict by its rules. */
async function linked({ rig }: ProofContext, { mine }: TwoStores): Promise<string[]> {
  const rows = await rig.database.query<{ id: string }>(
    `SELECT id FROM orders WHERE store_id = $1 AND customer_id IS NOT NULL
     UNION SELECT order_id FROM fraud_assessments WHERE store_id = $1 AND verdict = 'REJECT'`,
    [mine.id],
  );
  return rows.map(({ id }) => `Order ${id} refers to another store`);
}

/** Public and unfiltered answers contain no data of the other store. */
async function tellingEverybody(me: Buyers, service: Service, rows: Rows, { mark }: TwoStores): Promise<string[]> {
  const readable = rows.filter(({ route }) => route.method === 'GET' && !/[:*]/.test(route.path));
  const violations: string[] = [];
  for (const { route } of readable) {
    const { bytes, status } = await me.send(service, { method: 'GET', path: route.path });
    if (bytes.includes(mark)) violations.push(`GET ${route.path} leaks the other store`);
    if (status === null || status >= 500) violations.push(`GET ${route.path}: ${status}`);
  }
  return violations;
}
