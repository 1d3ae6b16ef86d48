import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '../ports/change-feed.js';
import type { Page, PageOf } from '../ports/page.js';
import { StockChanges, type ChangedStock, type StockChangeRequest } from '../ports/stock-changes.js';
import { StockLedger, type MovementFilter, type StockMovement, type StockVerification } from '../ports/stock-ledger.js';
import {
  StockRepository,
  type StockFilter,
  type StockRecord,
  type WarehouseRecord,
} from '../ports/stock.repository.js';
import { StoreRepository } from '../ports/store.repository.js';

@Injectable()
export class StockService {
  constructor(
    private readonly stock: StockRepository,
    private readonly changes: StockChanges,
    private readonly ledger: StockLedger,
    private readonly stores: StoreRepository,
    private readonly feed: ChangeFeed,
  ) {}

  list(storeId: number, filter: StockFilter, page: Page): Promise<PageOf<StockRecord>> {
    return this.stock.list(storeId, filter, page);
  }

  movements(storeId: number, filter: MovementFilter, page: Page): Promise<PageOf<StockMovement>> {
    return this.ledger.list(storeId, filter, page);
  }

  warehouses(storeId: number, page: Page): Promise<PageOf<WarehouseRecord>> {
    return this.stock.warehouses(storeId, page);
  }

  async change(request: StockChangeRequest): Promise<ChangedStock> {
    const changed = await this.changes.apply(request);
    await this.feed.catchUp(request.storeId);
    return changed;
  }

  /** @param store the subdomain; null verifies all stores. @throws NotFound when the store does not exist. */
  async verify(store: string | null): Promise<StockVerification> {
    return this.ledger.verify(store === null ? null : (await this.stores.require(store)).id);
  }
}
