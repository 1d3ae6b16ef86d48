import { ROLES, scopeOf, WRITE_SCOPES, type Role } from '@app/domain';
import type { ListEnvelope } from '../../apps/api/src/envelope.js';
import type { StoreFixture } from '../builders/store-fixture.js';
import { fingerprintOf } from './isolation/fingerprint.js';
import { keyTrial, orderTrials } from './isolation/order-trials.js';
import { filterTrials, pathOf, readTrials, type ReadRoute } from './isolation/read-trials.js';
import { routesOf, type Route } from './isolation/routes.js';
import { rowOf, type Row } from './isolation/rows.js';
import { scopeTrials } from './isolation/scope-trials.js';
import { attempt, type Trial } from './isolation/trials.js';
import { openTwoStores, type TwoStores } from './isolation/two-stores.js';
import { Buyers, type RequestOptions } from './support/buyers.js';
import { listParameters } from './support/list-parameters.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Service } from './support/service.js';
import { inParallel, orderBody } from './support/store-setup.js';

const ROUNDS = { full: 6, quick: 1 };
const WORKERS = 8;
/** What a session tries in the other store. A key tries every kind. */
const KINDS_OF_SESSIONS = ['order', 'receipt', 'customer', 'product', 'webhook', 'key', 'person', 'session'];
/** `full` has no `keys`. */
const EVERY_WORD = scopeOf([...WRITE_SCOPES, 'pricing', 'keys', 'settings']);

export const isolation: Proof = { name: 'isolation', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { rig } = context;
  const rounds = ROUNDS[context.form];
  const services = await rig.pair();
  const routes = await routesOf(rig.database.url);
  const violations = unthoughtOf(routes);
  let trials = 0;
  for (let round = 0; round < rounds && violations.length === 0; round++) {
    const service = services[round % services.length] as Service;
    // The full form has a round for each role.
    const found = await attack(context, routes, service, ROLES[round % ROLES.length] ?? 'owner');
    trials += found.trials;
    violations.push(...found.violations);
  }
  return { figures: `${routes.length} routes, ${trials} trials`, violations };
}

function unthoughtOf(routes: readonly Route[]): string[] {
  if (routes.length < 12) return [`The router lists only ${routes.length} routes`];
  const missing = routes.filter((route) => rowOf(route) === null);
  return missing.map(({ method, path }) => `${method} ${path} has no row in test/proof/isolation/rows.ts`);
}

async function attack(context: ProofContext, routes: readonly Route[], service: Service, role: Role) {
  const { rig, history, random } = context;
  const stores = await openTwoStores(rig.database, random);
  const clientOf = ({ id }: StoreFixture, key: string) => new Buyers({ id, key }, history, random);
  const { mine, theirs } = stores;
  const me = clientOf(mine, await mine.createKey('live', EVERY_WORD));
  const them = clientOf(theirs, await theirs.createKey('live', EVERY_WORD));
  const person = clientOf(mine, (await mine.session(role)).secret);
  // A cursor refers to the store that it was made for: journal.spec.ts has that of another store.
  const filters = (await listParameters(service)).filter(({ isClamped, name }) => !isClamped && name !== 'cursor');
  const rows = routes.map((route) => {
    const row = rowOf(route) as Row;
    return { route, row, filters: row.as === 'list' ? filters.filter(({ path }) => path === route.path) : [] };
  });
  const violations = await controls(them, service, rows, stores);
  const key = `their-key-${stores.mark}`;
  const [product] = [Number(stores.references.get('product')?.theirs)];
  const placed = await them.send(service, { body: orderBody([{ product_id: product, quantity: 1 }]), key });
  if (placed.status !== 201) violations.push(`The other store's own order: ${placed.status}`);

  const watched = { storeId: stores.theirs.id, settledOrder: stores.settledOrder };
  const before = await fingerprintOf(rig.database, watched);
  violations.push(...(await tellingEverybody(me, service, rows, stores)));
  const isThorough = context.form === 'full';
  const reads = rows.filter(({ row }) => row.as !== 'team').flatMap((row) => readTrials(row, stores, isThorough));
  const byPerson = sessionTrials(rows, stores, role);
  const orders = rows
    .filter(({ row }) => row.as === 'order')
    .flatMap(({ route: { path } }) => orderTrials(path, stores, isThorough));
  // Reads first, because the orders contain words of the other store.
  for (const trials of [reads, [...orders, keyTrial(stores, key)]]) {
    await inParallel(WORKERS, trials, async (trial) => {
      violations.push(...(await attempt(me, service, trial, stores.mark)));
    });
  }
  await inParallel(WORKERS, byPerson, async (trial) => {
    const found = await attempt(person, service, trial, stores.mark);
    violations.push(...found.map((text) => `A session of a ${role}: ${text}`));
  });
  const after = await fingerprintOf(rig.database, watched);
  if (after !== before) violations.push(`Rows of the other store were changed: ${changedIn(before, after)}`);
  violations.push(...(await linked(context, stores)));
  const scopes = await scopeTrials({ context, service, rows, stores });
  violations.push(...scopes.violations);
  for (const client of [me, them, person]) client.close();
  // Nothing decrypts their secrets, which processes of other proofs would report.
  await rig.database.query('DELETE FROM webhooks WHERE store_id = ANY ($1)', [[stores.mine.id, stores.theirs.id]]);
  return { trials: reads.length + byPerson.length + orders.length + 1 + scopes.trials, violations };
}

