import { parseId, type Page } from '@app/application';

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 100;
/** The offset of the last row of this page is still a 32-bit integer, whatever the limit. */
const MAX_PAGE = Math.floor(2_147_483_647 / MAX_LIMIT);
const MAX_SEARCH_LENGTH = 200;
/** Ids count from 1, so this is nobody's: it filters everything away. */
const NO_ID = 0;

/** The parameters of a URL as parsed by Fastify: a repeated one is an array. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads typed values from a query string. No value is ever an error: what cannot be read has its default, or is a
 * filter that nothing satisfies. A blank value is an absent one, and of a repeated parameter the last one counts.
 *
 * It notes the names it was asked for: the others are unknown to the route (see {@link unknownNames}).
 */
export class QueryReader {
  private readonly known = new Set<string>();

  constructor(private readonly query: RawQuery) {}

  /** `limit` and `page`, pulled into their range. */
  page(): Page {
    return { limit: this.integer('limit', DEFAULT_LIMIT, MAX_LIMIT), page: this.integer('page', 1, MAX_PAGE) };
  }

  /** A filter value, trimmed. */
  text(name: string): string | undefined {
    this.known.add(name);
    const value = this.query[name];
    return (typeof value === 'string' ? value : value?.at(-1))?.trim() || undefined;
  }

  /** Text to search for: its first 200 characters. */
  search(): string | undefined {
    const text = this.text('search');
    // By code points, so that no character is cut in half; most texts are short enough not to be taken apart.
    return text && text.length > MAX_SEARCH_LENGTH ? [...text].slice(0, MAX_SEARCH_LENGTH).join('') : text;
  }

  /** The id to filter by; one that nothing has when the value is not an id. */
  id(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : (parseId(text) ?? NO_ID);
  }

  /** Whether to filter: `true` for `true` and `1`, otherwise not given. */
  flag(name: string): true | undefined {
    return /^(?:true|1)$/i.test(this.text(name) ?? '') || undefined;
  }

  /** The names in the query that nothing asked for. */
  unknownNames(): string[] {
    return Object.keys(this.query).filter((name) => name !== '' && !this.known.has(name));
  }

  private integer(name: string, fallback: number, max: number): number {
    const text = this.text(name) ?? '';
    const value = /^[+-]?\d+(?:\.\d*)?$/.test(text) ? Math.trunc(Number(text)) : fallback;
    return Math.min(Math.max(value, 1), max);
  }
}
