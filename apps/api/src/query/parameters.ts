import { MAX_LIMIT, NEWEST_FIRST, parseId, type Sort } from '@app/application';
import { FLAG, integerFrom, MAX_INT4, VALUES, wordOf, type Metadata, type ValueReader } from '@app/domain';
import type { SchemaObject } from '@app/representations';
import { invalidField } from '../errors/invalid-fields.js';

export const DEFAULT_LIMIT = 50;
const CUSTOMER_ID = 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7';
/** Limits pages so that the offset of the last row is a 32-bit integer with any limit. */
const MAX_PAGE = Math.floor(MAX_INT4 / MAX_LIMIT);
const MAX_SEARCH_LENGTH = 200;
const MAX_VALUES = 100;
/** The maximum number of values of one filter, such as statuses. */
const MAX_WORDS = 20;
/** The maximum number of parts of one filter, including blank ones: trimming thousands takes milliseconds. */
const MAX_PARTS = 2 * MAX_VALUES;
/** Ids start at 1, so a filter with this id matches no row. */
const NO_ID = 0;

/** How the rows of a list are written. */
const FORMATS = ['json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The parameters of a URL as parsed by Fastify: a repeated one is an array. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The document, the reader and the known names of a route derive from it. An unreadable value becomes the default, or a
 * filter that matches no row, unless the parameter has a refusal.
 */
export interface Parameter<T = unknown> {
  readonly name: string;
  readonly description: string;
  readonly schema: SchemaObject & { readonly examples: (string | number | boolean | string[] | object)[] };
  /** The message of the 400; when absent, no value is refused. */
  readonly refusal?: string;
  /** The values that rows can have. In strict handling, any other value is a 400. */
  readonly words?: readonly string[];
  /** The only format of the answer in which the parameter has an effect. In the other, it counts as unknown. */
  readonly format?: Format;
  /** Whether the URL has a key in brackets after the name, as in `metadata[erp_id]`. */
  readonly isKeyed?: true;
  /**
   * @param sent the values in the sequence of the URL; empty when not given. @param query the whole query, for keyed
   * parameters.
   */
  readonly read: (sent: readonly string[], query?: RawQuery) => T;
}

/** Whether a name in a URL belongs to this parameter. */
export function isNameOf({ name, isKeyed }: Parameter, sent: string): boolean {
  return sent === name || (isKeyed === true && sent.startsWith(`${name}[`) && sent.endsWith(']'));
}

/** Returns the last value, trimmed. A blank value counts as absent. */
export function lastOf(sent: readonly string[]): string | undefined {
  return sent.at(-1)?.trim() || undefined;
}

type Filter<T> = Parameter<T | undefined>;

/** Returns the last value, even a blank one: a client that sends an empty filter must not read all rows. */
function filterOf(sent: readonly string[]): string | undefined {
  return sent.at(-1)?.trim();
}

/** Matches in any letter case. A word that no row can have is ignored. */
export const oneOfFilter = (
  name: string,
  what: string,
  words: readonly string[],
  example: string,
): Filter<readonly string[]> => {
  const refusal = `${name} must have at most ${MAX_WORDS} values`;
  const read = readWords(refusal, MAX_WORDS);
  return {
    name,
    description:
      `Only those with this ${what}, or with one of several: up to ${MAX_WORDS}, separated by commas, or the parameter repeated. ` +
      'Letter case does not matter; a value that matches no row, such as an empty one, matches none. More values are ' +
      'rejected with 400, and with `Prefer: handling=strict` a word that does not exist, too.',
    schema: { type: 'array', items: { type: 'string', enum: [...words] }, examples: [[example]] },
    refusal,
    words,
    read: (sent) => {
      const given = read(sent)?.map((word) => word.toUpperCase());
      return given && words.filter((word) => given.includes(word));
    },
  };
};

export const wordFilter = (
  name: string,
  what: string,
  words: readonly string[] | null,
  example: string,
): Filter<string> => ({
  name,
  description:
    `Only those with this ${what}. Letter case does not matter; ` +
    'a value that matches no row, such as an empty one, returns an empty list, never an error.',
  schema: { type: 'string', ...(words ? { enum: [...words] } : {}), examples: [example] },
  read: filterOf,
});

/**
 * Reads words that are separated by commas, repeated, or both. A parameter with only blank words is an empty list,
 * because the client's own list was empty.
 */
export const readWords =
  (refusal: string, most = MAX_VALUES) =>
  (sent: readonly string[]): readonly string[] | undefined => {
    if (sent.length === 0) return undefined;
    const parts: string[] = [];
    for (const value of sent) {
      parts.push(...value.split(',', MAX_PARTS + 1));
      if (parts.length > MAX_PARTS) throw invalidField(refusal);
    }
    const words = parts.map((value) => value.trim()).filter((value) => value !== '');
    if (words.length > most) throw invalidField(refusal);
    return words;
  };

export const refusalOfWords = (name: string): string => `${name} must have at most ${MAX_VALUES} values`;

/** @param letterCase whether letter case matters. */
export const wordsFilter = (
  name: string,
  what: string,
  example: string,
  letterCase = 'Letter case does not matter.',
): Filter<readonly string[]> => {
  const refusal = refusalOfWords(name);
  return {
    name,
    description:
      `Only those with ${what}: up to ${MAX_VALUES}, separated by commas, or the parameter repeated. ${letterCase} ` +
      'A value that matches no row is missing in the answer, and an empty list matches none. More values are rejected with 400.',
    schema: { type: 'string', examples: [example] },
    refusal,
    read: readWords(refusal),
  };
};

export const SKUS = wordsFilter(
  'sku',
  'one of these SKUs',
  'R-1-42,R-1-43',
  'Letter case matters only where one is spelled exactly like the value.',
);

export const exactFilter = (name: string, what: string, example: string): Filter<string> => ({
  name,
  description:
    `Only those with exactly this text as ${what}. A value that no row has, such as an empty one, returns an empty list, ` +
    'never an error.',
  schema: { type: 'string', examples: [example] },
  read: filterOf,
});

/** Not a condition. */
export const customerParameter = (): Filter<string> => ({
  name: 'customer_id',
  description:
    'The prices are those of this customer, by its price lists, for one unit. `price_source` names the list then. ' +
    'For an unknown customer a list is empty, and a single resource is not found.',
  schema: { type: 'string', examples: [CUSTOMER_ID] },
  read: filterOf,
});

/** Keeps the text untrimmed: metadata is stored as sent. */
export const metadataFilter = (): Filter<Metadata> => {
  const name = 'metadata';
  const refusal = 'metadata must name one key and its text, as in metadata[erp_id]=4711';
  const filter: Filter<Metadata> = {
    name,
    description:
      'Only those that have exactly this text under this key of their metadata, as in `metadata[erp_id]=4711`. Letter case ' +
      'matters. A text that no row has returns an empty list; no key, or several, return 400.',
    schema: { type: 'object', additionalProperties: { type: 'string' }, examples: [{ erp_id: '4711' }] },
    isKeyed: true,
    refusal,
    read: (_sent, query = {}) => {
      const [sent, ...others] = Object.keys(query).filter((each) => isNameOf(filter, each));
      if (sent === undefined) return undefined;
      const key = sent.slice(name.length + 1, -1);
      if (key === '' || others.length > 0) throw invalidField(refusal);
      return { [key]: [query[sent] ?? []].flat().at(-1) ?? '' };
    },
  };
  return filter;
};

export const idFilter = (name: string, what: string): Filter<number> => ({
  name,
  description: `${what} A value that is no id of the store, such as an empty one, returns an empty list, never an error.`,
  schema: { type: 'integer', format: 'int32', examples: [7] },
  read: (sent) => {
    const text = filterOf(sent);
    return text === undefined ? undefined : (parseId(text) ?? NO_ID);
  },
});

export const flagFilter = (name: string, what: string): Filter<true> => ({
  name,
  description: `\`true\` (or \`1\`): ${what}. Any other value, including \`false\`, does not filter.`,
  schema: { type: 'boolean', examples: [true] },
  read: (sent) => FLAG.read(lastOf(sent) ?? '') || undefined,
});

/** Refuses unreadable values: a client that mistypes a filter must not read other rows than intended. */
function refusing<T>(
  name: string,
  { rule, read: parse }: ValueReader<T>,
): Pick<Filter<T>, 'name' | 'read'> & { readonly refusal: string } {
  const refusal = `${name} ${rule}`;
  const read = (sent: readonly string[]) => {
    const text = filterOf(sent);
    const value = text === undefined ? undefined : parse(text);
    if (value === null) throw invalidField(refusal);
    return value;
  };
  return { name, refusal, read };
}

export const booleanFilter = (name: string, whenTrue: string, whenFalse: string): Filter<boolean> => ({
  ...refusing(name, FLAG),
  description:
    `\`true\` (or \`1\`): ${whenTrue}. \`false\` (or \`0\`): ${whenFalse}. Letter case does not matter; any other ` +
    'value, also an empty one, returns 400.',
  schema: { type: 'boolean', examples: [true] },
});

export const trueFilter = (name: string, what: string): Filter<true> => ({
  ...refusing(name, { rule: 'must be true', read: (text) => FLAG.read(text) || null }),
  description: `\`true\` (or \`1\`): ${what}. Any other value returns 400.`,
  schema: { type: 'boolean', enum: [true], examples: [true] },
});

/** @param words the first word is the default. */
export const choice = <Word extends string>(
  name: string,
  what: string,
  words: readonly [Word, ...Word[]],
): Parameter<Word> => {
  const { refusal, read } = refusing(name, wordOf(words));
  return {
    name,
    description: `${what} Letter case does not matter; any other value, also an empty one, returns 400.`,
    schema: { type: 'string', enum: [...words], default: words[0], examples: [words[0]] },
    refusal,
    read: (sent) => read(sent) ?? words[0],
  };
};

export const choiceFilter = <Word extends string>(
  name: string,
  what: string,
  words: readonly [Word, ...Word[]],
): Filter<Word> => ({
  ...refusing(name, wordOf(words)),
  description: `${what} Letter case does not matter; any other value, also an empty one, returns 400.`,
  schema: { type: 'string', enum: [...words], examples: [words[0]] },
});

export const dateFilter = (name: string, what: string): Filter<string> => ({
  ...refusing(name, { rule: VALUES.day.rule, read: (text) => VALUES.day.read(text) && text }),
  description: `${what} Any other value than a date, also an empty one, returns 400.`,
  schema: { type: 'string', format: 'date', examples: ['2026-03-29'] },
});

export const integerFilter = (
  name: string,
  what: string,
  { min, max }: { readonly min: number; readonly max: number },
): Filter<number> => ({
  ...refusing(name, integerFrom(min, max)),
  description: `${what} Any other value, also an empty one, returns 400.`,
  schema: { type: 'integer', minimum: min, maximum: max, examples: [min] },
});

const FINER_THAN_MS = /\.\d{3}\d*[1-9]/;

/** Rounds up to milliseconds, so that what happened at a time, to a millisecond, stays on the same side of it. */
function readBound(text: string): Date | null {
  // A `+` that a client does not encode arrives as a blank.
  const time = VALUES.time.read(text.replace(' ', '+'));
  return time && FINER_THAN_MS.test(text) ? VALUES.time.read(new Date(time.getTime() + 1).toISOString()) : time;
}

export const timeFilter = (name: string, what: string): Filter<Date> => ({
  ...refusing(name, { rule: VALUES.time.rule, read: readBound }),
  description:
    `${what} ISO 8601 with a zone, in UTC of the years 1 to 9999; digits finer than milliseconds are rounded up. ` +
    'Any other value, also an empty one, returns 400.',
  schema: { type: 'string', format: 'date-time', examples: ['2026-03-28T23:00:00.000Z'] },
});

/** @param rows a description such as `orders that were placed`. */
export const createdFilter = (rows: string) => ({
  createdFrom: timeFilter('created_from', `Only ${rows} at this time or later.`),
  createdTo: timeFilter('created_to', `Only ${rows} before this time.`),
});

/** @param rows a description such as `orders that changed`. */
export const updatedFilter = (rows: string) => ({
  updatedFrom: timeFilter('updated_from', `Only ${rows} at this time or later.`),
  updatedTo: timeFilter('updated_to', `Only ${rows} before this time.`),
});

export const searchFilter = (what: string, example: string): Filter<string> => ({
  name: 'search',
  description:
    `Only those with this text anywhere in ${what}, in any letter case. Taken literally, without wildcards; ` +
    'composed and decomposed letters are equal (NFC); trimmed; blank = no filter; the first 200 characters count.',
  schema: { type: 'string', examples: [example] },
  read: (sent) => {
    const text = lastOf(sent)?.normalize();
    // Counting code points cuts no character in half. Most texts are short enough to skip this.
    return text && text.length > MAX_SEARCH_LENGTH ? [...text].slice(0, MAX_SEARCH_LENGTH).join('') : text;
  },
});

/** Reads a whole number, clamped to its range; returns the default for any other text. */
export function clampedInteger(sent: readonly string[], min: number, max: number, preset: number): number {
  const text = lastOf(sent) ?? '';
  const value = /^[+-]?\d+(?:\.\d*)?$/.test(text) ? Math.trunc(Number(text)) : preset;
  return Math.min(Math.max(value, min), max);
}

export const LIMIT: Parameter<number> = {
  name: 'limit',
  format: 'json',
  description: `Rows on a page, 1 to ${MAX_LIMIT}. Values out of range are clamped, never rejected.`,
  schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, examples: [DEFAULT_LIMIT] },
  read: (sent) => clampedInteger(sent, 1, MAX_LIMIT, DEFAULT_LIMIT),
};

