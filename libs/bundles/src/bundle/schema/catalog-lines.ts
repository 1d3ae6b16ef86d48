import { MAX_GROUP_NAME, MAX_GROUPS_OF_LIST, MAX_INT4, MAX_ORDERED_UNITS, MAX_PRICE_BREAKS } from '@app/domain';
import * as is from './vocabulary.js';

export const warehouseLine = is.object(
  {
    kind: is.kind('warehouse'),
    store: is.subdomain,
    code: is.code,
    name: is.optional(is.described(is.name(200), is.OF_NEW)),
    active: is.optional(is.flag),
  },
  { description: 'A place with bins. Stock in an inactive warehouse is not for sale. Key: store, code.' },
);

export const binLine = is.object(
  { kind: is.kind('bin'), store: is.subdomain, warehouse: is.code, code: is.code },
  { description: 'A shelf place. Key: store, warehouse, code.' },
);

export const stockLine = is.object(
  {
    kind: is.kind('stock'),
    store: is.subdomain,
    bin: is.binReference,
    product: is.slug,
    variant: is.optional(is.orNull(is.sku)),
    quantity: is.integer(0, MAX_INT4),
  },
  { description: 'The quantity of a product, or of one variant, in one bin. Key: store, bin, product, variant.' },
);

/** Limits descriptions, because lists of brands and categories have up to 100. */
const MAX_LISTED = 10_000;

export const brandLine = is.object(
  {
    kind: is.kind('brand'),
    store: is.subdomain,
    id: is.optional(is.rowId),
    slug: is.slug,
    name: is.optional(is.described(is.name(500), is.OF_NEW)),
    logo: is.optional(is.text(2_048)),
    description: is.optional(is.text(MAX_LISTED)),
    active: is.optional(is.flag),
  },
  { description: 'A maker. Key: store, slug.' },
);

export const categoryLine = is.object(
  {
    kind: is.kind('category'),
    store: is.subdomain,
    id: is.optional(is.rowId),
    slug: is.slug,
    name: is.optional(is.described(is.name(500), is.OF_NEW)),
    image: is.optional(is.text(2_048)),
    description: is.optional(is.text(MAX_LISTED)),
    order: is.optional(is.integer(-MAX_INT4, MAX_INT4, 'Display order.')),
    parent: is.optional(is.orNull(is.slug)),
    active: is.optional(is.flag),
  },
  { description: 'A category; `parent` is the slug of another one. Key: store, slug.' },
);

export const image = is.object({ url: is.name(2_048), alt: is.optional(is.text(1_000)) });
export const specification = is.object({ name: is.name(500), value: is.text(10_000) });

/** The maximum number of a product's variants, including those that a list has omitted. */
export const MAX_VARIANTS = 1_000;

export const variant = is.object(
  {
    id: is.optional(
      is.described(is.rowId, `A stored variant of the product with this id gets the SKU. ${is.rowId.description}`),
    ),
    sku: is.sku,
    name: is.name(500),
    price: is.optional(is.price),
    attributes: is.optional(is.attributes),
    metadata: is.optional(is.metadata),
    status: is.optional(is.oneOf(['ACTIVE', 'INACTIVE', 'DRAFT', 'ARCHIVED'])),
  },
  {
    description:
      "One buyable form of a product, at the product's price where it has none. Key: product, and id or else sku.",
  },
);

export const productLine = is.object(
  {
    kind: is.kind('product'),
    store: is.subdomain,
    id: is.optional(is.rowId),
    slug: is.slug,
    sku: is.optional(is.trimmedText(200)),
    name: is.optional(is.described(is.name(500), is.OF_NEW)),
    price: is.optional(is.described(is.price, `${is.price.description} ${is.OF_NEW}`)),
    status: is.optional(is.oneOf(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
    featured: is.optional(is.flag),
    description: is.optional(is.text(100_000)),
    brand: is.optional(is.orNull(is.slug)),
    categories: is.optional(is.list(is.slug, { maxItems: 100 })),
    images: is.optional(is.list(image, { maxItems: 250 })),
    specifications: is.optional(is.list(specification, { maxItems: 250 })),
    metadata: is.optional(is.metadata),
    variants: is.optional(is.list(variant, { maxItems: MAX_VARIANTS, differ: ['sku'] })),
    created_at: is.optional(is.timestamp),
    updated_at: is.optional(is.updatedAt),
  },
  { rule: 'product', description: 'A product with its variants; brand and categories are slugs. Key: store, slug.' },
);

const group = is.textLike(
  '\\S',
  `must be 1 to ${MAX_GROUP_NAME} visible characters, with plain spaces only between them`,
  {
    maxLength: MAX_GROUP_NAME,
    reads: 'reference',
  },
);

export const priceListLine = is.object(
  {
    kind: is.kind('price_list'),
    store: is.subdomain,
    code: is.code,
    name: is.optional(is.described(is.name(200), is.OF_NEW)),
    currency: is.optional(is.described(is.currency, 'That of the store: another one is refused. Not stored.')),
    priority: is.optional(
      is.integer(-MAX_INT4, MAX_INT4, "Among the lists of a customer's groups, the highest applies first."),
    ),
    valid_from: is.optional(
      is.described(is.orNull(is.day), "The first day on which the list applies, in the store's time zone. Null: none."),
    ),
    valid_to: is.optional(is.described(is.orNull(is.day), 'The last day on which the list applies. Null: none.')),
    customer_groups: is.optional(is.list(group, { maxItems: MAX_GROUPS_OF_LIST, uniqueItems: true })),
  },
  { rule: 'priceList', description: 'A price list. Key: store, code.' },
);

const ruleFields = {
  min_quantity: is.optional(
    is.orNull(is.integer(1, MAX_ORDERED_UNITS, 'The fewest units of an order. 1 where only `step` is given.')),
  ),
  step: is.optional(
    is.orNull(is.integer(1, MAX_ORDERED_UNITS, 'Orders have multiples of it. 1 where only `min_quantity` is given.')),
  ),
};

const priceBreak = is.object({
  from_quantity: is.integer(1, MAX_ORDERED_UNITS, 'From how many units of an order on the price applies.'),
  price: is.price,
});

export const listPriceLine = is.object(
  {
    kind: is.kind('list_price'),
    store: is.subdomain,
    list: is.described(is.code, 'The code of a price list.'),
    product: is.slug,
    variant: is.optional(is.orNull(is.sku)),
    price_breaks: is.optional(
      is.list(priceBreak, {
        maxItems: MAX_PRICE_BREAKS,
        differ: ['from_quantity'],
        description: 'All prices of the unit in the list. Empty: the list has none, and no rule, for it.',
      }),
    ),
    ...ruleFields,
  },
  { description: 'The prices of a product, or of one variant, in a list. Key: store, list, product, variant.' },
);

export const quantityRuleLine = is.object(
  {
    kind: is.kind('quantity_rule'),
    store: is.subdomain,
    product: is.slug,
    variant: is.optional(is.orNull(is.sku)),
    ...ruleFields,
  },
  {
    description:
      'From how many, and in which steps, a product, or one variant, is sold at the prices of the catalog. Key: store, product, variant.',
  },
);
