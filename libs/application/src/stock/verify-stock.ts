import { Injectable } from '@nestjs/common';
import { StockLedger, type StockVerification } from '../ports/stock-ledger.js';
import { StoreRepository } from '../ports/store.repository.js';

@Injectable()
export class VerifyStock {
  constructor(
    private readonly stores: StoreRepository,
    private readonly ledger: StockLedger,
  ) {}

  /**
   * Compares every bin with the sum of its movements.
   *
   * @param store subdomain; null = all stores.
   * @throws NotFound when the store does not exist.
   */
  async execute(store: string | null): Promise<StockVerification> {
    if (store === null) return this.ledger.verify(null);
    const owner = await this.stores.require(store);
    return this.ledger.verify(owner.id);
  }
}
