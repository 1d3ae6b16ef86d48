import { StoreSearch, type StoreSearchFilter } from '@app/application';
import { ref, SearchResult, toSearchResult } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { answer, ApiParameters, ApiRead } from '../openapi/endpoints.js';
import { booleanFilter, searchFilter, type Parameter } from '../query/parameters.js';
import { queryOf, ReadQuery, type ValuesOf } from '../query/query.js';

const TERM: Parameter<string | undefined> = {
  ...searchFilter('', 'H3DBZW'),
  name: 'q',
  description:
    'The text to find, in any letter case. Taken literally, without wildcards; trimmed; composed and decomposed letters ' +
    'are equal (NFC); the first 200 characters count. A blank text finds nothing.',
};

const QUERY = queryOf<StoreSearchFilter & { readonly term?: string }>({
  term: TERM,
  isTest: booleanFilter('is_test', 'only orders that were placed with a test key', 'only live orders'),
});

@Controller('v1/search')
@Documented({ tag: 'Search', description: 'Search of all records.', schemas: [SearchResult] })
export class SearchController {
  constructor(private readonly search: StoreSearch) {}

  @Get()
  @ApiParameters
  @ApiRead(
    {
      operationId: 'search',
      summary: 'Find orders, customers, products and SKUs',
      description:
        'At most five of each kind. A field that equals the text comes before one that begins with it, and that before ' +
        'one that contains it; then orders, customers, products and SKUs, the newest first. A text that many records ' +
        'have finds the newest of them.',
    },
    {
      schema: answer('SearchAnswer', { data: Type.Array(ref(SearchResult.name)) }),
      example: single([SearchResult.example]),
    },
  )
  async find(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(QUERY) { term, ...filter }: ValuesOf<typeof QUERY>,
  ) {
    return single(term === undefined ? [] : (await this.search.find(store.id, term, filter)).map(toSearchResult));
  }
}
