import { SEARCHED_KINDS, StoreSearch, type SearchResult, type StoreSearchFilter } from '@app/application';
import { Injectable } from '@nestjs/common';
import { SEARCHED_CUSTOMERS } from './postgres-customer.repository.js';
import { searchedRows } from '../lists/by-time.js';
import { Conditions } from '../lists/conditions.js';
import { hasEmail } from '../lists/customer-email.js';
import { matchesNothing } from '../lists/paging.js';
import { isIndexed, searchByIndex, type SearchedEmail } from '../lists/search-terms.js';
import { SEARCHED_ORDERS } from '../orders/postgres-order.repository.js';
import { Database } from '../postgres/database.js';

const OF_EACH_KIND = 5;
/** The first rows of the list, which are all compared with the term. */
const COMPARED = 1_000;
/** The maximum number of rows that are read for a term by its index, and by one key. */
const INDEXED = 1_000;
const OF_KEY = 50;
/** The shortest text that is searched inside fields. */
const PART = 3;
/** With fewer digits, a phone number is that of many customers. */
const FEWEST_DIGITS = 5;
/** The last digits of a phone number that are compared: prefixes of countries are written in several ways. */
const LAST_DIGITS = 8;
const PHONE = /^[\d\s+()./-]+$/;

/** How closely a row matches: a field is the term, begins with it, or contains it. */
const [WHOLE, START, INSIDE] = [0, 1, 2];

const IS_TEST = 'item.is_test';
const IS_LIVE = 'NOT item.is_test';

type Kind = SearchResult['kind'];

interface SearchedKind {
  readonly table: string;
  /** The columns of the primary key after the store. */
  readonly key: readonly string[];
  /** The sequence of the list. An index has it. */
  readonly sequence: string;
  /** The condition of the rows that the list shows. */
  readonly isListed: string;
  readonly email?: SearchedEmail;
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

const BY_TIME = 'item.created_at DESC, item.id DESC';

const KINDS: Readonly<Record<Kind, SearchedKind>> = {
  order: {
    table: 'orders',
    key: ['id'],
    sequence: BY_TIME,
    isListed: 'true',
    email: SEARCHED_ORDERS,
    id: 'item.id::text',
    title: 'item.receipt_number',
    detail: `concat_ws(', ', nullif(item.customer_name, ''), to_char(item.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'))`,
  },
  customer: {
    table: 'customers',
    key: ['id'],
    sequence: BY_TIME,
    isListed: 'true',
    email: SEARCHED_CUSTOMERS,
    id: 'item.id::text',
    title: `coalesce(nullif(item.name, ''), nullif(item.company, ''), item.email)`,
    detail: `concat_ws(', ', nullif(item.company, ''), nullif(item.email, ''))`,
  },
  product: {
    table: 'products',
    key: ['id'],
    sequence: BY_TIME,
    isListed: `item.status = 'ACTIVE'`,
    id: 'item.id::text',
    title: 'item.name',
    detail: 'item.sku',
  },
  sku: {
    table: 'sellable_units',
    key: ['product_id', 'variant_key'],
    sequence: 'item.sku COLLATE "C", item.product_id, item.variant_key',
    isListed: `item.sku COLLATE "C" > ''`,
    id: `item.product_id || coalesce('-' || nullif(item.variant_key, 0), '')`,
    title: 'item.sku',
    detail: '(SELECT name FROM products WHERE store_id = $1 AND id = item.product_id)',
  },
};

/**
 * Selects at most {@link OF_EACH_KIND} rows of each kind, in one statement. One plan serves all terms of a form: what it reads is
 * limited, whatever the planner expects. A term that several of the newest rows have is common, and these are then
 * enough. The index finds the rows of the others.
 */
@Injectable()
export class PostgresStoreSearch extends StoreSearch {
  constructor(private readonly database: Database) {
    super();
  }

