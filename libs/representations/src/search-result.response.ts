import { SEARCHED_KINDS, type SearchResult as Found } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const SearchResult = representation(
  'SearchResult',
  is.object({
    kind: is.oneOf(SEARCHED_KINDS, 'What was found.'),
    id: is.text(
      'The id of the order, customer or product. That of an SKU is the product, or `<product>-<variant>`.',
      '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f',
    ),
    title: is.text(
      'The receipt number of an order, the name of a customer or product, or the SKU.',
      'WEB-261130-H3DBZW',
    ),
    detail: is.text(
      'Name and UTC date of an order, company and e-mail of a customer, SKU of a product, or the name of the product ' +
        'with the SKU; `""` when there is none.',
      'Ada Lovelace, 2026-11-30',
    ),
  }),
);

export function toSearchResult({ kind, id, title, detail }: Found): ValueOf<typeof SearchResult> {
  return { kind, id, title, detail };
}
