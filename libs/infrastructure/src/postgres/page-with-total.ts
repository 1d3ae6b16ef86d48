import type { Page } from '@app/application';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { offsetOf } from './paging.js';

/**
 * Reads a page and the number of all rows in one statement, so that both are of the same moment. The query has its
 * conditions and its order. Past the last page there is no row to stand the total on: it is counted apart.
 */
export async function pageWithTotal<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  page: Page,
): Promise<{ entities: Row[]; total: number }> {
  const { entities, raw } = await query
    .clone()
    .addSelect('count(*) OVER ()', 'total')
    .limit(page.limit)
    .offset(offsetOf(page))
    .getRawAndEntities<{ total: string }>();
  if (raw[0]) return { entities, total: Number(raw[0].total) };
  return { entities, total: page.page === 1 ? 0 : await query.getCount() };
}
