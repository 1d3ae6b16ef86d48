import { Injectable } from '@nestjs/common';
import type { Page, PageOf } from '../ports/page.js';
import { SkuRepository, type SkuFilter, type SkuRecord } from '../ports/sku.repository.js';

@Injectable()
export class SkusService {
  constructor(private readonly skus: SkuRepository) {}

  list(storeId: number, filter: SkuFilter, page: Page): Promise<PageOf<SkuRecord>> {
    return this.skus.list(storeId, filter, page);
  }
}
