import { CustomerRepository, type CustomerFilter, type CustomerRecord, type Page, type PageOf } from '@app/application';
import { Injectable } from '@nestjs/common';
import { anyOf } from '../lists/any-of.js';
import { Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import { toSafeInteger } from '../postgres/integers.js';
import { readNewestFirst } from '../lists/newest-first.js';
import { matchesNothing, NO_ROWS } from '../lists/paging.js';
import { SharedReads } from '../lists/shared-reads.js';
import { addSearch } from '../lists/search-terms.js';

interface CustomerRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly status: string;
  readonly email_verified: boolean;
  readonly loyalty_points: number;
  readonly total_spent: string;
  readonly tags: string[];
  readonly city: string;
  readonly created_at: Date;
  readonly last_login: Date | null;
}

// Contains no secret: password hash, token and national id are in another table.
const COLUMNS = `name, email, phone, status, email_verified, loyalty_points, total_spent, tags, city, last_login`;

const FIND_BY_IDS = `/* customers.find */
  /* @protects store-of-customer */
  SELECT id, created_at, ${COLUMNS} FROM customers WHERE store_id = $1 AND ${anyOf('id', '$2::uuid[]')}`;

const SEARCHED = {
  email: 'item.email',
  emailKey: 'email_key(item.email) COLLATE "C"',
  other: 'item.name',
  otherHasAt: true,
};

@Injectable()
export class PostgresCustomerRepository extends CustomerRepository {
  private readonly byId = new SharedReads((storeId, ids) => this.findMany(storeId, ids));

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
    const { rows, total } = await readNewestFirst<CustomerRow>(this.database, list, page);
    return { rows: rows.map(toCustomerRecord), total };
  }

  override findById(storeId: number, id: string): Promise<CustomerRecord | null> {
    return this.byId.find(storeId, id.toLowerCase());
  }

  override findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]> {
    return this.findMany(storeId, ids);
  }

  private async findMany(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]> {
    return (await this.database.queryPrepared<CustomerRow>(FIND_BY_IDS, [storeId, ids])).map(toCustomerRecord);
  }
}

function toCustomerRecord(row: CustomerRow): CustomerRecord {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    status: row.status,
    emailVerified: row.email_verified,
    loyaltyPoints: row.loyalty_points,
    totalSpent: toSafeInteger(row.total_spent),
    tags: row.tags,
    city: row.city,
    createdAt: row.created_at,
    lastLogin: row.last_login,
  };
}
