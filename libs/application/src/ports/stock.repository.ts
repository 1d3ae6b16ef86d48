import type { StockDemand } from '@app/domain';

/** Stock within a transaction. */
export abstract class StockRepository {
  /**
   * Takes the demand from the bins of the store's active warehouses, fewest bins first, and writes the ledger. Holds
   * the rows until the transaction ends.
   *
   * @throws OutOfStock naming the lines when any demand cannot be met in full.
   */
  abstract withdraw(storeId: number, orderId: string, demands: readonly StockDemand[]): Promise<void>;

  /**
   * Puts what the order took back into the bins it came from, by the ledger. What was returned before is not returned
   * again, and an order that took nothing returns nothing.
   *
   * @returns how many units went back.
   */
  abstract restock(storeId: number, orderId: string): Promise<number>;
}