export const PAGE: Parameter<number> = {
  name: 'page',
  format: 'json',
  description: 'The page, from 1. Values out of range are clamped, never rejected. A page past the last one is empty.',
  schema: { type: 'integer', minimum: 1, default: 1, examples: [1] },
  read: (sent) => clampedInteger(sent, 1, MAX_PAGE, 1),
};

const JSON_OR_CSV = wordOf(FORMATS);

export const FORMAT: Filter<Format> = {
  ...refusing('format', JSON_OR_CSV),
  description:
    '`csv`: all rows of all pages as CSV, up to 100,000, like `Accept: text/csv`. `json`: one page, also with that header. ' +
    'Letter case does not matter; any other value, also an empty one, returns 400.',
  schema: { type: 'string', enum: [...FORMATS], default: FORMATS[0], examples: [FORMATS[0]] },
};

export const ROWS: Parameter<'rows' | 'lines'> = {
  ...choice('rows', 'With `format=csv`, a row for each row of the list, or with `lines` for each of its lines.', [
    'rows',
    'lines',
  ]),
  format: 'csv',
};

const SORTS = new Map<string, Sort>([
  ['created_at', { by: 'createdAt', isDescending: false }],
  ['-created_at', NEWEST_FIRST],
  ['updated_at', { by: 'updatedAt', isDescending: false }],
  ['-updated_at', { by: 'updatedAt', isDescending: true }],
]);

