import type { ScopeWord } from '@app/domain';

export type Row =
  /** A single resource by reference. The trial uses every kind; the owner can read the named kinds. */
  | { readonly as: 'one'; readonly known: readonly string[]; readonly scope?: ScopeWord }
  /** A change of an order, a webhook or a key by its reference, with a body that is valid for a new one. */
  | { readonly as: 'change'; readonly scope: ScopeWord; readonly body?: object }
  /** A list. The trial uses every filter in its API document; the owner must find rows by each. */
  | { readonly as: 'list'; readonly scope?: ScopeWord }
  /** The feed. A cursor refers to the store that it was made for: changes.spec.ts has those of another store and mode. */
  | { readonly as: 'feed' }
  /** An order, with the scope that a key needs for it. */
  | { readonly as: 'order'; readonly scope: ScopeWord | 'read' }
  /** Lines that name units, and things of the store in `names`. `line` is the rest of each. */
  | {
      readonly as: 'lines';
      readonly scope: ScopeWord;
      readonly names: readonly string[];
      readonly line: object;
      /** A member of the body that names something of the store. */
      readonly member?: string;
    }
  /** Lines of a bundle, of a kind that needs this scope. */
  | { readonly as: 'import'; readonly scope: ScopeWord }
  /** A webhook. Its body refers to nothing of the store. */
  | { readonly as: 'webhook'; readonly scope: ScopeWord }
  /** A route for sessions of owners only. No key reaches it. */
  | { readonly as: 'team'; readonly scope: 'team'; readonly body?: object }
  /** What the path names, or the settings, which it writes in the store of the key. */
  | { readonly as: 'put'; readonly scope: ScopeWord; readonly body: object }
  /** A key. Its body refers to nothing of the store. */
  | { readonly as: 'key'; readonly scope: 'keys' }
  /** A route about the store as a whole. */
  | { readonly as: 'profile'; readonly scope?: ScopeWord }
  /** Public, and without data of any store. */
  | { readonly as: 'open' };

const ONE = { line: 1, quantity: 1 };
const TEAM = { as: 'team', scope: 'team' } as const;

