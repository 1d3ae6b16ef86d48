import type { SkuRecord } from '@app/application';
import { sortAttributes } from '../postgres/attributes.js';

export interface SkuRow extends SkuRecord {
  readonly attributeNames: readonly string[];
  /** Only in a list by the time of the last change. */
  readonly sortedAt?: Date;
}

export function toSkuRecord({ attributeNames, sortedAt: _sortedAt, ...row }: SkuRow): SkuRecord {
  return Object.assign(row, { attributes: sortAttributes(row.attributes, attributeNames) });
}
