import type { Page } from '@app/application';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { offsetOf } from './paging.js';

/**
 * Reads a page and its total from one snapshot. A page past the last row contains no row with the total, so a second
 * statement counts. A window function would read all rows of the list in full for each page.
 */
export async function pageWithTotal<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  page: Page,
): Promise<{ entities: Row[]; total: number }> {
  const { entities, raw } = await query
    .clone()
    .addSelect(`(${query.clone().orderBy().select('count(*)').getQuery()})`, 'total')
    .limit(page.limit)
    .offset(offsetOf(page))
    .getRawAndEntities<{ total: string }>();
  if (raw[0]) return { entities, total: Number(raw[0].total) };
  return { entities, total: page.page === 1 ? 0 : await query.getCount() };
}