function sortOf(words: readonly string[], description: string, preset: string | null): Filter<Sort> {
  const refusal = `sort must be one of ${words.join(', ')}`;
  return {
    name: 'sort',
    description:
      `The order of the rows: ${description} Rows with the same time follow each other by id, in the same direction. ` +
      'A page by `updated_at` skips at most 1,000 rows. Another word, also an empty one, is rejected with 400.',
    schema: {
      type: 'string',
      enum: [...words],
      ...(preset !== null && { default: preset }),
      examples: [preset ?? words[0] ?? ''],
    },
    refusal,
    read: (sent) => {
      const word = filterOf(sent);
      if (word === undefined) return undefined;
      const sort = words.includes(word) ? SORTS.get(word) : undefined;
      if (!sort) throw invalidField(refusal);
      return sort;
    },
  };
}

export const SORT = sortOf(
  [...SORTS.keys()],
  '`-created_at`, the newest first, is the default; `-updated_at` begins with the row that changed last.',
  '-created_at',
);

export const SORT_BY_CHANGE = sortOf(
  ['updated_at', '-updated_at'],
  'by SKU without the parameter; `-updated_at` begins with the row that changed last.',
  null,
);

/** Declares which additional fields the rows of a list may contain. */
export function includeOf<Word extends string>(words: readonly Word[], example: Word): Filter<readonly Word[]> {
  const refusal = `include must be one or more of ${words.join(', ')}, separated by commas`;
  const read = readWords(refusal);
  return {
    name: 'include',
    description: `More fields for each row, separated by commas: ${words.map((word) => `\`${word}\``).join(', ')}. Another word is rejected with 400.`,
    schema: { type: 'array', items: { type: 'string', enum: [...words] }, examples: [[example]] },
    refusal,
    read: (sent) => {
      const given = read(sent);
      if (given?.length === 0 || given?.some((word) => !words.includes(word as Word))) throw invalidField(refusal);
      return given && words.filter((word) => given.includes(word));
    },
  };
}