/** A row for every route under `/v1`. A route without a row fails the proof. */
export const ROWS: Readonly<Record<string, Row>> = {
  'GET /v1/orders': { as: 'list' },
  'GET /v1/orders/:id': { as: 'one', known: ['order', 'receipt'] },
  'POST /v1/orders': { as: 'order', scope: 'orders' },
  'POST /v1/orders/preview': { as: 'order', scope: 'read' },
  'GET /v1/orders/:id/history': { as: 'one', known: ['order', 'receipt'] },
  'POST /v1/orders/:id/shipments': { as: 'change', scope: 'fulfillment', body: { reference: 'S-1', items: [ONE] } },
  'PATCH /v1/orders/:id/shipments/:reference': { as: 'change', scope: 'fulfillment', body: { carrier: 'DHL' } },
  'POST /v1/orders/:id/transitions': {
    as: 'change',
    scope: 'fulfillment',
    body: { field: 'status', expected: 'PENDING', to: 'FAILED' },
  },
  'POST /v1/orders/:id/lines': { as: 'change', scope: 'fulfillment', body: { set: [{ line: 1, quantity: 1 }] } },
  'POST /v1/orders/:id/hold': { as: 'change', scope: 'fulfillment', body: { reason: 'x' } },
  'POST /v1/orders/:id/release': { as: 'change', scope: 'fulfillment' },
  'POST /v1/orders/:id/cancel': { as: 'change', scope: 'fulfillment' },
  'POST /v1/orders/:id/payments': {
    as: 'change',
    scope: 'payments',
    body: { reference: 'P-1', amount: 1000, currency: 'USD' },
  },
  'PATCH /v1/orders/:id': {
    as: 'change',
    scope: 'fulfillment',
    body: {
      metadata: { erp_id: '4711' },
      lines: [{ line: 1, metadata: { erp_line: '10' } }],
      customer: { name: 'x' },
    },
  },
  'POST /v1/orders/:id/notes': { as: 'change', scope: 'fulfillment', body: { text: 'Ring twice' } },
  'POST /v1/orders/:id/mails': { as: 'change', scope: 'fulfillment', body: { stage: 'notify-merchant' } },
  'POST /v1/orders/:id/refunds': { as: 'change', scope: 'payments', body: { reference: 'R-1', amount: 1 } },
  'GET /v1/journal': { as: 'list' },
  'GET /v1/statistics/orders': { as: 'profile' },
  'GET /v1/statistics/products': { as: 'profile' },
  'GET /v1/products': { as: 'list' },
  'GET /v1/products/:idOrSlug': { as: 'one', known: ['product', 'product slug'] },
  'GET /v1/skus': { as: 'list' },
  'GET /v1/stock': { as: 'list' },
  'GET /v1/stock/movements': { as: 'list' },
  'GET /v1/warehouses': { as: 'list' },
  'POST /v1/stock': { as: 'lines', scope: 'stock', names: ['warehouse', 'bin'], line: { adjust: 1 } },
  'GET /v1/prices': { as: 'list' },
  'POST /v1/prices': {
    ...{ as: 'lines', scope: 'catalog', names: [], line: { price: 10, expected: null } },
    member: 'list',
  },
  'GET /v1/price-lists': { as: 'list' },
  'GET /v1/price-lists/:code': { as: 'one', known: ['price list'] },
  'PUT /v1/price-lists/:code': { as: 'put', scope: 'catalog', body: { name: 'x' } },
  'DELETE /v1/price-lists/:code': { as: 'change', scope: 'catalog' },
  'POST /v1/import': { as: 'import', scope: 'catalog' },
  'GET /v1/customers': { as: 'list' },
  'GET /v1/customers/:id': { as: 'one', known: ['customer'] },
  'PATCH /v1/customers/:id': { as: 'change', scope: 'customers', body: { company: 'x', groups: ['x'] } },
  'GET /v1/customers/:id/personal-data': { as: 'one', known: ['customer'], scope: 'customers' },
  'POST /v1/customers/:id/erase': { as: 'change', scope: 'customers' },
  'GET /v1/categories': { as: 'list' },
  'GET /v1/categories/:idOrSlug': { as: 'one', known: ['category', 'child', 'category slug'] },
  'GET /v1/brands': { as: 'list' },
  'GET /v1/brands/:idOrSlug': { as: 'one', known: ['brand', 'brand slug'] },
  'GET /v1/store': { as: 'profile' },
  'GET /v1/settings': { as: 'profile', scope: 'settings' },
  'PATCH /v1/settings': { as: 'put', scope: 'settings', body: { seo_title: 'x' } },
  'GET /v1/key': { as: 'profile' },
  'GET /v1/people': TEAM,
  'POST /v1/people': { ...TEAM, body: { email: 'ada@example.com', name: 'Ada', role: 'viewer' } },
  'PATCH /v1/people/:id': { ...TEAM, body: { role: 'viewer' } },
  'DELETE /v1/people/:id': TEAM,
  'POST /v1/people/:id/invite': TEAM,
  'GET /v1/people/:id/sessions': TEAM,
  'DELETE /v1/people/:id/sessions/:session_id': TEAM,
  'GET /v1/attention': { as: 'profile' },
  'GET /v1/search': { as: 'list' },
  'GET /v1/changes': { as: 'feed' },
  'GET /v1/webhooks': { as: 'list', scope: 'webhooks' },
  'POST /v1/webhooks': { as: 'webhook', scope: 'webhooks' },
  'GET /v1/webhooks/:id': { as: 'one', known: ['webhook'], scope: 'webhooks' },
  'PATCH /v1/webhooks/:id': { as: 'change', scope: 'webhooks', body: { headers: { 'X-Key': 'k-1' } } },
  'POST /v1/webhooks/:id/test': { as: 'change', scope: 'webhooks' },
  'POST /v1/webhooks/:id/pause': { as: 'change', scope: 'webhooks' },
  'POST /v1/webhooks/:id/resume': { as: 'change', scope: 'webhooks' },
  'POST /v1/webhooks/:id/replay': { as: 'change', scope: 'webhooks', body: { from: '2026-01-01T00:00:00Z' } },
  'POST /v1/webhooks/:id/rotate-secret': { as: 'change', scope: 'webhooks' },
  'DELETE /v1/webhooks/:id': { as: 'change', scope: 'webhooks' },
  'GET /v1/audit': { as: 'list', scope: 'settings' },
  'GET /v1/keys': { as: 'list', scope: 'keys' },
  'GET /v1/keys/usage': { as: 'list', scope: 'keys' },
  'POST /v1/keys': { as: 'key', scope: 'keys' },
  'POST /v1/keys/:id/roll': { as: 'change', scope: 'keys', body: { overlap_hours: 1 } },
  'POST /v1/keys/:id/revoke': { as: 'change', scope: 'keys' },
  'POST /v1/keys/:id/deactivate': { as: 'change', scope: 'keys' },
  'POST /v1/keys/:id/activate': { as: 'change', scope: 'keys' },
};

const OPEN = /^\/(?:$|(?:health|metrics|docs|dashboard|openapi(?:-3\.0)?\.json)(?:[/.*]|$))/;

export function rowOf({ method, path }: { readonly method: string; readonly path: string }): Row | null {
  if (OPEN.test(path)) return { as: 'open' };
  return ROWS[`${method === 'HEAD' ? 'GET' : method} ${path}`] ?? null;
}
