import type { ApiKeyScope } from '@app/domain';

/**
 * Values for one filter: one that only the second store's rows have, which two-stores.ts must give them, and one that no
 * row has.
 */
export interface Filter {
  readonly theirs: string;
  readonly unknown: string;
}

/** How the proof attacks a route. */
export type Row =
  /** A single resource by reference. The trial uses every kind; the owner can read the named kinds. */
  | { readonly as: 'one'; readonly known: readonly string[] }
  /** A list: each of its parameters, by kind of reference or by values. `null` means that it refers to nothing. */
  | { readonly as: 'list'; readonly parameters: Readonly<Record<string, string | Filter | null>> }
  /** An order. The scope is what a key needs at least; every other route needs `read`. */
  | { readonly as: 'order'; readonly scope: ApiKeyScope }
  | { readonly as: 'profile' }
  /** Public, and without data of any store. */
  | { readonly as: 'open' };

const PAGING = { limit: null, page: null };

/**
 * A row for every route under `/v1` and each of its parameters. A route or parameter without a row fails the proof. Its
 * author adds the references to another store that the proof tries on it.
 */
export const ROWS: Readonly<Record<string, Row>> = {
  'GET /v1/orders': {
    as: 'list',
    parameters: {
      ...PAGING,
      status: { theirs: 'REFUNDED', unknown: 'REFUNDEX' },
      fulfillment_status: { theirs: 'RETURNED', unknown: 'RETURNEX' },
      source: { theirs: 'POS', unknown: 'XOS' },
      // The search excludes orders that the trials place: one of them may be under review.
      held: { theirs: 'true&search=POS-zqtheirs', unknown: 'true&search=POS-qxtheirs' },
      external_reference: 'external reference',
      search: 'receipt',
    },
  },
  'GET /v1/orders/:id': { as: 'one', known: ['order', 'receipt'] },
  'POST /v1/orders': { as: 'order', scope: 'full' },
  'POST /v1/orders/preview': { as: 'order', scope: 'read' },
  'GET /v1/products': {
    as: 'list',
    parameters: {
      ...PAGING,
      category_id: 'category',
      search: 'name',
      featured: { theirs: 'true', unknown: 'true&search=nothing' },
      in_stock: null,
    },
  },
  'GET /v1/products/:idOrSlug': { as: 'one', known: ['product', 'product slug'] },
  'GET /v1/skus': {
    as: 'list',
    parameters: { ...PAGING, sku: 'variant sku', product_id: 'product', in_stock: null, search: 'name' },
  },
  'GET /v1/customers': {
    as: 'list',
    parameters: { ...PAGING, status: { theirs: 'Theirs', unknown: 'Nobody' }, search: 'email' },
  },
  'GET /v1/customers/:id': { as: 'one', known: ['customer'] },
  'GET /v1/categories': { as: 'list', parameters: { ...PAGING, parent_id: 'category', search: 'name' } },
  'GET /v1/categories/:idOrSlug': { as: 'one', known: ['category', 'child', 'category slug'] },
  'GET /v1/brands': { as: 'list', parameters: { ...PAGING, search: 'name' } },
  'GET /v1/brands/:idOrSlug': { as: 'one', known: ['brand', 'brand slug'] },
  'GET /v1/store': { as: 'profile' },
  // A cursor refers to the store that it was made for: changes.spec.ts has those of another store and mode.
  'GET /v1/changes': { as: 'list', parameters: { limit: null, cursor: null, kinds: null, wait: null } },
};

/** Routes outside `/v1`. They are public, and reveal nothing about any store. */
const OPEN = /^\/(?:$|(?:health|metrics|docs|openapi\.json)(?:[/.*]|$))/;

/** The row of a route; a HEAD is a GET without the body. `null` when the route has no row. */
export function rowOf({ method, path }: { readonly method: string; readonly path: string }): Row | null {
  if (OPEN.test(path)) return { as: 'open' };
  return ROWS[`${method === 'HEAD' ? 'GET' : method} ${path}`] ?? null;
}
