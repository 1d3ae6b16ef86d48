import type { Route } from './routes.js';
import type { Row } from './rows.js';
import type { Trial } from './trials.js';
import type { Reference, TwoStores } from './two-stores.js';

/** Parameters that no route has. They must not open another store. */
const MADE_UP_PARAMETERS = ['store_id', 'store', 'brand', 'brand_id', 'customer_id', 'product_id', 'id', 'key'];

/** The trials of a route that reads. @param isThorough also tries parameters that no route has. */
export function readTrials(route: Route, row: Row, stores: TwoStores, isThorough: boolean): Trial[] {
  if (row.as === 'open' || row.as === 'order') return [];
  const documented = documentedTrials(route, row, stores);
  return isThorough ? [...documented, ...madeUp(route, stores)] : documented;
}

function documentedTrials(route: Route, row: Row, stores: TwoStores): Trial[] {
  const references = [...stores.references.values()];
  if (row.as === 'one') return references.flatMap((kind) => retrievals(route, kind));
  if (row.as !== 'list') return [];
  return Object.entries(row.parameters).flatMap(([name, filter]) => {
    if (filter === null) return [];
    const own = typeof filter === 'string' ? [] : [trial(route, `${name}=`, filter, (value) => `?${name}=${value}`)];
    // Flags and enumerations take their own values; ids and searches may refer to anything.
    return typeof filter === 'string' ? references.map((kind) => byParameter(route, name, kind)) : own;
  });
}

function retrievals(route: Route, kind: Reference): Trial[] {
  const spellings = new Map<string, (value: string) => string>([
    ['', encodeURIComponent],
    [' in capitals', (value) => encodeURIComponent(value.toUpperCase())],
    [' in escapes', (value) => [...Buffer.from(value)].map((byte) => `%${byte.toString(16)}`).join('')],
  ]);
  return [...spellings].map(([how, spell]) => ({
    what: `${route.method} ${route.path}, ${kind.kind}${how}`,
    reference: kind,
    ask: (value) => ({ method: route.method, path: route.path.replace(/:\w+$/, spell(value)) }),
    statuses: [404],
  }));
}

/** Parameters that the route does not have, on resources of the attacking store. */
function madeUp(route: Route, { references, own }: TwoStores): Trial[] {
  const path = route.path.replace(/:\w+$/, String(own[route.path] ?? ''));
  return MADE_UP_PARAMETERS.flatMap((name) =>
    [...references.values()].map((kind) => byParameter({ ...route, path }, name, kind)),
  );
}

function byParameter(route: Route, name: string, kind: Reference): Trial {
  return trial(route, `${name}=${kind.kind}`, kind, (value) => `?${name}=${encodeURIComponent(value)}`);
}

function trial(route: Route, what: string, reference: Trial['reference'], query: (value: string) => string): Trial {
  const { method, path } = route;
  return {
    what: `${method} ${path}?${what}`,
    reference,
    ask: (value) => ({ method, path: `${path}${query(value)}` }),
    statuses: [200],
  };
}
