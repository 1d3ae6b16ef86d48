import { CHANGE_KINDS, type ChangedResource, type ChangeKind, type RecordOfKind } from '@app/application';
import type { Currency } from '@app/domain';
import { Type } from '@sinclair/typebox';
import { toBrandResponse } from './brand.response.js';
import { toCategoryResponse } from './category.response.js';
import { toCustomerResponse } from './customer.response.js';
import { toOrderResponse } from './order.response.js';
import { toProductResponse } from './product.response.js';
import * as is from './schema.js';
import { toSkuListItem } from './sku.response.js';
import { toStockListItem } from './stock.response.js';

/** The answer of each kind's own route; of SKUs and stock, their row in the list. */
const RESPONSES = {
  orders: toOrderResponse,
  products: toProductResponse,
  skus: toSkuListItem,
  customers: toCustomerResponse,
  categories: toCategoryResponse,
  brands: toBrandResponse,
  stock: toStockListItem,
} satisfies { readonly [Kind in ChangeKind]: (record: RecordOfKind[Kind], currency: Currency) => unknown };

type Responses = typeof RESPONSES;

const SCHEMAS: Readonly<Record<ChangeKind, string>> = {
  orders: 'Order',
  products: 'Product',
  skus: 'SkuListItem',
  customers: 'Customer',
  categories: 'Category',
  brands: 'Brand',
  stock: 'StockListItem',
};

/** An id of each kind; those of orders and customers exist in the demo store. */
const IDS: Readonly<Record<ChangeKind, string>> = {
  orders: '652e11cd-af5e-469b-9ad6-28bda7a6431d',
  products: '70',
  skus: '70-12',
  customers: 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7',
  categories: '7',
  brands: '7',
  stock: '70-12-5',
};

const ID_TEXTS: Readonly<Partial<Record<ChangeKind, string>>> = {
  skus: "The product's id, and the variant's after a hyphen if there is a variant.",
  stock: 'Identifies the product or variant in the bin. Opaque.',
};

export interface ChangeResponse<Kind extends ChangeKind = ChangeKind> {
  readonly kind: Kind;
  readonly id: string;
  readonly deleted: boolean;
  readonly at: string;
  readonly data: ReturnType<Responses[Kind]> | null;
}

export function toChangeResponse({ kind, id, at, record }: ChangedResource, currency: Currency): ChangeResponse {
  const toResponse = RESPONSES[kind] as (record: unknown, currency: Currency) => ReturnType<Responses[ChangeKind]>;
  const data = record === null ? null : toResponse(record, currency);
  return { kind, id, deleted: data === null, at: at.toISOString(), data };
}

export function identityOf(kind: ChangeKind) {
  return {
    kind: is.oneOf([kind], 'The kind of the resource.'),
    id: is.text(ID_TEXTS[kind] ?? 'The id of the resource, as text.', IDS[kind]),
    deleted: is.flag(
      `Whether the resource is gone: ${kind in ID_TEXTS ? 'its list lacks it' : 'its own route returns 404'}.`,
    ),
  };
}

export function recordOf(kind: ChangeKind, description: string) {
  return Type.Unsafe<ChangeResponse['data']>({ oneOf: [is.ref(SCHEMAS[kind]), { type: 'null' }], description });
}

function changeOf(kind: ChangeKind) {
  return is.object({
    ...identityOf(kind),
    at: is.timestamp('When the change entered the feed.'),
    data: recordOf(kind, 'The full record; null when `deleted`.'),
  });
}

export const CHANGE = Type.Unsafe<ChangeResponse>({ oneOf: CHANGE_KINDS.map(changeOf) });
