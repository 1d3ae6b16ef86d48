import type { SkuRecord } from '@app/application';
import { sortAttributes } from '../postgres/attributes.js';

export interface SkuRow extends SkuRecord {
  readonly attributeNames: readonly string[];
}

export function toSkuRecord({ attributeNames, ...row }: SkuRow): SkuRecord {
  return Object.assign(row, { attributes: sortAttributes(row.attributes, attributeNames) });
}
