import {
  CustomerRepository,
  type CustomerFilter,
  type CustomerRecord,
  type ListedCustomer,
  type Page,
  type PageOf,
} from '@app/application';
import { filledIn, readUuid, UnknownPriceListOfCustomer, type CustomerAccount } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { changedAt, updatedAt } from '../feed/updated-at.js';
import { anyOf, Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import { readByTime, type TimedList } from '../lists/by-time.js';
import type { LargePart } from '../lists/page-bytes.js';
import { matchesNothing, NO_ROWS } from '../lists/paging.js';
import { SharedReads } from '../lists/shared-reads.js';
import { addSearch, type Search, type SearchedEmail } from '../lists/search-terms.js';
import { hasEmail } from '../lists/customer-email.js';
import { isForeignKeyViolation } from '../postgres/postgres-errors.js';
import { toCustomerRecord, toListedCustomer, type CustomerRow, type ListedCustomerRow } from './customer.rows.js';

// These columns contain no secret: password hash, token and national id are in another table.
const COLUMNS = `item.name, item.email, item.phone, item.status, item.email_verified AS "emailVerified",
  item.loyalty_points AS "loyaltyPoints", item.total_spent AS "totalSpent", item.tags, item.city,
  item.company, item.vat_id AS "vatId", item.groups, item.price_list AS "priceList",
  item.payment_terms_days AS "paymentTermsDays", item.last_login AS "lastLogin"`;

const LARGE_PARTS = ['addresses', 'contacts', 'metadata'] as const;

const partOf = (name: (typeof LARGE_PARTS)[number]): LargePart => ({
  name,
  sql: `(SELECT ${name} FROM customers AS item WHERE item.store_id = $1 AND item.id = page.id)`,
});

const UPDATED_AT = `${updatedAt('customers', 'page.id', 'page."createdAt"')} AS "updatedAt"`;

const RECORD = `item.id, item.created_at AS "createdAt", ${COLUMNS}, ${LARGE_PARTS.map((name) => `item.${name}`).join(', ')}`;

const FIND_BY_IDS = `/* customers.find */
  SELECT ${RECORD} FROM customers AS item
  /* @protects store-of-customer */
  WHERE item.store_id = $1 AND ${anyOf('item.id', '$2::uuid[]')}`;

const LOCK = `/* customers.lock */
  SELECT ${RECORD} FROM customers AS item WHERE item.store_id = $1 AND item.id = $2 FOR NO KEY UPDATE`;

const CHANGE = `/* customers.change */
  UPDATE customers
  SET company = $3, vat_id = $4, groups = $5, price_list = $6, payment_terms_days = $7, addresses = $8, contacts = $9,
    metadata = $10
  WHERE store_id = $1 AND id = $2`;

export const SEARCHED_CUSTOMERS: SearchedEmail = {
  email: 'item.email',
  emailKey: 'email_key(item.email) COLLATE "C"',
  isOdd: 'item.has_odd_text',
  idsWith: (rare, isFound) => `SELECT id FROM customers AS item WHERE ${rare}
    UNION ALL
    SELECT customer_id FROM customer_contacts AS contact
    WHERE contact.store_id = (SELECT $1::int) AND ${isFound('contact.email', 'email_key(contact.email) COLLATE "C"')}`,
};

@Injectable()
export class PostgresCustomerRepository extends CustomerRepository {
  private readonly byId = new SharedReads<CustomerRecord>(
    (storeId, ids) => this.findByIds(storeId, ids),
    ({ id }) => id,
  );

  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: CustomerFilter, page: Page): Promise<PageOf<ListedCustomer>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { status, ids, email, group, priceList, vatId, search: term, include = [] } = filter;
    if ([email, group, priceList, vatId].includes('')) return NO_ROWS;
    const where = new Conditions('item.store_id = ?', storeId);
    if (status !== undefined) where.and('lower(item.status) = lower(?)', status);
    if (ids)
      where.and(
        anyOf('item.id', '?::uuid[]'),
        ids.flatMap((id) => readUuid(id) ?? []),
      );
    if (email !== undefined) where.and(hasEmail('item', '?'), email);
    if (priceList !== undefined) where.and('item.price_list = ?', priceList);
    if (vatId !== undefined) where.and(`lower(item.vat_id) = lower(?) AND item.vat_id <> ''`, vatId);
    const isOfFew = group !== undefined || priceList !== undefined || vatId !== undefined;
    const isLookUp = (ids !== undefined || email !== undefined) && term === undefined;
    const { ids: found, ...search }: Search =
      term === undefined ? { onePlan: isOfFew } : addSearch(where, SEARCHED_CUSTOMERS, term);
    const idQueries = [...(found ? [found] : []), ...(group !== undefined ? [inGroup(group, where)] : [])];

    const list: TimedList = {
      table: 'customers',
      columns: COLUMNS,
      ...(include.length > 0 && { onPage: `page.*, ${UPDATED_AT}` }),
      large: LARGE_PARTS.filter((name) => include.includes(name)).map(partOf),
      ...(idQueries.length > 0 && { ids: idQueries.map((query) => `(${query})`).join(' INTERSECT ') }),
      changedAt: changedAt('customers', 'item.id::text'),
      where,
      created: { from: filter.createdFrom, to: filter.createdTo },
      updated: { from: filter.updatedFrom, to: filter.updatedTo },
      tally:
        isLookUp || isOfFew || term !== undefined ? null : { list: 'customers', labels: [status], isLowerCase: true },
      ...search,
      isLookUp,
    };
    const { rows, total } = await readByTime<ListedCustomerRow>(this.database, list, page);
    return { rows: rows.map(toListedCustomer), total };
  }

  override change(
    storeId: number,
    id: string,
    change: (account: CustomerAccount) => CustomerAccount,
  ): Promise<CustomerRecord | null> {
    return this.database.transaction(storeId, async (sql) => {
      const [row] = await sql.query<CustomerRow>(LOCK, [storeId, id]);
      if (!row) return null;
      const customer = toCustomerRecord(row);
      const changed = change(customer);
      const columns = columnsOf(changed);
      if (isDeepStrictEqual(columns, columnsOf(customer))) return customer;
      await sql.query(CHANGE, [storeId, id, ...columns]).catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? new UnknownPriceListOfCustomer(changed.priceList ?? '') : error;
      });
      return { ...customer, ...changed };
    });
  }

  override findById(storeId: number, id: string): Promise<CustomerRecord | null> {
    return this.byId.find(storeId, id);
  }

  override async findByIds(storeId: number, ids: readonly string[]): Promise<CustomerRecord[]> {
    const rows = await this.database.queryPrepared<CustomerRow>(FIND_BY_IDS, [storeId, ids]);
    return rows.map(toCustomerRecord);
  }
}

function inGroup(group: string, where: Conditions): string {
  return `SELECT customer_id FROM customer_groups WHERE store_id = $1 AND name = ${where.bind(group)}`;
}

/** In the order of the parameters of {@link CHANGE}. */
function columnsOf(account: CustomerAccount): readonly unknown[] {
  const { company, vatId, groups, priceList, paymentTermsDays, metadata } = account;
  const [addresses, contacts] = [filledIn(account.addresses), filledIn(account.contacts)].map((parts) =>
    JSON.stringify(parts),
  );
  return [company, vatId, groups, priceList, paymentTermsDays, addresses, contacts, metadata];
}
