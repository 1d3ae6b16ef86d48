import { CHANGE_KINDS, type ChangedResource, type ChangeKind, type RecordOfKind } from '@app/application';
import type { Currency } from '@app/domain';
import { Type } from '@sinclair/typebox';
import { toBrandResponse } from './brand.response.js';
import { toCategoryResponse } from './category.response.js';
import { toCustomerResponse } from './customer.response.js';
import { toOrderResponse } from './order.response.js';
import { toPriceListResponse } from './price-list.response.js';
import { toProductResponse } from './product.response.js';
import type { NamedSchema } from './resource.js';
import * as is from './schema.js';
import { toSkuListItem } from './sku.response.js';
import { toStockListItem } from './stock.response.js';

interface Kind<Shown> {
  /** Returns the answer of the kind's own route; for SKUs and stock, their row in the list. */
  readonly toResponse: Shown;
  /** The name of its schema. */
  readonly schema: string;
  /** The id in the example. The demo store has an order and a customer with this id. */
  readonly id: string;
  readonly idText?: string;
}

const SKU_ID = "The product's id, and the variant's after a hyphen if there is a variant.";
const STOCK_ID = 'Identifies the product or variant in the bin. Opaque.';
const KINDS = {
  orders: { toResponse: toOrderResponse, schema: 'Order', id: '652e11cd-af5e-469b-9ad6-28bda7a6431d' },
  products: { toResponse: toProductResponse, schema: 'Product', id: '70' },
  skus: { toResponse: toSkuListItem, schema: 'SkuListItem', id: '70-12', idText: SKU_ID },
  customers: { toResponse: toCustomerResponse, schema: 'Customer', id: 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7' },
  categories: { toResponse: toCategoryResponse, schema: 'Category', id: '7' },
  brands: { toResponse: toBrandResponse, schema: 'Brand', id: '7' },
  stock: { toResponse: toStockListItem, schema: 'StockListItem', id: '70-12-5', idText: STOCK_ID },
  price_lists: { toResponse: toPriceListResponse, schema: 'PriceList', id: 'RESELLER' },
} satisfies { readonly [Name in ChangeKind]: Kind<(record: RecordOfKind[Name], currency: Currency) => unknown> };

type Shown<Name extends ChangeKind> = ReturnType<(typeof KINDS)[Name]['toResponse']>;

export interface ChangeResponse<Name extends ChangeKind = ChangeKind> {
  readonly kind: Name;
  readonly id: string;
  readonly deleted: boolean;
  readonly at: string;
  readonly data: Shown<Name> | null;
}

export function toChangeResponse({ kind, id, at, record }: ChangedResource, currency: Currency): ChangeResponse {
  const { toResponse } = KINDS[kind] as Kind<(record: unknown, currency: Currency) => Shown<ChangeKind>>;
  const data = record === null ? null : toResponse(record, currency);
  return { kind, id, deleted: data === null, at: at.toISOString(), data };
}

export function identityOf(kind: ChangeKind) {
  const { id, idText }: Kind<unknown> = KINDS[kind];
  const gone = idText ? 'its list lacks it' : 'its own route returns 404';
  return {
    kind: is.oneOf([kind], 'The kind of the resource.'),
    id: is.text(idText ?? 'The id of the resource, as text.', id),
    deleted: is.flag(`Whether the resource is gone: ${gone}.`),
  };
}

export function recordOf(kind: ChangeKind, description: string) {
  return Type.Unsafe<ChangeResponse['data']>({ oneOf: [is.ref(KINDS[kind].schema), { type: 'null' }], description });
}

function changeOf(kind: ChangeKind) {
  return is.object({
    ...identityOf(kind),
    at: is.timestamp('When the change entered the feed.'),
    data: recordOf(kind, 'The full record; null when `deleted`.'),
  });
}

const nameOf = (kind: ChangeKind) => `Changed${KINDS[kind].schema.replace(/ListItem$/, '')}`;
const references = CHANGE_KINDS.map((kind) => [kind, is.ref(nameOf(kind))] as const);

/** `Change`, and its variants by `kind`. */
export const CHANGE_SCHEMAS: readonly NamedSchema[] = [
  ...CHANGE_KINDS.map((kind) => ({ name: nameOf(kind), schema: changeOf(kind) })),
  {
    name: 'Change',
    schema: Type.Unsafe<ChangeResponse>({
      oneOf: references.map(([, reference]) => reference),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(references.map(([kind, { $ref }]) => [kind, $ref as string])),
      },
    }),
  },
];
