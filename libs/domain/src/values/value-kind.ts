import { isText } from './text.js';

/** Reads a text in the same way for bodies, query parameters, bundles, options and variables. */
export interface ValueReader<T> {
  /** What a message says of a refused text, after the name of the field, parameter, option or variable. */
  readonly rule: string;
  /** Returns the value in the form in which it is stored or compared; null for a text that is refused. */
  readonly read: (text: string) => T | null;
}

/** Values that are texts on the wire, as schemas publish them. */
export interface ValueKind<T = string> extends ValueReader<T> {
  /** The limit in code points. */
  readonly maxLength: number;
  /** The part of the rule that every dialect of regular expressions supports. */
  readonly pattern: string;
}

/** @param read gets only texts of the pattern, within the length, that the database can store. */
export function kindOf<T>(
  maxLength: number,
  pattern: RegExp,
  rule: string,
  read: (text: string) => T | null,
): ValueKind<T> {
  const readForm = (text: string) => (isText(text, maxLength) && pattern.test(text) ? read(text) : null);
  return { maxLength, pattern: pattern.source, rule, read: readForm };
}

/** A value that may be absent: the empty text stands for none. */
export function orEmpty<T>({ pattern, rule, read, ...limits }: ValueKind<T>): ValueKind<T | ''> {
  return {
    ...limits,
    pattern: `^$|${pattern}`,
    rule: `${rule}, or empty`,
    read: (text) => (text === '' ? '' : read(text)),
  };
}

/** The greatest value of a PostgreSQL integer: ids and quantities are 32-bit. */
export const MAX_INT4 = 2_147_483_647;

/** Reads a decimal integer within the range, which `Number` must represent exactly. */
export function integerFrom(min: number, max: number): ValueReader<number> {
  const read = (text: string) => {
    // Zero has no sign.
    const value = /^[+-]?\d+$/.test(text) ? Number(text) + 0 : NaN;
    return value >= min && value <= max ? value : null;
  };
  return { rule: `must be an integer from ${min} to ${max}`, read };
}

/** Reads a word of a list, in any letter case. */
export function wordOf<Word extends string>(words: readonly Word[]): ValueReader<Word> {
  // Comparing the lengths rules out ligatures: `'ﬀ'.toUpperCase()` is `'FF'`.
  const isWord = (word: Word, text: string) => word.length === text.length && word.toUpperCase() === text.toUpperCase();
  return {
    rule: `must be one of ${words.join(', ')}`,
    read: (text) => words.find((word) => isWord(word, text)) ?? null,
  };
}
