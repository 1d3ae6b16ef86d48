import { Injectable } from '@nestjs/common';
import { StockChanges, type ChangedStock, type StockChangeRequest } from '../ports/stock-changes.js';
import { requestHashOf } from '../request-hash.js';

export type ChangeStockCommand = Omit<StockChangeRequest, 'requestHash'>;

@Injectable()
export class ChangeStock {
  constructor(private readonly changes: StockChanges) {}

  /**
   * Applies receipts, corrections and counts. A repeat of the request, by its idempotency key or its reference, changes
   * nothing and gets the same answer.
   *
   * @throws StockRefused, ReferenceTaken, IdempotencyMismatch, IdempotencyInFlight
   */
  execute(command: ChangeStockCommand): Promise<ChangedStock> {
    const { lines, reference, reason, isAtomic, createsBins } = command;
    const requestHash = requestHashOf(['stock', lines, reference, reason, isAtomic, createsBins]);
    return this.changes.apply({ ...command, requestHash });
  }
}
