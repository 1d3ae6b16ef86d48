import { containing, type Conditions } from './conditions.js';

/** Printable ASCII with one `@`. With fewer than three characters before it, too much of the index begins like them. */
const EMAIL_TERM = /^[ -?A-~]{3,}@[ -?A-~]*$/;
/** A receipt number or a part of one: it has a digit, unlike most names. */
const RECEIPT_TERM = /^(?=.*\d)[A-Za-z0-9-]+$/;
/** The shortest text with a trigram of its own. */
const TRIGRAM = 3;

/** Two columns that are searched together. Both are code, never input. */
export interface SearchedColumns {
  readonly email: string;
  readonly other: string;
  /** Whether values of the other column may contain `@`. */
  readonly otherHasAt: boolean;
}

/**
 * Adds the condition that one of the columns contains the term, in any letter case.
 *
 * @returns whether one plan serves all terms of this form. The best plan of another term depends on its text.
 */
export function addSearch(where: Conditions, columns: SearchedColumns, term: string): boolean {
  const { email, other } = columns;
  const pattern = containing(term);
  if (EMAIL_TERM.test(term)) {
    addEmailSearch(where, columns, term);
    return true;
  }
  const segment = RECEIPT_TERM.test(term) ? longestSegment(term) : '';
  if (segment.length < TRIGRAM) {
    where.and(`(${other} ILIKE ? OR ${email} ILIKE ?)`, pattern, pattern);
    return false;
  }
  // The trigrams of a whole receipt number are mostly those of its date, which many orders share.
  const part = containing(segment);
  const contains = (column: string) => `${column} ILIKE ? AND strpos(lower(${column}), lower(?)) > 0`;
  where.and(`(${contains(other)} OR ${contains(email)})`, part, term, part, term);
  return true;
}

function addEmailSearch(where: Conditions, { email, other, otherHasAt }: SearchedColumns, term: string): void {
  const start = reversed(term.slice(0, term.indexOf('@')).toLowerCase());
  const end = start.slice(0, -1) + String.fromCharCode(start.charCodeAt(start.length - 1) + 1);
  const key = emailKey(email);
  // No ILIKE: for it, the planner turns to the trigrams.
  const contains = (text: string) => `strpos(lower(${text}), ?) > 0`;
  const found = `${email} <> '' AND ${key} >= ? AND ${key} < ? AND ${contains(`${email} COLLATE "C"`)}`;
  const folded = term.toLowerCase();
  if (otherHasAt) {
    const odd = `(${other} LIKE '%@%' OR ${isOddEmail(email)}) AND (${contains(other)} OR ${contains(email)})`;
    where.and(`(${found} OR ${odd})`, start, end, folded, folded, folded);
  } else where.and(`(${found} OR ${isOddEmail(email)} AND ${contains(email)})`, start, end, folded, folded);
}

/**
 * The text by which e-mails are indexed: the local part from its end, then the domain. An e-mail that contains a term
 * with one `@` has a local part that ends like the term's, and so a key that begins with the term's reversed local part.
 * The indexes `orders_by_email` and `customers_by_email_key` repeat the expression.
 */
export function emailKey(email: string): string {
  const folded = `lower(${email} COLLATE "C")`;
  return `(reverse(split_part(${folded}, '@', 1)) || '@' || split_part(${folded}, '@', 2))`;
}

/**
 * E-mails that their key does not represent: those with several `@`, or beyond ASCII. They are few and have an index of
 * their own. A regular expression, because the planner can estimate from its statistics how few they are.
 */
function isOddEmail(email: string): string {
  return `${email} ~ '[^ -~]|@.*@'`;
}

function reversed(ascii: string): string {
  return [...ascii].reverse().join('');
}

/** The last of the longest. */
function longestSegment(term: string): string {
  return term.split('-').reduce((longest, segment) => (segment.length < longest.length ? longest : segment));
}