/** Trials for everything that has an id. A session without the scope is refused, for every id alike. */
function sessionTrials(rows: Rows, stores: TwoStores, role: Role): Trial[] {
  const references = new Map([...stores.references].filter(([kind]) => KINDS_OF_SESSIONS.includes(kind)));
  const trials = rows
    .filter(({ route, row }) => ['one', 'change', 'team'].includes(row.as) && route.method !== 'HEAD')
    .flatMap((row) => readTrials(row, { ...stores, references }, false));
  if (role === 'owner') return trials;
  return trials.map((trial) => ({ ...trial, statuses: [...trial.statuses, 403] }));
}

function changedIn(before: string, after: string): string {
  const old = new Set(before.split('\n'));
  return after
    .split('\n')
    .filter((line) => !old.has(line))
    .join(', ');
}

type Rows = readonly ReadRoute[];

/** Checks that the other store can read its rows. Without them, the comparison would prove nothing. */
async function controls(them: Buyers, service: Service, rows: Rows, stores: TwoStores): Promise<string[]> {
  const violations: string[] = [];
  const found = async ({ method, path }: RequestOptions) => {
    const { status, bytes } = await them.send(service, { method, path });
    if (status !== 200) violations.push(`Control: ${method} ${path} returns ${status} to its owner`);
    return status === 200 ? (JSON.parse(bytes.toString()) as Partial<ListEnvelope<unknown>>) : {};
  };
  for (const { route, row, filters } of rows) {
    if (route.method !== 'GET') continue;
    for (const kind of row.as === 'one' ? row.known : []) {
      await found({ ...route, path: pathOf(route, stores.references.get(kind)?.theirs ?? '') });
    }
    // A format selects no rows.
    for (const filter of filters.filter(({ name }) => name !== 'format')) {
      let total = 0;
      for (const { ask, reference } of filterTrials(route, filter, stores)) {
        const { pagination, data = [] } = await found(ask(reference.theirs));
        total ||= pagination?.total ?? data.length;
      }
      if (total > 0) continue;
      const place = 'give the second store such a row, with a reference, in test/proof/isolation/two-stores.ts';
      violations.push(`Control: ${route.path}?${filter.name} finds nothing for its owner: ${place}`);
    }
  }
  return violations;
}

async function linked({ rig }: ProofContext, { mine }: TwoStores): Promise<string[]> {
  const rows = await rig.database.query<{ id: string }>(
    `SELECT id FROM orders WHERE store_id = $1 AND customer_id IS NOT NULL
     UNION SELECT order_id FROM fraud_assessments WHERE store_id = $1 AND verdict = 'REJECT'`,
    [mine.id],
  );
  return rows.map(({ id }) => `Order ${id} refers to another store`);
}

async function tellingEverybody(me: Buyers, service: Service, rows: Rows, { mark }: TwoStores): Promise<string[]> {
  const readable = rows.filter(({ route }) => route.method === 'GET' && !/[:*]/.test(route.path));
  const violations: string[] = [];
  for (const { route } of readable) {
    const { bytes, status } = await me.send(service, { method: 'GET', path: route.path });
    if (bytes.includes(mark)) violations.push(`GET ${route.path} leaks the other store`);
    // No worker runs here: after five minutes the stages and the feed are late, and /health says so.
    const isLate = status === 503 && route.path === '/health';
    if (status === null || (status >= 500 && !isLate)) violations.push(`GET ${route.path}: ${status}`);
  }
  return violations;
}
