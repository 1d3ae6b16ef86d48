import { ApiList } from '../openapi/endpoints.js';
import type { Representation, ResourceDocumentation } from '../openapi/resource.js';
import { SKU_LIST_ITEM, type SkuListItem as ListItem } from './sku.response.js';

export const SkuListItem: Representation<ListItem> = {
  name: 'SkuListItem',
  schema: SKU_LIST_ITEM,
  money: 'major',
  example: {
    sku: 'R-1-42',
    product_id: 70,
    variant_id: 12,
    product_slug: 'runner',
    name: 'Runner',
    attributes: { Size: '42', Color: 'Blue' },
    price: 79.9,
    quantity: 7,
    status: 'ACTIVE',
  },
};

export const SKUS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'SKUs',
  description: 'What can be ordered: the ids, prices and stock of the variants, and of the products without variants.',
  schemas: [SkuListItem],
};

export const ApiListSkus = () =>
  ApiList({
    operationId: 'listSkus',
    summary: 'Sellable units, by SKU',
    description:
      'Active variants of active products, and active products without active variants. Sorted by `sku`, then ' +
      '`product_id`, then `variant_id`. SKUs compare by Unicode code points, as sorted by bytes of UTF-8: `A-10` < ' +
      '`A-9` < `B` < `a`. Units without a SKU come first. `pagination.total` counts all rows that match the filters. ' +
      'Money is in major units: 10.99 is 10.99 USD.',
    of: SkuListItem,
  });
