import type { Conditions } from './conditions.js';

/** Printable ASCII with one `@`. With fewer than three characters before it, too much of the index begins like them. */
const EMAIL_TERM = /^[ -?A-~]{3,}@[ -?A-~]*$/;
/** A receipt number, a SKU, or a part of one: it has a digit, unlike most names. */
const CODE = /^(?=.*\d)[A-Za-z0-9-]+$/;
/** The shortest text with a trigram. */
const TRIGRAM = 3;
/** From this length, few rows have a part of a code. */
const RARE = 6;
/** In a store that numbers its orders with leading zeros, all numbers have their trigram: it is the slowest to look up. */
const LEADING_ZEROS = /^0+(?=0\d{3})/;
/** A part of a term from which `pg_trgm` makes a trigram: it pads a word that begins or ends inside the term. */
const WITH_TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u;
/** A word, or 8 characters of one, with the character before it. Without Σ: its neighbours decide its lower case. */
const WORD = /[^\p{L}\p{N}]?(?:(?!Σ)[\p{L}\p{N}]){1,8}/gu;
const MOST_WORDS = 8;
/** Up to this length, the index looks for the whole term. */
const SHORT = 32;

/** Two columns that are searched together. Both are code, never input. */
export interface SearchedColumns {
  readonly email: string;
  /**
   * `email_key` in SQL: the local part from its end, then the domain. An e-mail that contains a term with one `@` has a key
   * that begins with the term's reversed local part.
   */
  readonly emailKey: string;
  readonly other: string;
  readonly otherHasAt: boolean;
}

export interface Search {
  /** Whether one plan serves all values. The best plan of another search depends on its text. */
  readonly onePlan: boolean;
  /** One more condition, which few rows of all stores meet. */
  readonly rare?: string;
}

/** Adds, or returns as `rare`, the condition that one of the columns contains the term, in any letter case. */
export function addSearch(where: Conditions, columns: SearchedColumns, term: string): Search {
  const { email, other } = columns;
  if (EMAIL_TERM.test(term)) return { onePlan: true, rare: emailSearch(where, columns, term) };
  const isRare = (longestSegment(term)?.length ?? 0) >= RARE;
  const contains = containingTerm(where, term, isRare);
  const found = `(${contains(other)} OR ${contains(email)})`;
  if (isRare) return { onePlan: true, rare: found };
  where.and(found);
  return { onePlan: false };
}

/**
 * Binds the term, and returns the condition that a column contains it, in any letter case. The trigrams of a whole receipt
 * number are mostly those of its date, those of a whole SKU mostly those of its series: many rows share them. The index
 * looks for the longest part between hyphens only.
 *
 * ILIKE folds its pattern again for each row, which takes longer than all else for a long one: the index looks for a few
 * words of a long term. Without a trigram the index is of no use, and neither is ILIKE.
 *
 * @param isHidden whether the planner must not see the pattern: it would plan each search, which takes longer than to run it.
 */
export function containingTerm(where: Conditions, term: string, isHidden = false): (column: string) => string {
  const pattern = patternOf(longestSegment(term)?.replace(LEADING_ZEROS, '') ?? term);
  const bind = (value: string) => (isHidden ? `(SELECT ${where.bind(value)}::text)` : where.bind(value));
  if (pattern === containing(term)) {
    const bound = bind(pattern);
    return (column) => `${column} ILIKE ${bound}`;
  }
  // The subquery folds the term once, also in a plan for all terms.
  const folded = `(SELECT lower(${where.bind(term)}))`;
  const contains = (column: string) => `strpos(lower(${column}), ${folded}) > 0`;
  if (pattern === null) return contains;
  const bound = bind(pattern);
  return (column) => `${column} ILIKE ${bound} AND ${contains(column)}`;
}

/** What the index looks for: each text with the term matches it. `null` when the index is of no use. */
function patternOf(term: string): string | null {
  if (!WITH_TRIGRAM.test(term)) return null;
  if (term.length <= SHORT) return containing(term);
  const words = new Set(term.match(WORD));
  return `%${[...words].slice(0, MOST_WORDS).map(escaped).join('%')}%`;
}

function emailSearch(where: Conditions, columns: SearchedColumns, term: string): string {
  const { email, emailKey: key, other, otherHasAt } = columns;
  const hidden = (value: string) => `(SELECT ${where.bind(value)}::text)`;
  const start = [...term.slice(0, term.indexOf('@')).toLowerCase()].reverse().join('');
  const end = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  const folded = hidden(term.toLowerCase());
  // No ILIKE: for it, the planner turns to the trigrams.
  const contains = (text: string) => `strpos(lower(${text}), ${folded}) > 0`;
  const between = `${key} >= ${hidden(start)} AND ${key} < ${hidden(end)}`;
  const found = `${email} <> '' AND ${between} AND ${contains(`${email} COLLATE "C"`)}`;
  const odd = otherHasAt
    ? `(${other} LIKE '%@%' OR ${isOddEmail(email)}) AND (${contains(other)} OR ${contains(email)})`
    : `${isOddEmail(email)} AND ${contains(email)}`;
  return `item.store_id = (SELECT $1::int) AND (${found} OR ${odd})`;
}

/**
 * E-mails that their key does not represent. They have an index. From the statistics, the planner can estimate for a regular
 * expression how few they are.
 */
export function isOddEmail(email: string): string {
  return `${email} ~ '[^ -~]|@.*@'`;
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
