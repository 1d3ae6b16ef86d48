/** The white space that `trim()` of JavaScript removes. */
const BLANKS = String.raw`E'\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'`;

/** SQL that trims a text as JavaScript does. */
export function trimmed(column: string): string {
  return `btrim(${column}, ${BLANKS})`;
}
