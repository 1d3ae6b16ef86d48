import {
  CustomerRepository,
  type CustomerFilter,
  type CustomerRecord,
  type ListedCustomer,
  type Page,
  type PageOf,
} from '@app/application';
import { readUuid } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { changedAt, updatedAt } from '../feed/updated-at.js';
import { anyOf, Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import { readByTime, type TimedList } from '../lists/by-time.js';
import type { LargePart } from '../lists/page-bytes.js';
import { matchesNothing, NO_ROWS } from '../lists/paging.js';
import { SharedReads } from '../lists/shared-reads.js';
import { addSearch } from '../lists/search-terms.js';
import { hasEmail } from '../orders/person.js';

// These columns contain no secret: password hash, token and national id are in another table.
const COLUMNS = `item.name, item.email, item.phone, item.status, item.email_verified AS "emailVerified",
  item.loyalty_points AS "loyaltyPoints", item.total_spent AS "totalSpent", item.tags, item.city,
  item.payment_terms_days AS "paymentTermsDays", item.last_login AS "lastLogin"`;

const METADATA_PART: LargePart = {
  name: 'metadata',
  sql: '(SELECT metadata FROM customers AS item WHERE item.store_id = $1 AND item.id = page.id)',
};

const UPDATED_AT = `${updatedAt('customers', 'page.id', 'page."createdAt"')} AS "updatedAt"`;

const FIND_BY_IDS = `/* customers.find */
  SELECT item.id, item.created_at AS "createdAt", ${COLUMNS}, item.metadata FROM customers AS item
  /* @protects store-of-customer */
  WHERE item.store_id = $1 AND ${anyOf('item.id', '$2::uuid[]')}`;

const SEARCHED = { email: 'item.email', emailKey: 'email_key(item.email) COLLATE "C"' };

@Injectable()
export class PostgresCustomerRepository extends CustomerRepository {
  private readonly byId = new SharedReads<CustomerRecord>(
    (storeId, ids) => this.database.queryPrepared(FIND_BY_IDS, [storeId, ids]),
    ({ id }) => id,
  );

  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<ListedCustomer>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { status, ids, email, search: term, include = [] } = filter;
    if (email === '') return NO_ROWS;
    const where = new Conditions('item.store_id = ?', storeId);
    if (status !== undefined) where.and('lower(item.status) = lower(?)', status);
    if (ids)
      where.and(
        anyOf('item.id', '?::uuid[]'),
        ids.flatMap((id) => readUuid(id) ?? []),
      );
    if (email !== undefined) where.and(hasEmail('item', '?'), email);
    const isLookUp = (ids !== undefined || email !== undefined) && term === undefined;
    const search = term === undefined ? {} : addSearch(where, SEARCHED, term);

    const list: TimedList = {
      table: 'customers',
      columns: COLUMNS,
      ...(include.length > 0 && { onPage: `page.*, ${UPDATED_AT}` }),
      large: include.includes('metadata') ? [METADATA_PART] : [],
      changedAt: changedAt('customers', 'item.id::text'),
      where,
      created: { from: filter.createdFrom, to: filter.createdTo },
      updated: { from: filter.updatedFrom, to: filter.updatedTo },
      tally: isLookUp || term !== undefined ? null : { list: 'customers', labels: [status], isLowerCase: true },
      ...search,
      isLookUp,
    };
    return readByTime(this.database, list, page);
  }

  override findById(storeId: number, id: string): Promise<CustomerRecord | null> {
    return this.byId.find(storeId, id);
  }

  override findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]> {
    return this.database.queryPrepared(FIND_BY_IDS, [storeId, ids]);
  }
}