  override async find(storeId: number, term: string, filter: StoreSearchFilter): Promise<SearchResult[]> {
    if (matchesNothing({ term })) return [];
    const where = new Conditions('item.store_id = ?', storeId);
    const text = where.bind(term);
    const isOfMode = filter.isTest === undefined ? 'true' : filter.isTest ? IS_TEST : IS_LIVE;
    const parts = SEARCHED_KINDS.map((kind, index) => {
      const searched = { ...KINDS[kind], ...(kind === 'order' && { isListed: isOfMode }) };
      return { with: found(kind, searched, where, term, text), select: selected(kind, searched, index) };
    });
    return this.database.search<SearchResult>(
      `/* stores.search */
  WITH asked AS MATERIALIZED (
    SELECT lower(${text}::text) AS term, chr(9001) || lower(${text}) AS start, chr(9001) || lower(${text}) || chr(9001) AS whole
  ), ${parts.map((part) => part.with).join(', ')}
  SELECT kind, id, title, detail FROM (${parts.map(({ select }) => `(${select})`).join(' UNION ALL ')}) AS result
  ORDER BY closeness, kind_number, place`,
      where.values,
      { onePlan: true },
    );
  }
}

const asked = (column: string) => `(SELECT ${column} FROM asked)`;

/** SQL for how closely the texts of a row match. */
const CLOSENESS = `CASE WHEN strpos(chr(9001) || item.search_text || chr(9001), ${asked('whole')}) > 0 THEN ${WHOLE}
      WHEN strpos(chr(9001) || item.search_text, ${asked('start')}) > 0 THEN ${START} ELSE ${INSIDE} END`;

/** SQL that defines `found_<kind>`: keys of rows, with their closeness. */
function found(kind: Kind, searched: SearchedKind, where: Conditions, term: string, text: string): string {
  const { table, key, sequence, isListed } = searched;
  const columns = key.map((name) => `item.${name}`).join(', ');
  const hasPart = [...term].length >= PART;
  const atMost = hasPart ? INSIDE : START;
  // Arbitrarily many test orders may lie between two live orders in the index.
  const isInSequence = isListed === IS_LIVE ? 'true' : isListed;
  const byIndex = hasPart && isIndexed(term) ? searchByIndex(where, term, searched.email) : null;
  const common = `compared_${kind} AS MATERIALIZED (
    SELECT ${key.join(', ')}, closeness FROM (
      SELECT ${columns}, ${CLOSENESS} AS closeness
      FROM (
        SELECT * FROM ${table} AS item WHERE item.store_id = $1 AND ${isInSequence} ORDER BY ${sequence} LIMIT ${COMPARED}
      ) AS item
      WHERE ${isListed} AND strpos(item.search_text, ${asked('term')}) > 0
    ) AS item WHERE closeness <= ${atMost}
  )`;
  const rare = byIndex
    ? `, indexed_${kind} AS MATERIALIZED (
    SELECT ${columns}, ${CLOSENESS} AS closeness FROM ${searchedRows({ table, ...byIndex })} AS item WHERE item.store_id = $1 AND ${isListed}
  )`
    : '';
  const isRare = `(SELECT count(*) < ${OF_EACH_KIND} FROM compared_${kind})`;
  const ways = [
    `SELECT * FROM compared_${kind}`,
    ...(byIndex ? [`(SELECT * FROM indexed_${kind} WHERE ${isRare} LIMIT ${INDEXED})`] : []),
    ...keysOf(kind, where, term, text),
  ];
  return `${common}${rare}, found_${kind} AS MATERIALIZED (
    SELECT ${key.join(', ')}, min(closeness) AS closeness FROM (
      ${ways.join(`
      UNION ALL `)}
    ) AS way GROUP BY ${key.join(', ')}
  )`;
}

/** SQL for the rows that have the term as a key. */
function keysOf(kind: Kind, where: Conditions, term: string, text: string): string[] {
  const exactly = (rows: string) => `(SELECT id, ${WHOLE} FROM ${rows} LIMIT ${OF_KEY})`;
  switch (kind) {
    case 'order':
      return [
        exactly(`orders WHERE store_id = $1 AND upper(receipt_number) = upper(${text})`),
        exactly(`orders WHERE store_id = $1 AND external_reference = ${text}`),
        exactly(`orders WHERE store_id = $1 AND email_key = email_key(${text}) AND customer_email <> ''
          AND lower(customer_email) = ${asked('term')} ORDER BY created_at DESC`),
        ...phonesOfOrders(where, term, text),
      ];
    case 'customer':
      return [
        exactly(`customers AS item WHERE item.store_id = $1 AND ${hasEmail('item', text)}`),
        ...phonesOfCustomers(where, term),
      ];
    case 'product':
      return [
        exactly(`products WHERE store_id = $1 AND upper(sku) = upper(${text}) AND sku <> ''`),
        `(SELECT product_id, ${WHOLE} FROM product_variants
        WHERE store_id = $1 AND upper(sku) = upper(${text}) AND sku <> '' LIMIT ${OF_KEY})`,
      ];
    case 'sku':
      return [
        `(SELECT product_id, variant_key, ${WHOLE} FROM sellable_units
        WHERE store_id = $1 AND upper(sku) = upper(${text}) LIMIT ${OF_KEY})`,
        ...['', 'upper', 'lower'].map((spelled) => {
          const start = `${spelled}(${text}::text) COLLATE "C"`;
          return `(SELECT product_id, variant_key, ${START} FROM sellable_units
        WHERE store_id = $1 AND sku COLLATE "C" >= ${start} AND sku COLLATE "C" < ${start} || chr(1114111)
        ORDER BY sku COLLATE "C", product_id, variant_key LIMIT ${OF_EACH_KIND})`;
        }),
      ];
  }
}

/** Returns the last digits of a phone number; `null` for another text. */
function lastDigits(term: string): string | null {
  const digits = PHONE.test(term) ? term.replace(/\D/g, '').replace(/^0+/, '') : '';
  return digits.length < FEWEST_DIGITS ? null : digits.slice(-LAST_DIGITS);
}

function phonesOfOrders(where: Conditions, term: string, text: string): string[] {
  const digits = lastDigits(term);
  if (digits === null) return [];
  const start = where.bind([...digits].reverse().join(''));
  return ['WEBSITE', 'POS'].map(
    (source) => `(SELECT id, CASE WHEN phone_key = phone_key(${text}) THEN ${WHOLE} ELSE ${START} END FROM orders
        WHERE store_id = $1 AND source = '${source}' AND phone_key IS NOT NULL
          AND phone_key >= ${start} AND phone_key < ${start} || ':'
        ORDER BY phone_key DESC, created_at DESC LIMIT ${OF_KEY})`,
  );
}

function phonesOfCustomers(where: Conditions, term: string): string[] {
  const digits = lastDigits(term);
  if (digits === null) return [];
  const whole = `chr(9001) || ${where.bind(term.replace(/\D/g, ''))} || chr(9001)`;
  return [
    `(SELECT id, CASE WHEN strpos(search_text || chr(9001), ${whole}) > 0 THEN ${WHOLE} ELSE ${START} END
        FROM ${searchedRows({ table: 'customers', ...searchByIndex(where, digits) })} AS item WHERE item.store_id = $1 LIMIT ${OF_KEY})`,
  ];
}

/** Looks up each row that was found by its key: a join could read all of the table. */
function selected(kind: Kind, { table, key, sequence, isListed, id, title, detail }: SearchedKind, index: number) {
  const isFound = key.map((name) => `item.${name} = found.${name}`).join(' AND ');
  return `SELECT '${kind}' AS kind, ${index} AS kind_number, ${id} AS id, ${title} AS title, ${detail} AS detail, closeness,
      row_number() OVER (ORDER BY closeness, ${sequence}) AS place
    FROM found_${kind} AS found CROSS JOIN LATERAL (
      SELECT * FROM ${table} AS item WHERE item.store_id = $1 AND ${isFound} OFFSET 0
    ) AS item
    WHERE ${isListed} ORDER BY place LIMIT ${OF_EACH_KIND}`;
}
