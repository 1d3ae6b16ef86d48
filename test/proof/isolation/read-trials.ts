import type { Route } from './routes.js';
import type { ListParameter } from '../support/list-parameters.js';
import type { Row } from './rows.js';
import type { Trial } from './trials.js';
import type { Reference, TwoStores } from './two-stores.js';

const MADE_UP_PARAMETERS = ['store_id', 'store', 'brand', 'brand_id', 'customer_id', 'product_id', 'id', 'key'];

type LineRow = Extract<Row, { as: 'lines' }>;

export interface ReadRoute {
  readonly route: Route;
  readonly row: Row;
  readonly filters: readonly ListParameter[];
}

export function readTrials({ route, row, filters }: ReadRoute, stores: TwoStores, isThorough: boolean): Trial[] {
  if (row.as === 'team') return teamTrials(route, row.body, stores);
  if (['open', 'order', 'webhook', 'key', 'put'].includes(row.as)) return [];
  if (row.as === 'lines') return lineTrials(route, row, stores);
  if (row.as === 'import') return importTrials(route, stores);
  if (row.as === 'change') return [...stores.references.values()].map((kind) => changeTrial(route, row.body, kind));
  const references = [...stores.references.values()];
  const documented =
    row.as === 'one'
      ? references.flatMap((kind) => retrievals(route, kind))
      : filters.flatMap((filter) => filterTrials(route, filter, stores));
  return isThorough ? [...documented, ...madeUp(route, stores)] : documented;
}

/**
 * Tries a filter with every reference; a filter with fixed values is tried with each value, within the rows that a
 * search finds.
 */
export function filterTrials(route: Route, { name, values }: ListParameter, { references }: TwoStores): Trial[] {
  if (values === null) return [...references.values()].map((kind) => byParameter(route, name, kind));
  const text = references.get('name') as Reference;
  const search = route.path === '/v1/search' ? 'q' : 'search';
  return values.map((value) => byParameter(route, `${name}=${value}&${search}`, text));
}

/** The reference of a shipment is free: the order of the other store has none. */
function changeTrial(route: Route, body: object | undefined, kind: Reference): Trial {
  return {
    what: `${route.method} ${route.path}, ${kind.kind}`,
    reference: kind,
    ask: (value) => ({ method: route.method, path: pathOf(route, encodeURIComponent(value)), body }),
    statuses: [404],
  };
}

/**
 * Trials of sessions only, because a key is refused for its scope. The session belongs to a person of the other store.
 */
function teamTrials(route: Route, body: object | undefined, { references }: TwoStores): Trial[] {
  if (!route.path.includes(':')) return [];
  const person = references.get('person') as Reference;
  const trials = [...references.values()].map((kind) => changeTrial(route, body, kind));
  if (!route.path.includes(':session_id')) return trials;
  const path = route.path.replace(':id', person.theirs);
  return [...trials, ...[...references.values()].map((kind) => changeTrial({ ...route, path }, body, kind))];
}

/** Tries every field of a line that names something. Names of the second store have no meaning here. */
function lineTrials({ method, path }: Route, row: LineRow, { references, product }: TwoStores): Trial[] {
  const trial = (field: string, kind: Reference, line: (value: string) => object): Trial => ({
    what: `${method} ${path}, ${field} of ${kind.kind}`,
    reference: kind,
    ask: (value) => ({ method, path, body: { lines: [{ ...line(value), ...row.line }] } }),
    statuses: [200],
  });
  const { member } = row;
  const ofBody = (kind: Reference): Trial => ({
    what: `${method} ${path}, ${member} of ${kind.kind}`,
    reference: kind,
    ask: (value) => ({
      method,
      path,
      body: { [String(member)]: value, lines: [{ product_id: product, ...row.line }] },
    }),
    statuses: [422],
  });
  return [...references.values()].flatMap((kind) => {
    const named = [
      ...(member ? [ofBody(kind)] : []),
      trial('sku', kind, (sku) => ({ sku })),
      ...row.names.map((field) => trial(field, kind, (value) => ({ product_id: product, [field]: value }))),
    ];
    if (!/^\d+$/.test(kind.theirs)) return named;
    return [
      ...named,
      trial('product_id', kind, (id) => ({ product_id: Number(id) })),
      trial('variant_id', kind, (id) => ({ product_id: product, variant_id: Number(id) })),
    ];
  });
}

