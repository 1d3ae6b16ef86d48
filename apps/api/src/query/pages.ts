import { MAX_LIMIT, PageTooLarge, type Position } from '@app/application';
import type { FastifyRequest } from 'fastify';
import './query.js';

/** Rows beyond these are left out, so that one request has a limit. */
export const MAX_ROWS = 100_000;

/** The answer of a route with a page. A list has `pagination`, or a cursor, or both. Other rows are all on one page. */
export interface Answer {
  readonly data: readonly unknown[];
  readonly pagination?: { readonly total: number };
  readonly cursor?: string;
  readonly has_more?: boolean;
}

/** Page sizes for rows of any size. Each divides the one before, so that pages of two sizes leave no gap. */
const LIMITS = [MAX_LIMIT, 50, 25, 5, 1];

/**
 * Reads the pages of a route one after the other, up to {@link MAX_ROWS} rows. A page whose rows are too large together
 * is read again in smaller pages.
 */
export async function* pagesOf(request: FastifyRequest, read: () => Promise<Answer>): AsyncGenerator<Answer> {
  const position: Position = { after: null };
  const limits = [...LIMITS];
  const query = request.query as object;
  let cursor: string | undefined;
  for (let seen = 0; seen < MAX_ROWS;) {
    const [limit = 1] = limits;
    request.page = { limit, page: position.after ? 1 : seen / limit + 1, position };
    request.query = { ...query, limit: String(limit), ...(cursor !== undefined && { cursor }) };
    const answer = await read().catch((error: unknown) => {
      if (!(error instanceof PageTooLarge) || limits.length === 1) throw error;
      limits.shift();
    });
    if (!answer) continue;
    yield answer;
    const { data, pagination, has_more: hasMore = pagination && data.length === limit } = answer;
    if (!hasMore) return;
    seen += data.length;
    if (answer.cursor !== undefined) {
      cursor = answer.cursor;
      position.after = [cursor];
    }
  }
}
