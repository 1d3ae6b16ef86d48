import { NotFound, type Actor } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { StockLedger, type StockPlace } from '../ports/stock-ledger.js';
import { StoreRepository } from '../ports/store.repository.js';

export interface SetStockCommand extends StockPlace {
  /** Subdomain of the store. */
  readonly store: string;
  /** Units, from 0 to 2147483647. */
  readonly quantity: number;
  readonly actor: Actor;
}

@Injectable()
export class SetStock {
  constructor(
    private readonly stores: StoreRepository,
    private readonly ledger: StockLedger,
  ) {}

  /**
   * Brings a bin to a counted quantity. The difference is a movement in the ledger.
   *
   * @returns the quantity before, in units; null when the product was never in the bin.
   * @throws NotFound naming the first unknown of store, product, variant, warehouse and bin.
   */
  async execute({ store, product, variant, bin, quantity, actor }: SetStockCommand): Promise<number | null> {
    const owner = await this.stores.findBySubdomain(store);
    if (!owner) throw new NotFound(`Store ${store}`);
    return this.ledger.setQuantity(owner.id, { product, variant, bin }, quantity, actor);
  }
}