/**
 * Tries every field of a line that names something. Each line is refused: the fault would show whether it found a row.
 */
function importTrials({ method, path }: Route, { references }: TwoStores): Trial[] {
  const order = {
    ...{ kind: 'order', source: 'POS', status: 'SUCCEEDED', fulfillment_status: 'DELIVERED', payment_method: 'CASH' },
    ...{ currency: 'USD', amount: 0, total_amount: 0, created_at: '2026-01-02T03:04:05.000Z' },
  };
  const sold = { name: 'x', unit_price: 0, quantity: 1 };
  const lines: Readonly<Record<string, (value: string) => object>> = {
    'a warehouse': (code) => ({ kind: 'warehouse', code }),
    'warehouse of a bin': (warehouse) => ({ kind: 'bin', warehouse, code: 'A-1' }),
    'a brand': (slug) => ({ kind: 'brand', slug }),
    'a category': (slug) => ({ kind: 'category', slug }),
    'parent of a category': (parent) => ({ kind: 'category', slug: 'trial', name: 'x', parent }),
    'a product': (slug) => ({ kind: 'product', slug }),
    'brand of a product': (brand) => ({ kind: 'product', slug: 'trial', name: 'x', price: '1', brand }),
    'category of a product': (slug) => ({ kind: 'product', slug: 'trial', name: 'x', price: '1', categories: [slug] }),
    'a price list': (code) => ({ kind: 'price_list', code }),
    'list of prices': (list) => ({ kind: 'list_price', list, product: 'none', price_breaks: [] }),
    'product of a rule': (product) => ({ kind: 'quantity_rule', product, min_quantity: 2 }),
    'id of a customer': (id) => ({ kind: 'customer', id }),
    'e-mail of a customer': (email) => ({ kind: 'customer', email }),
    'price list of a customer': (price_list) => ({ kind: 'customer', email: 'x@example.com', name: 'x', price_list }),
    'product of an order': (product) => ({ ...order, receipt_number: 'T-1', line_items: [{ ...sold, product }] }),
    'number of an order': (receipt_number) => ({
      ...order,
      receipt_number,
      line_items: [{ ...sold, product: 'none' }],
    }),
  };
  return Object.entries(lines).flatMap(([what, line]) =>
    [...references.values()].map((kind) => ({
      what: `${method} ${path}, ${what}: ${kind.kind}`,
      reference: kind,
      ask: (value: string) => ({ method, path, body: { lines: [line(value)] } }),
      statuses: [200],
    })),
  );
}

export function pathOf({ path }: Route, reference: string): string {
  return path.replace(/:\w+/, reference).replace(':reference', 'S-1').replace(':session_id', reference);
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
    ask: (value) => ({ method: route.method, path: pathOf(route, spell(value)) }),
    statuses: [404],
  }));
}

function madeUp(route: Route, { references, own }: TwoStores): Trial[] {
  const path = pathOf(route, String(own[route.path] ?? ''));
  return MADE_UP_PARAMETERS.flatMap((name) =>
    [...references.values()].map((kind) => byParameter({ ...route, path }, name, kind)),
  );
}

function byParameter({ method, path }: Route, name: string, kind: Reference): Trial {
  return {
    what: `${method} ${path}?${name}=${kind.kind}`,
    reference: kind,
    ask: (value) => ({ method, path: `${path}?${name}=${encodeURIComponent(value)}` }),
    // A product has no prices for a customer that the store does not have.
    statuses: name === 'customer_id' && path.startsWith('/v1/products/') ? [404] : [200],
  };
}
