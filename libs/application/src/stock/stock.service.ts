import { Injectable } from '@nestjs/common';
import type { Page, PageOf } from '../ports/page.js';
import { StockRepository, type StockFilter, type StockRecord } from '../ports/stock.repository.js';

@Injectable()
export class StockService {
  constructor(private readonly stock: StockRepository) {}

  list(storeId: number, filter: StockFilter, page: Page): Promise<PageOf<StockRecord>> {
    return this.stock.list(storeId, filter, page);
  }
}
