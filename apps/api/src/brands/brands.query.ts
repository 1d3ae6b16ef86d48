import type { BrandFilter } from '@app/application';
import { searchFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';

export type BrandsQuery = ValuesOf<typeof BRANDS_QUERY>;

export const BRANDS_QUERY = listQuery<BrandFilter>({
  search: searchFilter('the name', 'globex'),
});
