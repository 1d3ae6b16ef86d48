import { MAX_LIMIT, parseId, type Page } from '@app/application';
import { BadRequestException } from '@nestjs/common';

export const DEFAULT_LIMIT = 50;
/** The offset of the last row of this page is still a 32-bit integer, whatever the limit. */
const MAX_PAGE = Math.floor(2_147_483_647 / MAX_LIMIT);
const MAX_SEARCH_LENGTH = 200;
/** The most values of one filter. */
export const MAX_VALUES = 100;
/** The most values of one filter, blank ones included: to trim thousands takes milliseconds. */
const MAX_PARTS = 2 * MAX_VALUES;
/** Ids count from 1, so a filter by this id matches no row. */
const NO_ID = 0;

/** The parameters of a URL as parsed by Fastify: a repeated one is an array. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads typed values from a query string. An unreadable value becomes the default, or a filter that matches no row; only
 * `boolean`, and `texts` with too many values, refuse it. A blank value counts as absent. The last of repeated parameters
 * counts.
 *
 * The reader records the names that a route reads; {@link unknownNames} returns the others.
 */
export class QueryReader {
  private readonly known = new Set<string>();

  constructor(private readonly query: RawQuery) {}

  /** `limit` and `page`, clamped to their ranges. */
  page(): Page {
    return { limit: this.limit(), page: this.integer('page', 1, MAX_PAGE) };
  }

  /** `limit`, clamped to its range. */
  limit(): number {
    return this.integer('limit', DEFAULT_LIMIT, MAX_LIMIT);
  }

  /** A whole number from 0, clamped; 0 by default. */
  count(name: string, max: number): number {
    return this.integer(name, 0, max, 0);
  }

  /** A filter value, trimmed. */
  text(name: string): string | undefined {
    this.known.add(name);
    const value = this.query[name];
    return (typeof value === 'string' ? value : value?.at(-1))?.trim() || undefined;
  }

  /**
   * The values of a filter that accepts several, trimmed: separated by commas, repeated, or both. Blank values do not count.
   *
   * @throws BadRequestException for more than 100 values, or more than 200 with the blank ones.
   */
  texts(name: string): readonly string[] | undefined {
    this.known.add(name);
    const parts: string[] = [];
    for (const value of [this.query[name] ?? []].flat()) {
      parts.push(...value.split(',', MAX_PARTS + 1));
      if (parts.length > MAX_PARTS) throw tooManyValues(name);
    }
    const texts = parts.map((value) => value.trim()).filter((value) => value !== '');
    if (texts.length > MAX_VALUES) throw tooManyValues(name);
    return texts.length > 0 ? texts : undefined;
  }

  /** Text to search for: its first 200 characters. */
  search(): string | undefined {
    const text = this.text('search');
    // Code points, so that no character is cut in half. Most texts are short enough to skip this.
    return text && text.length > MAX_SEARCH_LENGTH ? [...text].slice(0, MAX_SEARCH_LENGTH).join('') : text;
  }

  /** The id to filter by. A value that is not an id becomes an id that matches no row. */
  id(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : (parseId(text) ?? NO_ID);
  }

  /** `true` for `true` and `1`; every other value does not filter. */
  flag(name: string): true | undefined {
    return /^(?:true|1)$/i.test(this.text(name) ?? '') || undefined;
  }

  /** @throws BadRequestException for a value other than `true` and `false`. */
  boolean(name: string): boolean | undefined {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined) return undefined;
    if (text !== 'true' && text !== 'false') throw new BadRequestException(`${name} must be true or false`);
    return text === 'true';
  }

  /** The names in the query that the route has not read. */
  unknownNames(): string[] {
    return Object.keys(this.query).filter((name) => name !== '' && !this.known.has(name));
  }

  private integer(name: string, fallback: number, max: number, min = 1): number {
    const text = this.text(name) ?? '';
    const value = /^[+-]?\d+(?:\.\d*)?$/.test(text) ? Math.trunc(Number(text)) : fallback;
    return Math.min(Math.max(value, min), max);
  }
}

function tooManyValues(name: string): BadRequestException {
  return new BadRequestException(`${name} must have at most ${MAX_VALUES} values`);
}
