/** What the other store's things are tried as, in one filter: a value that only its rows have, and one that none has. */
export interface Filter {
  readonly theirs: string;
  readonly unknown: string;
}

/** How a route is attacked. */
export type Row =
  /** One thing by a reference: every kind is tried; those named are known to their owner. */
  | { readonly as: 'one'; readonly known: readonly string[] }
  /** A list: each of its parameters, by the kind of reference or by values. `null` = it names nothing. */
  | { readonly as: 'list'; readonly parameters: Readonly<Record<string, string | Filter | null>> }
  | { readonly as: 'order' }
  | { readonly as: 'profile' }
  /** Open to everybody, and says nothing of any store. */
  | { readonly as: 'open' };

const PAGING = { limit: null, page: null };

/**
 * A row for every route under `/v1`, and every parameter of it. A route or a parameter that is not here fails the proof:
 * whoever adds one says here what of another store may be tried on it.
 */
export const ROWS: Readonly<Record<string, Row>> = {
  'GET /v1/orders': {
    as: 'list',
    parameters: {
      ...PAGING,
      status: { theirs: 'REFUNDED', unknown: 'REFUNDEX' },
      fulfillment_status: { theirs: 'RETURNED', unknown: 'RETURNEX' },
      source: { theirs: 'POS', unknown: 'XOS' },
      search: 'receipt',
    },
  },
  'GET /v1/orders/:id': { as: 'one', known: ['order', 'receipt'] },
  'POST /v1/orders': { as: 'order' },
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
};

/** Routes outside of `/v1`. They are open to everybody, and tell nothing of any store. */
const OPEN = /^\/(?:$|(?:health|metrics|docs|openapi\.json)(?:[/.*]|$))/;

/** The row of a route; a HEAD is a GET of which the body is not sent. `null` = nobody thought of it. */
export function rowOf({ method, path }: { readonly method: string; readonly path: string }): Row | null {
  if (OPEN.test(path)) return { as: 'open' };
  return ROWS[`${method === 'HEAD' ? 'GET' : method} ${path}`] ?? null;
}
