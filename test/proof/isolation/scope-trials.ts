import { permits, ROLES, scopeOfRole, WRITE_SCOPES, type ApiKeyScope } from '@app/domain';
import type { StoreFixture } from '../../builders/store-fixture.js';
import { Buyers } from '../support/buyers.js';
import type { Exchange } from '../support/history.js';
import type { ProofContext } from '../support/proof.js';
import type { Service } from '../support/service.js';
import { orderBody } from '../support/store-setup.js';
import type { Route } from './routes.js';
import { pathOf } from './read-trials.js';
import type { Row } from './rows.js';
import type { TwoStores } from './two-stores.js';

const WORDS = [...WRITE_SCOPES, 'pricing', 'keys', 'settings'] as const;
const SCOPES: readonly ApiKeyScope[] = ['read', ...WORDS.map((word) => `read,${word}` as const), 'full'];

interface Asker {
  readonly who: string;
  readonly secret: string;
  /** Null means that every route refuses. */
  readonly scope: ApiKeyScope | null;
}

interface ScopeTrials {
  readonly context: ProofContext;
  readonly service: Service;
  readonly rows: readonly { readonly route: Route; readonly row: Row }[];
  readonly stores: TwoStores;
}

async function askersOf(store: StoreFixture): Promise<Asker[]> {
  const askers: Asker[] = [{ who: 'no credential', secret: '', scope: null }];
  for (const scope of SCOPES)
    askers.push({ who: `a ${scope} key`, secret: await store.createKey('live', scope), scope });
  for (const role of ROLES) {
    askers.push({
      who: `a session of a ${role}`,
      secret: (await store.session(role)).secret,
      scope: scopeOfRole(role),
    });
  }
  return askers;
}

export async function scopeTrials({ context, service, rows, stores }: ScopeTrials) {
  const { rig, history, random } = context;
  const { mine, own, product } = stores;
  const orders = async () =>
    (await rig.database.query<{ id: string }>('SELECT id FROM orders WHERE store_id = $1', [mine.id])).length;
  const violations: string[] = [];
  const closed = rows.filter(({ row }) => row.as !== 'open');
  const askers = await askersOf(mine);
  for (const { who, secret, scope } of askers) {
    const before = await orders();
    const client = new Buyers({ id: mine.id, key: secret }, history, random);
    for (const { route, row } of closed) {
      // Changes get an order: a webhook would be deleted before the next key reads it.
      const reference = row.as === 'change' ? undefined : own[route.path];
      const path = pathOf(route, String(reference ?? own['/v1/orders/:id']));
      const body = bodyOf(row, product);
      const answer = await client.send(service, { method: route.method, path, body });
      const needs = 'scope' in row ? row.scope : undefined;
      const isPermitted = scope !== null && (!needs || needs === 'read' || permits(scope, needs));
      // The state of the order decides about a change, and no person has its id.
      const isAnswered = row.as === 'change' || row.as === 'team' ? isDecided(answer) : isServed(answer);
      if (isPermitted ? isAnswered : scope === null ? answer.status === 401 : isOutOfScope(answer)) continue;
      violations.push(`${route.method} ${route.path} with ${who}: ${answer.status ?? answer.error}`);
    }
    client.close();
    const mayOrder = scope !== null && permits(scope, 'orders');
    if (!mayOrder && (await orders()) !== before) violations.push(`An order was placed with ${who}`);
  }
  return { trials: closed.length * askers.length, violations };
}

function isServed({ status }: Exchange): boolean {
  return status === 200 || status === 201;
}

function isDecided(answer: Exchange): boolean {
  return isServed(answer) || answer.status === 422 || answer.status === 404;
}

function bodyOf(row: Row, product: number): object | undefined {
  if (row.as === 'order') return orderBody([{ product_id: product, quantity: 1 }]);
  if (row.as === 'lines') return { lines: [{ product_id: product, ...row.line }] };
  if (row.as === 'import') return { lines: [{ kind: 'product', slug: 'none' }] };
  if (row.as === 'webhook') return { url: 'https://example.com/hook' };
  if (row.as === 'key') return { name: 'ERP', scope: ['read'] };
  return row.as === 'change' || row.as === 'team' || row.as === 'put' ? row.body : undefined;
}

function isOutOfScope({ status, headers }: Exchange): boolean {
  return status === 403 && headers['x-error-code'] === 'insufficient_scope';
}
