import { CustomerRepository, type CustomerFilter, type CustomerRecord, type Page, type PageOf } from '@app/application';
import { Injectable } from '@nestjs/common';
import { anyOf } from '../lists/any-of.js';
import { Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import { readNewestFirst } from '../lists/newest-first.js';
import { matchesNothing, NO_ROWS } from '../lists/paging.js';
import { SharedReads } from '../lists/shared-reads.js';
import { addSearch } from '../lists/search-terms.js';

// Contains no secret: password hash, token and national id are in another table.
const COLUMNS = `item.name, item.email, item.phone, item.status, item.email_verified AS "emailVerified",
  item.loyalty_points AS "loyaltyPoints", item.total_spent AS "totalSpent", item.tags, item.city, item.last_login AS "lastLogin"`;

const FIND_BY_IDS = `/* customers.find */
  /* @protects store-of-customer */
  SELECT item.id, item.created_at AS "createdAt", ${COLUMNS} FROM customers AS item
  WHERE item.store_id = $1 AND ${anyOf('item.id', '$2::uuid[]')}`;

const SEARCHED = { email: 'item.email', emailKey: 'email_key(item.email) COLLATE "C"' };

@Injectable()
export class PostgresCustomerRepository extends CustomerRepository {
  private readonly byId = new SharedReads((storeId, ids) => this.findByIds(storeId, ids));

  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<CustomerRecord>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { status, search: term } = filter;
    const where = new Conditions('item.store_id = ?', storeId);
    if (status !== undefined) where.and('lower(item.status) = lower(?)', status);
    const search = term === undefined ? {} : addSearch(where, SEARCHED, term);

    const tally = term === undefined ? ({ list: 'customers', labels: [status], letterCase: 'lower' } as const) : null;
    const list = { table: 'customers', columns: COLUMNS, where, tally, ...search };
    return readNewestFirst(this.database, list, page);
  }

  override findById(storeId: number, id: string): Promise<CustomerRecord | null> {
    return this.byId.find(storeId, id.toLowerCase());
  }

  override findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]> {
    return this.database.queryPrepared(FIND_BY_IDS, [storeId, ids]);
  }
}
