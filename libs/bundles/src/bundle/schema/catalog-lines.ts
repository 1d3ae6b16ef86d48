import { MAX_GROUPS_OF_LIST, MAX_INT4, MAX_ORDERED_UNITS, MAX_PRICE_BREAKS } from '@app/domain';
import * as is from './vocabulary.js';

export const warehouseLine = is.object(
  {
    kind: is.kind('warehouse'),
    store: is.subdomain,
    code: is.code,
    name: is.optional(is.described(is.name(200), is.OF_NEW)),
    active: is.optional(is.flag),
  },
  { description: 'A location with bins. Stock in an inactive warehouse is not for sale. Key: store, code.' },
);

export const binLine = is.object(
  { kind: is.kind('bin'), store: is.subdomain, warehouse: is.code, code: is.code },
  { description: 'A storage location in a warehouse. Key: store, warehouse, code.' },
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

/** The maximum length of a description. Lists of brands and categories show up to 100 descriptions. */
const MAX_DESCRIPTION = 10_000;

export const brandLine = is.object(
  {
    kind: is.kind('brand'),
    store: is.subdomain,
    id: is.optional(is.rowId),
    slug: is.slug,
    name: is.optional(is.described(is.name(500), is.OF_NEW)),
    logo: is.optional(is.text(2_048)),
    description: is.optional(is.text(MAX_DESCRIPTION)),
    active: is.optional(is.flag),
  },
  { description: 'A brand. Key: store, slug.' },
);

export const categoryLine = is.object(
  {
    kind: is.kind('category'),
    store: is.subdomain,
    id: is.optional(is.rowId),
    slug: is.slug,
    name: is.optional(is.described(is.name(500), is.OF_NEW)),
    image: is.optional(is.text(2_048)),
    description: is.optional(is.text(MAX_DESCRIPTION)),
    order: is.optional(is.integer(-MAX_INT4, MAX_INT4, 'Display order.')),
    parent: is.optional(is.orNull(is.slug)),
    active: is.optional(is.flag),
  },
  { description: 'A category; `parent` is the slug of another one. Key: store, slug.' },
);

export const image = is.object({ url: is.name(2_048), alt: is.optional(is.text(1_000)) });
export const specification = is.object({ name: is.name(500), value: is.text(10_000) });

/** The maximum number of a product's variants, including inactive ones that later imports omitted. */
export const MAX_VARIANTS = 1_000;

export const variant = is.object(
  {
    id: is.optional(
      is.described(is.rowId, `A stored variant of the product with this id gets the SKU. ${is.rowId.description}`),
    ),
    sku: is.sku,
    name: is.name(500),
    price: is.optional(is.described(is.orNull(is.price), 'Null: the price of the product.')),
    attributes: is.optional(is.attributes),
    low_stock: is.optional(
      is.orNull(
        is.integer(0, MAX_INT4, 'So many units for sale, or fewer, are low stock. Null: the limit of the product.'),
      ),
    ),
    metadata: is.optional(is.metadata),
    status: is.optional(is.oneOf(['ACTIVE', 'INACTIVE', 'DRAFT', 'ARCHIVED'])),
  },
  {
    description:
      'A variant of a product. Key: product, and id or else sku. Where price and attributes are absent, a variant with the id of a stored variant keeps them, and any other has the price of the product and no attributes.',
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
    low_stock: is.optional(
      is.orNull(is.integer(0, MAX_INT4, 'So many units for sale, or fewer, are low stock. Null: no limit.')),
    ),
    metadata: is.optional(is.metadata),
    variants: is.optional(is.list(variant, { maxItems: MAX_VARIANTS, differ: ['sku'] })),
    created_at: is.optional(is.timestamp),
    updated_at: is.optional(is.updatedAt),
  },
  { rule: 'product', description: 'A product with its variants; brand and categories are slugs. Key: store, slug.' },
);

export const priceListLine = is.object(
  {
    kind: is.kind('price_list'),
    store: is.subdomain,
    code: is.code,
    name: is.optional(is.described(is.name(200), is.OF_NEW)),
    currency: is.optional(is.described(is.currency, 'Must be the currency of the store. Not stored.')),
    priority: is.optional(
      is.integer(
        -MAX_INT4,
        MAX_INT4,
        "Among the lists of a customer's groups, the list with the highest priority applies first.",
      ),
    ),
    valid_from: is.optional(
      is.described(
        is.orNull(is.day),
        "The first day on which the list applies, in the store's time zone. Null: no first day.",
      ),
    ),
    valid_to: is.optional(
      is.described(is.orNull(is.day), 'The last day on which the list applies. Null: no last day.'),
    ),
    customer_groups: is.optional(is.list(is.reference, { maxItems: MAX_GROUPS_OF_LIST, uniqueItems: true })),
  },
  { rule: 'priceList', description: 'A price list. Key: store, code.' },
);

const ruleFields = {
  min_quantity: is.optional(
    is.orNull(is.integer(1, MAX_ORDERED_UNITS, 'Minimum units per order. 1 if only `step` is given.')),
  ),
  step: is.optional(
    is.orNull(
      is.integer(
        1,
        MAX_ORDERED_UNITS,
        'The units of an order must be a multiple of this number. 1 if only `min_quantity` is given.',
      ),
    ),
  ),
};

const priceBreak = is.object({
  from_quantity: is.integer(1, MAX_ORDERED_UNITS, 'The price applies to orders with at least this number of units.'),
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
        description:
          'All prices of the unit in the list. Empty: the list has no price and no quantity rule for the unit.',
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
      'The minimum quantity and the step of a product, or of one variant, at catalog prices. Key: store, product, variant.',
  },
);
