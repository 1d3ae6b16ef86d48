import { StockService } from '@app/application';
import { toWarehouseResponse, Warehouse } from '@app/representations';
import { Controller, Get } from '@nestjs/common';
import { CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { list } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiList } from '../openapi/endpoints.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';

const QUERY = listQuery({});

@Controller('v1/warehouses')
@Documented({ tag: 'Warehouses', description: 'The warehouses and their bins.', schemas: [Warehouse] })
export class WarehousesController {
  constructor(private readonly stock: StockService) {}

  @Get()
  @ApiList({
    operationId: 'listWarehouses',
    summary: 'Warehouses and their bins, by code',
    description: 'Active and closed ones, each with all its bins, also empty ones. Sorted by code points.',
    of: Warehouse,
  })
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { page }: ValuesOf<typeof QUERY>) {
    const { rows, total } = await this.stock.warehouses(store.id, page);
    return list(rows.map(toWarehouseResponse), total, page);
  }
}
