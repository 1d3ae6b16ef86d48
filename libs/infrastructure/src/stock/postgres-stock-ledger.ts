import { StockLedger, type StockVerification } from '@app/application';
import { Injectable } from '@nestjs/common';
import { MaintenanceConnection } from '../postgres/maintenance-connection.js';
import { verifyStock } from './verify-stock.js';

@Injectable()
export class PostgresStockLedger extends StockLedger {
  constructor(private readonly connection: MaintenanceConnection) {
    super();
  }

  override verify(storeId: number | null): Promise<StockVerification> {
    return this.connection.run((dataSource) =>
      verifyStock((text, values) => dataSource.query<StockVerification[]>(text, values), storeId),
    );
  }
}
