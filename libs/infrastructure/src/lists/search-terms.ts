import type { Conditions } from './conditions.js';

/** Printable ASCII with one `@`. With fewer than three characters before it, too much of the index begins like them. */
const EMAIL_TERM = /^[ -?A-~]{3,}@[ -?A-~]*$/;
/** A receipt number, a SKU, or a part of one: it has a digit, unlike most names. */
const CODE = /^(?=.*\d)[A-Za-z0-9-]+$/;
/** The shortest text with a trigram. */
const TRIGRAM = 3;
/** Few rows have a part of a code that is at least so long. */
const RARE = 6;
/** In a store that numbers its orders with leading zeros, all numbers have their trigram: it is the slowest to look up. */
const LEADING_ZEROS = /^0+(?=0\d{3})/;
/** A part of a term from which `pg_trgm` makes a trigram: it pads a word that begins or ends inside the term. */
const WITH_TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u;
/** A word, or 8 characters of one, with the character before it. Without Σ: its neighbours decide its lower case. */
const WORD = /[^\p{L}\p{N}]?(?:(?!Σ)[\p{L}\p{N}]){1,8}/gu;
const MAX_WORDS = 8;
/** Up to this length, the index looks for the whole term. */
const SHORT = 32;

/** The e-mail of rows whose `search_text` begins with it. Both are code, never input. */
export interface SearchedEmail {
  readonly email: string;
  /**
   * `email_key` in SQL: the local part from its end, then the domain. An e-mail that contains a term with one `@` has a key
   * that begins with the term's reversed local part.
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
  /** Whether one plan serves all values. The best plan of another search depends on its text. */
  readonly onePlan: boolean;
  /** A further condition, which few rows of all stores meet. */
  readonly rare?: string;
  /** A query for the ids of the rows, instead. */
  readonly ids?: string;
}

/** Adds, or returns as `rare`, the condition that the `search_text` of an item contains the term, in any letter case. */
export function addSearch(where: Conditions, email: SearchedEmail, term: string): Search {
  const text = term.normalize();
  if (EMAIL_TERM.test(text)) return { onePlan: true, ...emailSearch(where, email, text) };
  const isRare = (longestSegment(text)?.length ?? 0) >= RARE;
  const found = containingTerm(where, text, isRare)('item.search_text');
  if (isRare) return { onePlan: true, rare: found };
  where.and(found);
  return { onePlan: false };
}

/**
 * Binds the term, and returns the condition that a column with composed text in lower case contains it. The trigrams of a
 * whole receipt number are mostly those of its date, those of a whole SKU mostly those of its series: many rows share them.
 * The index looks for the longest part between hyphens only.
 *
 * The index looks for a few words of a long term. Without a trigram the index is of no use, and neither is LIKE.
 *
 * @param isHidden whether the planner must not see the pattern: it would plan each search, which takes longer than to run it.
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
  // The subquery folds the term once, also in a plan for all terms.
  const folded = `(SELECT lower(${where.bind(text)}))`;
  const contains = (column: string) => `strpos(${column}, ${folded}) > 0`;
  if (pattern === null) return contains;
  const bound = bind(pattern);
  return (column) => `${column} LIKE ${bound} AND ${contains(column)}`;
}

/** What the index looks for: each text with the term matches it. `null` when the index is of no use. */
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
  // No LIKE for the term: the planner would turn to the trigrams.
  const contains = (column: string) => `strpos(${column}, ${text}) > 0`;
  const regular = `${email} <> '' AND ${isInRange(emailKey)}`;
  const rare = `item.store_id = (SELECT $1::int) AND (${regular} OR ${isOdd}) AND ${contains('item.search_text')}`;
  return idsWith ? { ids: idsWith(rare, (column, key) => `${isInRange(key)} AND ${contains(column)}`) } : { rare };
}

/** E-mails that `email_key` does not represent. Their index has this condition. */
export function isOddEmail(email: string): string {
  return `${email} ~ '[^!-~]|@.*@'`;
}

/** The last of the longest parts of a code; `null` when the term is no code, or no part has a trigram. */
function longestSegment(term: string): string | null {
  if (!CODE.test(term)) return null;
  const segment = term.split('-').reduce((longest, part) => (part.length < longest.length ? longest : part));
  return segment.length < TRIGRAM ? null : segment;
}

function containing(text: string): string {
  return `%${escaped(text)}%`;
}

/** The client's %, _ and \ are not wildcards. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
