import { StockChanges, StockLedger, StockRepository } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresStockChanges } from './postgres-stock-changes.js';
import { PostgresStockLedger } from './postgres-stock-ledger.js';
import { PostgresStockRepository } from './postgres-stock.repository.js';

@Module({
  providers: [
    { provide: StockChanges, useClass: PostgresStockChanges },
    { provide: StockLedger, useClass: PostgresStockLedger },
    { provide: StockRepository, useClass: PostgresStockRepository },
  ],
  exports: [StockChanges, StockLedger, StockRepository],
})
export class StockModule {}
