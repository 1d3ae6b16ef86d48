import type { Conditions } from './conditions.js';

/**
 * Matches printable ASCII with one `@`. When fewer than three characters precede it, too many index entries begin with
 * them.
 */
const EMAIL_TERM = /^[ -?A-~]{3,}@[ -?A-~]*$/;
/** Matches a receipt number, a SKU, or a part of one: it has a digit, unlike most names. */
const CODE = /^(?=.*\d)[A-Za-z0-9-]+$/;
/** The shortest text that has a trigram. */
const TRIGRAM = 3;
/** Few rows contain a given part of a code of at least this length. */
const RARE = 6;
/**
 * Matches leading zeros but the last: in a store that numbers its orders with them, all numbers share their trigram,
 * which is the slowest to look up.
 */
const LEADING_ZEROS = /^0+(?=0\d{3})/;
/** Matches a part of a term that `pg_trgm` makes a trigram of: it pads a word that begins or ends inside the term. */
const WITH_TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u;
/**
 * Matches a word, or 8 characters of one, with the character before it. Σ is excluded, because its lower case depends
 * on its neighbours.
 */
const WORD = /[^\p{L}\p{N}]?(?:(?!Σ)[\p{L}\p{N}]){1,8}/gu;
const MAX_WORDS = 8;
/** The index looks for the whole term up to this length. */
const SHORT = 32;

/** The e-mail of rows whose `search_text` begins with it. Both are code, never input. */
export interface SearchedEmail {
  readonly email: string;
  /**
   * The `email_key` in SQL: the reversed local part, then the domain. When an e-mail contains a term with one `@`, its
   * key begins with the term's reversed local part.
   */
  readonly emailKey: string;
  /**
   * What the key does not represent: unusual e-mails, and texts with an @ behind the e-mail. They have an index. From the
   * statistics, the planner can estimate how few they are.
   */
  readonly isOdd: string;
  /**
   * Makes a query for the ids of the rows, where another table has further e-mails of the search text.
   *
   * @param rare the condition of the rows without these. @param isFound makes that of a column with e-mails in lower case, and
   *   their key.
   */
  readonly idsWith?: (rare: string, isFound: (email: string, emailKey: string) => string) => string;
}

export interface Search {
  /** Whether a generic plan is good for all values. The best plan of other searches depends on their text. */
  readonly onePlan: boolean;
  /** An additional condition, on the store, too, that few rows meet. */
  readonly rare?: string;
  /** A query for the ids of the rows, instead. */
  readonly ids?: string;
}

/**
 * Adds the condition that the `search_text` of an item contains the term, in any letter case, or returns it as `rare`.
 */
export function addSearch(where: Conditions, email: SearchedEmail, term: string): Search {
  const text = term.normalize();
  if (EMAIL_TERM.test(text) || (longestSegment(text)?.length ?? 0) >= RARE) {
    return { onePlan: true, ...searchByIndex(where, text, email) };
  }
  where.and(containingTerm(where, text)('item.search_text'));
  return { onePlan: false };
}

/** Returns the search that one plan runs by the index of the term, however many rows match. */
export function searchByIndex(where: Conditions, term: string, email?: SearchedEmail): Pick<Search, 'rare' | 'ids'> {
  const text = term.normalize();
  if (email && EMAIL_TERM.test(text)) return emailSearch(where, email, text);
  const found = containingTerm(where, text, true)('item.search_text');
  return { rare: `item.store_id = (SELECT $1::int) AND ${found}` };
}

/** Whether the index of trigrams leads to few rows, unless many have the term: single letters lead to most of them. */
export function isIndexed(term: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(term.normalize());
}

/**
 * Binds the term, and returns the condition that a column with composed text in lower case contains it. The trigrams of
 * a whole receipt number are mostly those of its date, and those of a whole SKU mostly those of its series: many rows
 * share them. The index therefore looks only for the longest part between hyphens.
 * For a long term, the index looks for a few of its words. Without a trigram, neither the index nor LIKE is of use.
 * @param isHidden whether to hide the pattern from the planner: it would plan each search, which takes longer than to
 * run it.
 */
export function containingTerm(where: Conditions, term: string, isHidden = false): (column: string) => string {
  const text = term.normalize();
  const pattern = patternOf(longestSegment(text)?.replace(LEADING_ZEROS, '') ?? text);
  const bind = (value: string) =>
    isHidden ? `(SELECT lower(${where.bind(value)}::text))` : `lower(${where.bind(value)})`;
  if (pattern === containing(text)) {
    const bound = bind(pattern);
    return (column) => `${column} LIKE ${bound}`;
  }
  // The subquery folds the term once, even in a generic plan.
  const folded = `(SELECT lower(${where.bind(text)}))`;
  const contains = (column: string) => `strpos(${column}, ${folded}) > 0`;
  if (pattern === null) return contains;
  const bound = bind(pattern);
  return (column) => `${column} LIKE ${bound} AND ${contains(column)}`;
}

/**
 * Returns the pattern for the index, which each text with the term matches. Returns `null` when the index is of no use.
 */
function patternOf(term: string): string | null {
  if (!WITH_TRIGRAM.test(term)) return null;
  if (term.length <= SHORT) return containing(term);
  const words = new Set(term.match(WORD));
  return `%${[...words].slice(0, MAX_WORDS).map(escaped).join('%')}%`;
}

function emailSearch(where: Conditions, searched: SearchedEmail, term: string): Pick<Search, 'rare' | 'ids'> {
  const { email, emailKey, isOdd, idsWith } = searched;
  const hidden = (value: string) => `(SELECT ${where.bind(value)}::text)`;
  const start = [...term.slice(0, term.indexOf('@')).toLowerCase()].reverse().join('');
  const end = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  const [first, after, text] = [start, end, term.toLowerCase()].map(hidden);
  const isInRange = (key: string) => `${key} >= ${first} AND ${key} < ${after}`;
  // LIKE is avoided for the term: the planner would choose the trigrams.
  const contains = (column: string) => `strpos(${column}, ${text}) > 0`;
  const regular = `${email} <> '' AND ${isInRange(emailKey)}`;
  const rare = `item.store_id = (SELECT $1::int) AND (${regular} OR ${isOdd}) AND ${contains('item.search_text')}`;
  return idsWith ? { ids: idsWith(rare, (column, key) => `${isInRange(key)} AND ${contains(column)}`) } : { rare };
}

/** Matches e-mails that `email_key` does not represent. Their index has this condition. */
export function isOddEmail(email: string): string {
  return `${email} ~ '[^!-~]|@.*@'`;
}

/** Returns the last of the longest parts of a code; `null` when the term is not a code, or no part has a trigram. */
function longestSegment(term: string): string | null {
  if (!CODE.test(term)) return null;
  const segment = term.split('-').reduce((longest, part) => (part.length < longest.length ? longest : part));
  return segment.length < TRIGRAM ? null : segment;
}

function containing(text: string): string {
  return `%${escaped(text)}%`;
}

/** Escapes %, _ and \ from the client, which are not wildcards. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
