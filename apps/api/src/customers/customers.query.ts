import type { CustomerFilter } from '@app/application';
import { searchFilter, wordFilter } from '../query/parameters.js';
import { listQuery, type ValuesOf } from '../query/query.js';

export type CustomersQuery = ValuesOf<typeof CUSTOMERS_QUERY>;

export const CUSTOMERS_QUERY = listQuery<CustomerFilter>({
  status: wordFilter('status', 'account status, for example `Active`', null, 'Active'),
  search: searchFilter('the name or the e-mail address', 'lovelace'),
});
